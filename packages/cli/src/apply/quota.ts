import {
  deltaAmount,
  deltaFromUnits,
  epsilonAmount,
  epsilonFromUnits,
  formatDelta,
  formatEpsilon,
} from "@dosimeter/core";

interface Amounts {
  readonly epsilon: string;
  readonly delta?: string | undefined;
}

/**
 * What brings a quota to what is asked for: nothing where it is there; `apart` where ε and δ go in different directions, which no one move does.
 * Without δ, δ moves in proportion.
 */
export type Move =
  | { readonly kind: "none" | "apart" }
  | { readonly kind: "allocateQuota" | "withdrawQuota"; readonly by: { epsilon: string; delta?: string } };

export function moveTo(now: Required<Amounts>, asked: Amounts): Move {
  const epsilon = epsilonAmount(asked.epsilon, "down") - epsilonAmount(now.epsilon, "down");
  const delta =
    asked.delta === undefined ? 0n : deltaAmount(asked.delta, "down") - deltaAmount(now.delta ?? "0", "down");
  if (epsilon === 0n && delta === 0n) return { kind: "none" };
  if (epsilon * delta < 0n) return { kind: "apart" };
  return {
    kind: epsilon < 0n || delta < 0n ? "withdrawQuota" : "allocateQuota",
    by: {
      epsilon: formatEpsilon(epsilonFromUnits(size(epsilon))),
      ...(asked.delta === undefined ? {} : { delta: formatDelta(deltaFromUnits(size(delta))) }),
    },
  };
}

const size = (units: bigint): bigint => (units < 0n ? -units : units);
