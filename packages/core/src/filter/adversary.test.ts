import { describe, expect, test } from "vitest";
import { epsilonAmount, type Mu2Amount } from "../amounts/amount.ts";
import { payPure, pureEpsilon } from "./remaining-mu2.ts";
import type { Rule } from "./rules.ts";
import { openTerms } from "./terms.ts";

/** ε in lattice steps of 0.05: a menu of pure queries, each answered by its worst case, randomised response. */
const STEP = 0.05;

interface Game {
  readonly menu: readonly number[];
  readonly epsilon: number;
  readonly delta: number;
}

const response = (steps: number): number => 1 / (1 + Math.exp(-steps * STEP));

/** What an adversary may do next: hear an answer of these steps, or, of none, charge for what is heard later. */
interface Move<S> {
  readonly after: S;
  readonly steps: number;
}

/** One answer for each item of a menu that `next` admits. */
const answers =
  <S>(menu: readonly number[], next: (state: S, steps: number) => S | null) =>
  (state: S): readonly Move<S>[] =>
    menu.flatMap((steps) => {
      const after = next(state, steps);
      return after === null ? [] : [{ after, steps }];
    });

/**
 * The greatest E_P(1 − e^(ε − L))₊ that any adaptive strategy reaches, divided by δ: the whole decision tree, solved
 * backwards. `moves` gives what the filter admits in a state.
 */
function worstCase<S>(
  { epsilon, delta }: Game,
  start: S,
  moves: (state: S) => readonly Move<S>[],
  key: (state: S) => string,
): number {
  const known = new Map<string, number>();
  const value = (loss: number, state: S): number => {
    const at = `${loss}:${key(state)}`;
    const seen = known.get(at);
    if (seen !== undefined) return seen;
    let best = Math.max(0, 1 - Math.exp(epsilon - loss * STEP));
    for (const { after, steps } of moves(state)) {
      const p = response(steps);
      best = Math.max(best, p * value(loss + steps, after) + (1 - p) * value(loss - steps, after));
    }
    known.set(at, best);
    return best;
  };
  return value(0, start) / delta;
}

const GRID = 10n ** 7n; // 1e-5 of μ²: what is left is rounded up to it, which can only help the adversary

const roundUp = (mu2: bigint): Mu2Amount => (((mu2 + GRID - 1n) / GRID) * GRID) as Mu2Amount;

/**
 * The product's own filters: addition, tight, and addition that switches when only tight fits. `program`: also programs outside of two
 * answers of these steps each, which are charged together and heard when the adversary likes, between others. [M388]
 */
function filterGame(game: Game, rule: Rule, program = 0): number {
  const terms = openTerms({ epsilon: game.epsilon, delta: game.delta, rule, deltaSelection: 0 });
  interface State {
    readonly spent: number;
    readonly mu2: Mu2Amount | null;
    readonly tight: boolean;
    /** Answers of programs that are charged and not heard. */
    readonly open: number;
  }
  const paid = new Map<string, Mu2Amount | null>();
  const pay = (mu2: Mu2Amount | null, steps: number): Mu2Amount | null => {
    if (mu2 === null) return null;
    const at = `${mu2}:${steps}`;
    let after = paid.get(at);
    if (after === undefined) {
      const left = payPure(mu2, pureEpsilon(epsilonAmount(`${steps * 5}/100`, "up")));
      after = left === null ? null : roundUp(left);
      paid.set(at, after);
    }
    return after;
  };
  const room = Math.round(game.epsilon / STEP);
  const next = ({ open, ...state }: State, steps: number, times = 1): State | null => {
    const spent = state.spent + times * steps;
    let mu2 = rule === "addition" ? null : state.mu2;
    for (let n = 0; n < times; n++) mu2 = pay(mu2, steps);
    if (!state.tight && spent <= room) return { spent, mu2, tight: false, open };
    return rule !== "addition" && mu2 !== null ? { spent: 0, mu2, tight: true, open } : null;
  };
  const measured = answers<State>(game.menu, next);
  const moves = (state: State): readonly Move<State>[] => {
    const charged = program === 0 ? null : next(state, program, 2);
    return [
      ...measured(state),
      ...(charged === null ? [] : [{ after: { ...charged, open: state.open + 2 }, steps: 0 }]),
      ...(state.open === 0 ? [] : [{ after: { ...state, open: state.open - 1 }, steps: program }]),
    ];
  };
  const start: State = { spent: 0, mu2: rule === "addition" ? null : terms.mu2, tight: rule === "tight", open: 0 };
  return worstCase(game, start, moves, ({ spent, mu2, tight, open }) => `${tight ? -1 : spent}:${mu2}:${open}`);
}

/** "Compose exactly what was asked and stop at the budget": no filter, and the adversary shows it. */
function composeAndStop(game: Game): number {
  const laws = new Map<string, ReadonlyMap<number, number>>([["", new Map([[0, 1]])]]);
  const law = (asked: readonly number[]): ReadonlyMap<number, number> => {
    const key = asked.join();
    const seen = laws.get(key);
    if (seen !== undefined) return seen;
    const [first = 0, ...rest] = asked;
    const p = response(first);
    const sum = new Map<number, number>();
    for (const [loss, mass] of law(rest)) {
      sum.set(loss + first, (sum.get(loss + first) ?? 0) + p * mass);
      sum.set(loss - first, (sum.get(loss - first) ?? 0) + (1 - p) * mass);
    }
    laws.set(key, sum);
    return sum;
  };
  const exactDelta = (asked: readonly number[]): number => {
    let delta = 0;
    for (const [loss, mass] of law(asked)) delta += mass * Math.max(0, 1 - Math.exp(game.epsilon - loss * STEP));
    return delta;
  };
  const admits = new Map<string, boolean>();
  const next = (asked: readonly number[], steps: number): readonly number[] | null => {
    const all = [...asked, steps].sort((a, b) => a - b);
    const key = all.join();
    let fits = admits.get(key);
    if (fits === undefined) {
      fits = exactDelta(all) <= game.delta;
      admits.set(key, fits);
    }
    return fits ? all : null;
  };
  return worstCase<readonly number[]>(game, [], answers(game.menu, next), (asked) => asked.join());
}

/** Reference values: sup δ/δ_budget of the accountant's own exact solution of the same games. */
const games = [
  { menu: [1, 2, 5], epsilon: 0.5, delta: 1e-2, stop: 1.5059166459300897, tight: null },
  { menu: [1, 3, 6], epsilon: 0.5, delta: 1e-2, stop: 1.5357000854575955, tight: 0.9292713549341981 },
  { menu: [2, 6], epsilon: 1.5, delta: 1e-3, stop: 1.8131884077195892, tight: 0.6121222929799329 },
  { menu: [1, 5], epsilon: 1, delta: 1e-3, stop: 1.7536343297093875, tight: 0.8553131407459582 },
] as const;

describe.each(games)("menu $menu × 0.05 against ($epsilon, $delta)", ({ stop, tight, ...game }) => {
  test("an adaptive adversary never gets more than δ from our filters", () => {
    const reached = filterGame(game, "tight");
    expect(reached).toBeLessThanOrEqual(1);
    if (tight !== null) {
      expect(reached).toBeGreaterThanOrEqual(tight - 0.002);
      expect(reached).toBeLessThanOrEqual(tight + 0.02);
    }
    expect(filterGame(game, "additionThenTight")).toBeLessThanOrEqual(1);
    expect(filterGame(game, "addition")).toBe(0); // pure: the loss never exceeds ε at all
  });

  test("nor where programs outside, charged before they run, answer between the queries whenever the adversary likes [M388]", () => {
    const large = { menu: [game.menu.at(-1) ?? 1], epsilon: game.epsilon, delta: game.delta };
    const reached = filterGame(large, "tight", game.menu[0]);
    expect(reached).toBeGreaterThan(0);
    expect(reached).toBeLessThanOrEqual(1);
    expect(filterGame(large, "additionThenTight", game.menu[0])).toBeLessThanOrEqual(1);
    expect(filterGame(large, "addition", game.menu[0])).toBe(0);
  });

  test("compose-and-stop overspends, by the reference factor", () => {
    expect(composeAndStop(game)).toBeCloseTo(stop, 6);
  });
});
