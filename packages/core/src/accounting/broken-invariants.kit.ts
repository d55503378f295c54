import { mechanismCurve } from "../../../tradeoff/src/mechanism.ts";
import { PrivacyError } from "../error.ts";
import type { DpEvent } from "../event.ts";
import { QUESTION_WORK, workBudget } from "../work.ts";
import { exactDelta } from "./exact-atoms.kit.ts";
import type { Question, TotalLoss } from "./loss.ts";
import { randomEvents, randomPairs } from "./random-events.kit.ts";
import { totalLoss } from "./report.ts";

export const DELTAS = [0.9, 0.1, 1e-3, 1e-6, 1e-12, 1e-30, 1e-100, 1e-300];
const ALPHAS = [1e-6, 1e-3, 0.1, 0.5];
/** Seconds of a processor that one question may take. */
const MAX_SECONDS = 5;
/** More than the roundings of one comparison, far less than an error. */
const ROOM = 1e-9;

/** Every third list is one that the exact engine composes too. */
export const listOf = (seed: number): readonly DpEvent[] => (seed % 3 === 0 ? randomPairs(seed) : randomEvents(seed));

/** Kinds whose loss has no bound: no ε holds at δ = 0. */
const UNBOUNDED: ReadonlySet<string> = new Set(["gaussian", "gdp", "discreteGaussian"]);

function isUnbounded(event: DpEvent): boolean {
  return "event" in event ? isUnbounded(event.event) : UNBOUNDED.has(event.kind);
}

/** What the accountant and the curves say of a list that cannot be true, in words; empty where all of it can. `some` asks at two δ, and of one list in four at one α. */
export function brokenInvariants(seed: number, asks: "some" | "all" = "all"): readonly string[] {
  const events = listOf(seed);
  const broken: string[] = [];
  const expect = (isTrue: boolean, what: string): void => {
    if (!isTrue) broken.push(what);
  };
  const asked = <T>(what: string, read: () => T): T | undefined => {
    const start = process.cpuUsage();
    try {
      return read();
    } catch (error) {
      if (!(error instanceof PrivacyError)) throw error;
      broken.push(`${what}: ${error.code}`);
      return undefined;
    } finally {
      const { user, system } = process.cpuUsage(start);
      expect((user + system) / 1e6 <= MAX_SECONDS, `${what}: ${(user + system) / 1e6} s`);
    }
  };
  const total = (list: readonly DpEvent[], question: Question): TotalLoss | undefined =>
    asked(`pld at ${JSON.stringify(question)}`, () =>
      totalLoss(list, question, "pld", { work: workBudget(QUESTION_WORK) }),
    );
  const [deltas, alphas] =
    asks === "all"
      ? [DELTAS, ALPHAS]
      : [[DELTAS[seed % 4] as number, DELTAS[4 + (seed % 4)] as number], [ALPHAS[seed % 4] as number]];
  const exact = exactDelta(events);
  let before = 0;
  for (const delta of deltas) {
    const found = total(events, { delta });
    if (found === undefined) continue;
    const { epsilon, lower = 0 } = found;
    expect(lower <= epsilon, `δ ${delta}: ε from ${lower} to ${epsilon}`);
    expect(epsilon >= before * (1 - ROOM) || lower < before, `δ ${delta}: ε ${epsilon} below that of a larger δ`);
    before = lower;
    for (const part of events) {
      const least = total([part], { delta })?.lower ?? 0;
      expect(least <= epsilon * (1 + ROOM), `δ ${delta}: ε ${epsilon} below ${least} of ${JSON.stringify(part)}`);
    }
    if (Number.isFinite(epsilon)) {
      // The last places of a largest loss are rounding: δ is 0 from just above it.
      const back = total(events, { epsilon: epsilon * (1 + 2e-15) });
      expect((back?.lower ?? 0) <= delta * (1 + ROOM), `δ ${delta}: at its ε ${epsilon} δ is at least ${back?.lower}`);
      expect(
        (back?.delta ?? 0) <= Math.max(1e-250, 2 * delta),
        `δ ${delta}: at its ε ${epsilon} δ may be ${back?.delta}`,
      );
    }
    if (exact === undefined) continue;
    const most = Number.isFinite(epsilon) ? exact(epsilon) : 0;
    expect(most <= delta * (1 + ROOM), `δ ${delta}: ε ${epsilon}, where δ is ${most}`);
    const fewest = lower === 0 ? 1 : Number.isFinite(lower) ? exact(lower * (1 - ROOM)) : 1;
    expect(fewest >= delta * (1 - ROOM), `δ ${delta}: ε at least ${lower}, where δ is ${fewest}`);
    expect(Number.isFinite(epsilon) || exact(1e4) > delta * (1 - ROOM), `δ ${delta}: no ε, though the loss is bounded`);
  }
  if (events.some(isUnbounded))
    expect(total(events, { delta: 0 })?.epsilon === Number.POSITIVE_INFINITY, "δ 0: a loss without bound has an ε");
  if (asks === "some" && seed % 4 !== 0) return broken;
  // Each β is a question of its own on a curve that is kept.
  let budget = workBudget(QUESTION_WORK);
  const work = { spend: (units: number): void => budget.spend(units) };
  const composed = asked("curve", () => mechanismCurve({ kind: "composed", events }, work));
  if (composed === undefined) return broken;
  for (const part of events) {
    const curve = mechanismCurve(part);
    const above = curve.isExact ? curve : curve.upper;
    if (above === null) continue;
    for (const alpha of alphas) {
      budget = workBudget(QUESTION_WORK);
      const [whole, one] = [asked(`β at ${alpha}`, () => composed.beta(alpha)) ?? 0, above.beta(alpha)];
      expect(whole <= one * (1 + ROOM) + 1e-300, `α ${alpha}: β ${whole} above ${one} of ${JSON.stringify(part)}`);
    }
  }
  return broken;
}
