import type { DpEvent } from "../event.ts";
import type { EventAdjacency } from "../filter/adjacency.ts";
import { allocationAtoms } from "./allocation.ts";
import { type MixturePair, mixtureLosses, type Part } from "./gaussian-mixture.ts";
import { bandedSquare, muOfSquare, treeSquare, treeWork } from "./matrix.ts";
import type { Atom, Piece } from "./piece.ts";
import type { Direction, Profile } from "./profile.ts";
import { enlarge, type Interval, lower, shrink, upper } from "./rounding.ts";
import { binomialAbove, keptShare, shuffledAtoms, shuffledInstance } from "./shuffle.ts";

/** Losses of one pair: of an event that has them, as atoms with what was cut, or as pieces with their profile. */
export type KindLosses =
  | DpEvent
  | { readonly atoms: readonly Atom[]; readonly infinite?: number }
  | { readonly pieces: readonly Piece[]; readonly profile: Profile };

/** All that the accountant needs of a kind. */
interface Kind<E> {
  /** A simple event that loses no less, whatever the sample: pure or Gaussian. */
  readonly plain: (event: E) => DpEvent;
  /** A pair that dominates the event; that of `plain` where left out. */
  readonly above?: (event: E, direction: Direction) => KindLosses;
  /** A pair that the event has on some data; "above" where that is one. */
  readonly below: "above" | ((event: E, direction: Direction) => KindLosses | undefined);
  /** Whether `above` is the same in both directions. */
  readonly isOneWay: boolean;
  /** Points to be made for all losses; none to speak of where left out. */
  readonly work?: (event: E) => number;
  /** The only relation between neighbours that it holds for. */
  readonly adjacency?: EventAdjacency;
}

type Of<K extends DpEvent["kind"]> = Extract<DpEvent, { readonly kind: K }>;

const gdp = (mu: number): DpEvent => ({ kind: "gdp", mu });
const pure = ({ epsilon }: { readonly epsilon: number | string }): DpEvent => ({ kind: "pure", epsilon });
/** The largest μ of noise where a norm is at most `norm`. */
const muUp = (norm: number, { noiseMultiplier }: { readonly noiseMultiplier: number | string }): number =>
  enlarge(norm / lower(noiseMultiplier), 1);

function matrix<E extends Of<"bandedMatrix" | "treeAggregation">>(squareOf: (event: E) => Interval): Kind<E> {
  // Its facts, curves and both ends ask for it, and a tree of many steps takes seconds.
  const squares = new WeakMap<E, Interval>();
  const mu = (event: E): Interval => {
    const square = squares.get(event) ?? squareOf(event);
    squares.set(event, square);
    const { upper: most, lower: least } = square;
    return {
      upper: enlarge(muOfSquare(most, lower(event.noiseMultiplier)), 4) as Interval["upper"],
      lower: shrink(muOfSquare(least, upper(event.noiseMultiplier)), 4) as Interval["lower"],
    };
  };
  return { plain: (event) => gdp(mu(event).upper), below: (event) => gdp(mu(event).lower), isOneWay: true };
}

/** Each kind that is a row here and no case of a switch [M59]. */
const kinds: { readonly [K in KindName]: Kind<Of<K>> } = {
  shuffled: {
    plain: pure,
    above: ({ epsilon, people }) =>
      kept(`shuffled ${epsilon} ${people}`, () => ({ atoms: shuffledAtoms(upper(epsilon), people) })),
    below: ({ epsilon, people }, direction) => shuffledInstance(lower(epsilon), people, direction),
    isOneWay: true,
    adjacency: "replace",
    work: ({ people }) => Math.min(1e8, people ** 2),
  },
  poissonReplaced: {
    plain: (event) => gdp(upper(event.rate) === 0 ? 0 : muUp(2, event)),
    above: ({ rate, noiseMultiplier }) => {
      const [mu, gamma] = [1 / lower(noiseMultiplier), upper(rate)];
      return mixtureLosses([{ p: drawn(gamma, mu), q: drawn(gamma, -mu), share: 1 }]);
    },
    below: "above",
    isOneWay: true,
    adjacency: "replace",
    work: ({ noiseMultiplier }) => mixtureWork(2 / lower(noiseMultiplier), 2),
  },
  gaussianMixture: {
    plain: (event) =>
      gdp(
        muUp(
          Math.max(...event.sensitivities.map((c, i) => (upper(event.probabilities[i] ?? 0) > 0 ? upper(c) : 0))),
          event,
        ),
      ),
    above: ({ noiseMultiplier, sensitivities, probabilities }, direction) => {
      const total = probabilities.reduce<number>((sum, p) => sum + upper(p), 0);
      const parts = sensitivities.map((c, i) => ({
        mean: upper(c) / lower(noiseMultiplier),
        weight: upper(probabilities[i] ?? 0) / total,
      }));
      return mixtureLosses([turned({ p: parts, q: ALONE, share: 1 }, direction)]);
    },
    below: "above",
    isOneWay: false,
    adjacency: "addRemove",
    work: ({ noiseMultiplier, sensitivities }) =>
      mixtureWork(Math.max(...sensitivities.map(upper)) / lower(noiseMultiplier), sensitivities.length),
  },
  /** [M242] */
  truncatedPoisson: {
    plain: (event) => gdp(upper(event.rate) === 0 ? 0 : muUp(2, event)),
    above: ({ rate, noiseMultiplier, batch, population }, direction) => {
      const [mu, gamma] = [1 / lower(noiseMultiplier), upper(rate)];
      const full = binomialAbove(population - 1, gamma, batch).upper;
      return mixtureLosses([
        turned({ p: drawn(gamma, mu), q: ALONE, share: 1 - full }, direction),
        turned({ p: drawn(gamma, 2 * mu), q: ALONE, share: full }, direction),
      ]);
    },
    below: ({ rate, noiseMultiplier, batch, population }) => ({
      kind: "poissonSampled",
      rate: keptShare(population, lower(rate), batch),
      event: { kind: "gaussian", noiseMultiplier },
    }),
    isOneWay: false,
    adjacency: "addRemove",
    work: ({ noiseMultiplier }) => mixtureWork(2 / lower(noiseMultiplier), 2),
  },
  /** [M243] */
  permuteAndFlip: {
    plain: pure,
    below: ({ epsilon }) => ({ kind: "pure", epsilon: shrink(Math.log1p(2 * Math.expm1(lower(epsilon) / 2)), 8) }),
    isOneWay: true,
  },
  bandedMatrix: matrix(bandedSquare),
  treeAggregation: { ...matrix(treeSquare), work: treeWork },
  randomAllocation: {
    plain: (event) => gdp(muUp(1, event)),
    above: (event, direction) => allocated(event, direction, "above"),
    below: (event, direction) => allocated(event, direction, "below"),
    isOneWay: false,
    adjacency: "addRemove",
    work: ({ steps }) => 2e7 * (1 + Math.log2(steps)),
  },
};

/** Points of one question about a mixture whose means span `span` deviations: its panels are as narrow as its loss is steep. */
const mixtureWork = (span: number, parts: number): number => 2.5e3 * span ** 2 * parts;

type KindName =
  | "shuffled"
  | "poissonReplaced"
  | "gaussianMixture"
  | "truncatedPoisson"
  | "permuteAndFlip"
  | "bandedMatrix"
  | "treeAggregation"
  | "randomAllocation";

export type KindEvent = Of<KindName>;

export const isKind = (event: DpEvent): event is KindEvent => Object.hasOwn(kinds, event.kind);

const rowOf = (event: KindEvent): Kind<KindEvent> => kinds[event.kind] as Kind<KindEvent>;

export const plainEvent = (event: KindEvent): DpEvent => rowOf(event).plain(event);

/** What is run on a sample: of a kind of the table its simple event, as of a list [M40]. */
export const sampledEvent = (event: DpEvent): DpEvent => (isKind(event) ? plainEvent(event) : event);

/** About how many points it takes to make all losses of an event. */
export const workOf = (event: KindEvent): number => rowOf(event).work?.(event) ?? 0;

/** The losses of a pair that dominates an event, or of one that it has on some data; undefined where none is known. */
export function kindLosses(event: KindEvent, direction: Direction, side: "above" | "below"): KindLosses | undefined {
  const { plain, above = plain, below } = rowOf(event);
  return side === "above" || below === "above" ? above(event, direction) : below(event, direction);
}

export const isAttained = (event: KindEvent): boolean => rowOf(event).below === "above";
export const isOneWay = (event: KindEvent): boolean => rowOf(event).isOneWay;

/** Kinds of the table that hold for one relation only. */
export const kindAdjacencies: Readonly<Partial<Record<DpEvent["kind"], EventAdjacency>>> = Object.fromEntries(
  Object.entries(kinds).flatMap(([kind, { adjacency }]) => (adjacency === undefined ? [] : [[kind, adjacency]])),
);

/** Not touched by the person. */
const ALONE: readonly Part[] = [{ weight: 1, mean: 0 }];

/** With this probability moved by μ. */
const drawn = (rate: number, mu: number): readonly Part[] => [
  { weight: 1 - rate, mean: 0 },
  { weight: rate, mean: mu },
];

/** A pair with the person in P, or the reverse, mirrored so that no mean of the second is above one of the first. */
function turned({ p, q, share }: MixturePair, direction: Direction): MixturePair {
  const mirrored = (parts: readonly Part[]): readonly Part[] =>
    parts.map(({ weight, mean }) => ({ weight, mean: 0 - mean }));
  return direction === "remove" ? { p, q, share } : { p: mirrored(q), q: mirrored(p), share };
}

const allocated = (
  { noiseMultiplier, steps }: Of<"randomAllocation">,
  direction: Direction,
  side: "above" | "below",
): KindLosses =>
  kept(`allocation ${noiseMultiplier} ${steps} ${direction} ${side}`, () =>
    allocationAtoms({ mu: 1 / lower(noiseMultiplier), steps }, direction, side),
  );

/** Losses that take long, by what they are of: a list asks for them several times. */
const made = new Map<string, KindLosses>();
const MAX_KEPT = 32;

function kept(key: string, make: () => KindLosses): KindLosses {
  const known = made.get(key) ?? make();
  made.delete(key);
  made.set(key, known);
  for (const old of made.keys()) if (made.size > MAX_KEPT) made.delete(old);
  return known;
}
