import type { DpEvent } from "@dosimeter/core";
import {
  atomicLosses,
  drawnShare,
  gaussianLosses,
  type LossDistribution,
  type LossSource,
  laplaceLosses,
  lower,
  poissonLosses,
  symmetricLosses,
  UNIT_ROUNDOFF,
  upper,
} from "@dosimeter/core/internal";
import { type Atoms, lossError } from "./atoms.ts";
import type { TradeoffFunction } from "./curve.ts";
import type { CurveDefinition } from "./definition.ts";
import { latticeAbove, latticeBelow } from "./lattice.ts";

/** The distribution of the privacy loss ln(Q/P) under Q of T(P, Q), and that of T(Q, P), as input of the accountant. */
export interface LossPair {
  readonly there: Omit<LossSource, "count">;
  readonly back: Omit<LossSource, "count">;
  /** Whether they are the curve's own, not those of pieces on one side of it. */
  readonly isExact: boolean;
}

/**
 * The distributions of a curve: its own when it is made of known pairs or of pieces, else those of `cells` tangents
 * below it.
 */
export function lossPair(curve: TradeoffFunction, cells: number): LossPair {
  return knownPair(curve.definition) ?? atomsPair(widened(curve.atoms, 1) ?? latticeBelow(curve, cells));
}

/** The distributions of a curve on or above it, for the upper end of a bracket. */
export function lossPairAbove(curve: TradeoffFunction, cells: number): LossPair {
  return knownPair(curve.definition) ?? atomsPair(widened(curve.atoms, -1) ?? latticeAbove(curve, cells));
}

/** The distributions of a curve that is made of known pairs; null of others. */
export function knownPair(definition: CurveDefinition): LossPair | null {
  if ("gdp" in definition || "lap" in definition) {
    const { distribution, mu, laplace } = noise(definition);
    const source = { direction: "remove", distribution, ...(mu === undefined ? { laplace } : { mu }) } as const;
    return { there: source, back: source, isExact: true } as LossPair;
  }
  if ("mechanism" in definition) {
    const plain = plainDefinition(definition.mechanism);
    return plain === null ? null : knownPair(plain);
  }
  if ("group" in definition) {
    const [size, inner] = definition.group;
    if ("gdp" in inner) return knownPair({ gdp: size * inner.gdp });
    return "lap" in inner ? knownPair({ lap: size * inner.lap }) : null;
  }
  if ("inverse" in definition) {
    const known = knownPair(definition.inverse);
    return known === null ? null : { there: known.back, back: known.there, isExact: true };
  }
  const [kind, sampled] =
    "subsampleOneWay" in definition
      ? (["oneWay", definition.subsampleOneWay] as const)
      : "subsample" in definition
        ? (["both", definition.subsample] as const)
        : ([null, null] as const);
  if (kind === null) return null;
  const [rate, inner] = sampled;
  if (!("gdp" in inner || "lap" in inner) || !(rate > 0 && rate < 1)) return null;
  const { distribution } = noise(inner);
  const [remove, add] = [poissonLosses(distribution, rate, "remove"), poissonLosses(distribution, rate, "add")];
  if (kind === "both") {
    const source = { direction: "remove", distribution: symmetricLosses(remove) } as const;
    return { there: source, back: source, isExact: true };
  }
  return {
    there: { direction: "remove", distribution: remove },
    back: { direction: "add", distribution: add },
    isExact: true,
  };
}

/** The curve of a noise mechanism, possibly on a sample; null for other events. */
function plainDefinition(event: DpEvent): CurveDefinition | null {
  switch (event.kind) {
    case "gaussian":
      return { gdp: 1 / lower(event.noiseMultiplier) };
    case "gdp":
      return { gdp: upper(event.mu) };
    case "laplace":
      return { lap: 1 / lower(event.noiseMultiplier) };
    case "poissonSampled":
    case "sampledWithoutReplacement": {
      const inner = plainDefinition(event.event);
      const rate = upper(event.kind === "poissonSampled" ? event.rate : drawnShare(event));
      return inner === null ? null : { subsample: [rate, inner] };
    }
    default:
      return null;
  }
}

function noise(definition: { readonly gdp: number } | { readonly lap: number }): {
  readonly distribution: LossDistribution;
  readonly mu?: number;
  readonly laplace?: number;
} {
  return "gdp" in definition
    ? { distribution: gaussianLosses(definition.gdp), mu: definition.gdp }
    : { distribution: laplaceLosses(definition.lap), laplace: definition.lap };
}

type Masses = Pick<Atoms, "loss" | "p" | "q" | "jump" | "rest"> & { readonly drift?: number };

/** Pieces with their masses and losses moved by all that they may err by: up for a pair below the curve, down for one above it. */
function widened(atoms: Atoms | null, side: 1 | -1): Masses | undefined {
  if (atoms === null) return undefined;
  const scale = 1 + side * (atoms.error + 4) * UNIT_ROUNDOFF;
  const scaled = (mass: Float64Array): Float64Array => mass.map((x) => x * scale);
  const ends = side < 0 ? { jump: atoms.jump * scale, rest: atoms.rest * scale } : {};
  return { ...atoms, ...ends, p: scaled(atoms.p), q: scaled(atoms.q), drift: side * lossError(atoms) };
}

function atomsPair({ loss, p, q, jump, rest, drift = 0 }: Masses): LossPair {
  const distribution = (mass: Float64Array, sign: 1 | -1, infinite: number): LossDistribution =>
    atomicLosses(
      Array.from(loss, (x, i) => ({ loss: sign * x + drift, mass: mass[i] ?? 0 })),
      { infinite },
    );
  return {
    there: { direction: "remove", distribution: distribution(q, 1, jump) },
    back: { direction: "remove", distribution: distribution(p, -1, rest) },
    isExact: false,
  };
}
