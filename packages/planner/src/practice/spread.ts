import { normalQuantile } from "@dosimeter/core/internal";

/**
 * The quantile function of an answer's error: the offset below which the answer falls with a given probability, from
 * its half-width at `confidence`. It has the shape of one integer's noise, which is exact for one integer and
 * approximate for several.
 */
export function noiseSpread(
  kind: "laplace" | "gaussian" | "selection",
  { halfWidth, confidence }: { readonly halfWidth: number; readonly confidence: number },
): (share: number) => number {
  const unit = kind === "gaussian" ? normalQuantile : laplaceQuantile;
  const scale = halfWidth / unit((1 + confidence) / 2);
  return (share) => scale * unit(share);
}

const laplaceQuantile = (share: number): number =>
  share < 0.5 ? Math.log(2 * share) : share === 0.5 ? 0 : -Math.log(2 * (1 - share));
