import { type ErrorCode, invalid, PrivacyError } from "../error.ts";
import type { DpEvent } from "../event.ts";
import type { EventAdjacency } from "../filter/adjacency.ts";
import { fallingRoot } from "../numeric/root.ts";
import type { Work } from "../work.ts";
import { advancedEpsilon, advancedLogEpsilon, basicDelta, basicEpsilon } from "./basic.ts";
import { composeClasses } from "./composition.ts";
import { gdpDelta, gdpEpsilon } from "./gdp.ts";
import { checkDelta, checkEpsilon, type Method, type Question, type TotalLoss } from "./loss.ts";
import { type OptimalProfile, optimalProfile } from "./optimal.ts";
import { distributionOf } from "./pld.ts";
import { declaredOrders, rdpDeltaOf, rdpEpsilonOf, renyiTotalOf } from "./rdp.ts";
import { enlarge, type Interval } from "./rounding.ts";
import { cannotPrice, readSpends, type Spends, slackDelta } from "./spends.ts";
import { zcdpDelta, zcdpEpsilon, zcdpEpsilonSimple } from "./zcdp.ts";

const FIXED = "as if this list had been fixed in advance";

/** One way to total a list. */
export interface Accountant {
  readonly method: Method;
  readonly label: string;
  /** The assumptions under which the number holds. */
  readonly assumes: string;
  readonly epsilon: (spends: Spends, delta: number) => Interval | number;
  readonly delta: (spends: Spends, epsilon: number) => Interval | number;
}

/** Every accountant, in the order they are shown. */
export const accountants: readonly Accountant[] = [
  {
    method: "basic",
    label: "Basic composition",
    assumes: "nothing more: the sums hold however the queries were chosen",
    epsilon: basicEpsilon,
    delta: (spends, epsilon) =>
      basicEpsilon(spends, spends.deltaMass) <= epsilon
        ? basicDelta(spends)
        : leastDelta((d) => basicEpsilon(spends, d), epsilon),
  },
  {
    method: "advanced",
    label: "Advanced composition, as the source prints it",
    assumes: `${FIXED}; every event pure or approximate`,
    epsilon: (spends, delta) => advancedEpsilon(spends, delta, "printed"),
    delta: (spends, epsilon) => leastDelta((d) => advancedEpsilon(spends, d, "printed"), epsilon),
  },
  {
    method: "advancedTight",
    label: "Advanced composition with the tight drift",
    assumes: `${FIXED}; every event pure or approximate`,
    epsilon: (spends, delta) => advancedEpsilon(spends, delta, "tight"),
    delta: (spends, epsilon) => leastDelta((d) => advancedEpsilon(spends, d, "tight"), epsilon),
  },
  {
    method: "advancedLog",
    label: "Advanced composition, logarithmic form",
    assumes: `${FIXED}; every event pure or approximate`,
    epsilon: advancedLogEpsilon,
    delta: (spends, epsilon) => leastDelta((d) => advancedLogEpsilon(spends, d), epsilon),
  },
  {
    method: "optimal",
    label: "Optimal composition of (ε, δ)",
    assumes: `${FIXED}; knows only the ε and δ of each event`,
    epsilon: (spends, delta) => optimally(spends, (profile) => profile.epsilon(delta)),
    delta: (spends, epsilon) => optimally(spends, (profile) => profile.delta(epsilon)),
  },
  {
    method: "zcdpSimple",
    label: "zCDP, the source’s conversion",
    assumes: FIXED,
    epsilon: (spends, delta) => zcdp(spends, delta, zcdpEpsilonSimple),
    delta: (spends, epsilon) => leastDelta((d) => zcdp(spends, d, zcdpEpsilonSimple), epsilon),
  },
  {
    method: "zcdp",
    label: "zCDP, tight conversion",
    assumes: FIXED,
    epsilon: (spends, delta) => zcdp(spends, delta, zcdpEpsilon),
    delta: (spends, epsilon) => withMass(spends, zcdpDelta(rhoSum(spends), epsilon)),
  },
  {
    method: "rdp",
    label: "Rényi, best of a grid of orders",
    assumes: FIXED,
    epsilon: (spends, delta) =>
      delta < spends.deltaMass
        ? Number.POSITIVE_INFINITY
        : rdpEpsilonOf(checkedRenyi(spends), slackDelta(spends, delta), declaredOrders(spends)),
    delta: (spends, epsilon) => withMass(spends, rdpDeltaOf(checkedRenyi(spends), epsilon, declaredOrders(spends))),
  },
  {
    method: "gdp",
    label: "Gaussian, closed form",
    assumes: `${FIXED}; every event Gaussian, or lifted to a μ that holds for it`,
    epsilon: (spends, delta) =>
      delta < spends.deltaMass ? Number.POSITIVE_INFINITY : gdpEpsilon(muSquaredSum(spends), slackDelta(spends, delta)),
    delta: (spends, epsilon) => withMass(spends, gdpDelta(muSquaredSum(spends), epsilon)),
  },
  {
    method: "pld",
    label: "Privacy loss distribution",
    assumes: FIXED,
    epsilon: (spends, delta) => exactly(spends, (profile) => profile.epsilon(delta)),
    delta: (spends, epsilon) => exactly(spends, (profile) => profile.delta(epsilon)),
  },
];

const ATTAINED: ReadonlySet<string> = new Set(["pure", "approximate"]);

/** Whether some mechanism with the event's numbers has just the losses of its two points: then a list of them has a lower bound. */
const isAttained = (event: DpEvent): boolean =>
  ATTAINED.has(event.kind) || (event.kind === "randomizedResponse" && (event.categories ?? 2) === 2);

type Read = (profile: Pick<OptimalProfile, "epsilon" | "delta">) => Interval;

/** The exact composition; where every pair has two points only, that is the optimal composition in closed form. */
function exactly(spends: Spends, read: Read): Interval | number {
  const isTwoPoint = spends.classes.every(({ event }) => isAttained(event) || event.kind === "exponential");
  return isTwoPoint ? optimally(spends, read) : read(distributionOf(composeClasses(spends.classes, spends.work)));
}

/** What holds for all mechanisms with these ε and δ. Of other events it is an upper bound only. */
function optimally(spends: Spends, read: Read): Interval | number {
  const found = read(optimalOf(spends));
  return spends.classes.every(({ event }) => isAttained(event)) ? found : found.upper;
}

const optimals = new WeakMap<Spends, Pick<OptimalProfile, "epsilon" | "delta">>();

/** The optimal composition of a list. It keeps its answers, since two accountants ask the same questions. */
function optimalOf(spends: Spends): Pick<OptimalProfile, "epsilon" | "delta"> {
  const known = optimals.get(spends);
  if (known !== undefined) return known;
  const profile = optimalProfile(spends);
  const fresh = { epsilon: once(profile.epsilon), delta: once(profile.delta) };
  optimals.set(spends, fresh);
  return fresh;
}

function once(f: (x: number) => Interval): (x: number) => Interval {
  let last: { readonly x: number; readonly found: Interval } | undefined;
  return (x) => {
    if (last?.x !== x) last = { x, found: f(x) };
    return last.found;
  };
}

const byMethod = new Map(accountants.map((accountant) => [accountant.method, accountant]));

/** The methods by name; INVALID_PARAMETER for another. */
export function accountantNamed(method: string): Accountant {
  const found = byMethod.get(method as Method);
  if (found === undefined) {
    invalid("method", method, [...byMethod.keys()].join(", "));
  }
  return found;
}

export interface ReportOptions {
  readonly adjacency?: EventAdjacency;
  /** What the computation may cost; without bound where left out. */
  readonly work?: Work;
}

/**
 * The total of a fixed list by one method: ε at a δ in [0, 1), or δ at an ε ≥ 0; an upper bound, with a certified lower
 * bound too where the method has one. Errors: UNSUPPORTED_EVENT, ADJACENCY_MISMATCH, INVALID_PARAMETER.
 */
export function totalLoss(
  events: readonly DpEvent[],
  question: Question,
  method: Method,
  options: ReportOptions = {},
): TotalLoss {
  return lossOf(readSpends(events, options.adjacency, "events", options.work), question, accountantNamed(method));
}

export function lossOf(spends: Spends, question: Question, accountant: Accountant): TotalLoss {
  const { method, assumes } = accountant;
  if ("delta" in question) {
    const delta = checkDelta(question.delta);
    const found = accountant.epsilon(spends, delta);
    return { ...both(found, "epsilon"), delta, method, assumes };
  }
  const epsilon = checkEpsilon(question.epsilon);
  const found = epsilon === Number.POSITIVE_INFINITY ? basicDelta(spends) : accountant.delta(spends, epsilon);
  return { epsilon, ...both(found, "delta"), method, assumes };
}

function both<K extends "epsilon" | "delta">(
  found: Interval | number,
  name: K,
): Record<K, number> & { readonly lower?: number } {
  if (typeof found === "number") return { [name]: found } as Record<K, number>;
  const upper: number = found.upper;
  return { ...({ [name]: upper } as Record<K, number>), lower: found.lower };
}

/** One row of the comparison: a total, or the reason why the method has none. */
export type Report = TotalLoss | { readonly method: Method; readonly unavailable: string };

export interface BestLoss extends TotalLoss {
  /** Every accountant, in the order of `accountants`. */
  readonly all: readonly Report[];
}

/** The least of all valid bounds of a fixed list, with its name, and all the others. */
export function tightestLoss(events: readonly DpEvent[], question: Question, options: ReportOptions = {}): BestLoss {
  return tightestOf(readSpends(events, options.adjacency, "events", options.work), question);
}

/** Refusals of one method that leave the others. */
const SKIPPED: ReadonlySet<ErrorCode> = new Set(["UNSUPPORTED_EVENT", "TOO_MUCH_WORK"]);

export function tightestOf(spends: Spends, question: Question): BestLoss {
  const all = accountants.map((accountant): Report => {
    try {
      return lossOf(spends, question, accountant);
    } catch (error) {
      if (error instanceof PrivacyError && SKIPPED.has(error.code)) {
        return { method: accountant.method, unavailable: error.message };
      }
      throw error;
    }
  });
  const asked = "delta" in question ? "epsilon" : "delta";
  let best: TotalLoss | undefined;
  for (const report of all) {
    if ("unavailable" in report || PUBLISHED_ONLY.has(report.method)) continue;
    if (best === undefined || report[asked] < best[asked]) best = report;
  }
  if (best === undefined)
    throw new PrivacyError("UNSUPPORTED_EVENT", { name: "events", got: "a list that no accountant can total" });
  return { ...best, all };
}

/** Bounds that are shown for comparison and never named the tightest. */
const PUBLISHED_ONLY: ReadonlySet<Method> = new Set(["advanced", "zcdpSimple"]);

function zcdp(spends: Spends, delta: number, convert: (rho: number, delta: number) => number): number {
  return delta < spends.deltaMass ? Number.POSITIVE_INFINITY : convert(rhoSum(spends), slackDelta(spends, delta));
}

function rhoSum({ classes }: Spends): number {
  return enlarge(
    classes.reduce((sum, spend) => {
      if (!(spend.facts.rho < Number.POSITIVE_INFINITY)) throw cannotPrice(spend, "an event with a zCDP rho");
      return sum + spend.count * spend.facts.rho;
    }, 0),
    classes.length,
  );
}

function muSquaredSum({ classes }: Spends): number {
  return enlarge(
    classes.reduce((sum, spend) => {
      if (!(spend.facts.muSquared < Number.POSITIVE_INFINITY)) throw cannotPrice(spend, "an event with a GDP mu");
      return sum + spend.count * spend.facts.muSquared;
    }, 0),
    classes.length,
  );
}

function checkedRenyi(spends: Spends): (lambda: number) => number {
  for (const spend of spends.classes) {
    if (!(spend.facts.renyi(1e-3) < Number.POSITIVE_INFINITY))
      throw cannotPrice(spend, "an event with a Rényi divergence");
  }
  return renyiTotalOf(spends);
}

/** 1 − (1 − δ)·Π(1 − δᵢ), rounded up. */
function withMass({ deltaMass }: Spends, delta: number): number {
  return deltaMass === 0 ? Math.min(1, delta) : Math.min(1, enlarge(deltaMass + (1 - deltaMass) * delta, 2));
}

/** The least δ at which a falling ε(δ) is at most `epsilon`; 1 where none is. */
function leastDelta(epsilonAt: (delta: number) => number, epsilon: number): number {
  const excess = (log: number): number => {
    const found = epsilonAt(Math.exp(log));
    return found <= epsilon ? -1 : found === Number.POSITIVE_INFINITY ? 1e308 : found - epsilon;
  };
  if (excess(-1e-12) > 0) return 1;
  if (excess(-690) <= 0) return Math.exp(-690);
  return Math.exp(fallingRoot(excess, -690, -1e-12, 1e-14));
}
