import { normalQuantile } from "@dosimeter/core/internal";

/**
 * Where one answer may fall around the truth: the offset below which it falls with a given probability, for noise of a shape
 * whose half-width at `confidence` is known. The shape of a single integer's noise; about it for answers made of several.
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
