import { describe, expect, test } from "vitest";
import type { Mu2Amount } from "../amounts/amount.ts";
import type { DpEvent } from "../event.ts";
import { ledgerCaps, openTerms } from "../filter/terms.ts";
import { admitBlocks, type BlockStates } from "./block-states.ts";
import { columnMu2, isStepOf, squareRootColumn } from "./continual.ts";

const UNITS = 1_000_000_000_000n;

describe("prices of the columns [M209]", () => {
  test("what steps take of a block is what it paid, rounded up; later blocks pay less", () => {
    for (const horizon of [2, 12, 120]) {
      const column = squareRootColumn(horizon);
      const whole = column.reduce((sum, c) => sum + c * c, 0n);
      let before = UNITS + 1n;
      for (let step = 1; step <= horizon; step++) {
        const paid = columnMu2(UNITS as Mu2Amount, { horizon, step });
        const taken = column.slice(0, horizon - step + 1).reduce((sum, c) => sum + c * c, 0n) * UNITS;
        expect(taken <= paid * whole).toBe(true);
        expect(taken > (paid - 1n) * whole).toBe(true);
        expect(paid < before).toBe(true);
        before = paid;
      }
    }
    expect(columnMu2(UNITS as Mu2Amount, { horizon: 12, step: 1 })).toBe(UNITS);
  });

  test("a step has the events of the first one at its own price, and only Gaussian ones", () => {
    const gdp = (units: bigint): DpEvent => ({ kind: "gaussian", noiseMultiplier: multiplierOf(units) });
    const at = { horizon: 12, step: 5 };
    const mu2 = columnMu2((4n * UNITS) as Mu2Amount, at);
    const first = [gdp(4n * UNITS)];
    expect(isStepOf(first, first, { horizon: 12, step: 1 })).toBe(true);
    expect(isStepOf(first, [gdp(mu2)], at)).toBe(true);
    expect(isStepOf(first, [gdp(mu2)], { horizon: 12, step: 6 })).toBe(false);
    expect(isStepOf(first, [gdp(mu2)], { horizon: 13, step: 5 })).toBe(false);
    expect(isStepOf(first, [gdp(mu2), gdp(mu2)], at)).toBe(false);
    expect(isStepOf(first, [], at)).toBe(false);
    expect(isStepOf([], [], at)).toBe(false);
    const pure: DpEvent = { kind: "pure", epsilon: "1" };
    expect(isStepOf([pure], [pure], { horizon: 12, step: 1 })).toBe(false);
  });
});

/** Noise that costs this number of units, which are far fewer than a double tells apart: a little more than it has to be. */
const multiplierOf = (units: bigint): string => String((1 + 1e-15) / Math.sqrt(Number(units) / Number(UNITS)));

/** What an adversary asks for between the steps: pure answers of this ε, each in its worst case. */
const PURE = 0.25;
/** Losses are kept on this grid; between its points values are interpolated. */
const GRID = 0.02;
const SPAN = 7;
const CELLS = Math.round((2 * SPAN) / GRID) + 1;

interface Game {
  readonly epsilon: number;
  readonly delta: number;
  /** What the steps take, in μ². */
  readonly steps: readonly number[];
  /** What is debited before the first one, in μ². */
  readonly debited: number;
}

/**
 * The greatest E_P(1 − e^(ε − L))₊ divided by δ, for an adversary who takes the steps in order and asks pure questions before, between and after
 * them, whenever the filter of the block has room and depending on all losses so far: solved backwards over a grid of losses.
 */
function worstCase({ epsilon, delta, steps, debited }: Game): number {
  const caps = ledgerCaps(openTerms({ epsilon, delta, rule: "tight", deltaSelection: 0 }));
  const admitted = (states: BlockStates, event: DpEvent): BlockStates | null => {
    const decided = admitBlocks("tight", [{ caps, states }], [{ from: 0, to: 0 }], { events: [event] });
    return decided.admitted ? (decided.states[0] ?? []) : null;
  };
  const opened = admitted([], { kind: "gaussian", noiseMultiplier: String(1 / Math.sqrt(debited)) });
  if (opened === null) throw new Error("the column fits");
  let most = 0;
  for (let states: BlockStates | null = opened; ; most++) {
    states = admitted(states, { kind: "pure", epsilon: String(PURE) });
    if (states === null) break;
  }
  const end = Float64Array.from({ length: CELLS }, (_, at) => Math.max(0, 1 - Math.exp(epsilon + SPAN - at * GRID)));
  const at = (values: Float64Array, loss: number): number => {
    const place = Math.min(CELLS - 1, Math.max(0, (loss + SPAN) / GRID));
    const low = Math.floor(place);
    const [a = 0, b = a] = [values[low], values[low + 1]];
    return a + (place - low) * (b - a);
  };
  const chance = 1 / (1 + Math.exp(-PURE));
  /** Of every number of pure answers still to come. */
  let later: readonly Float64Array[] = [];
  for (let step = steps.length; step >= 0; step--) {
    const mu2 = steps[step] ?? 0;
    const values: Float64Array[] = [];
    for (let left = 0; left <= most; left++) {
      const fewer = values[left - 1];
      const after = later[left];
      values.push(
        Float64Array.from({ length: CELLS }, (_, cell) => {
          const loss = cell * GRID - SPAN;
          const asked =
            fewer === undefined ? 0 : chance * at(fewer, loss + PURE) + (1 - chance) * at(fewer, loss - PURE);
          const stepped = after === undefined ? 0 : gaussianMean(mu2, (change) => at(after, loss + change));
          return Math.max(end[cell] ?? 0, asked, stepped);
        }),
      );
    }
    later = values;
  }
  return at(later[most] ?? end, 0) / delta;
}

/** The mean over the privacy loss of Gaussian noise, N(μ²/2, μ²). */
function gaussianMean(mu2: number, of: (loss: number) => number): number {
  let [sum, mass] = [0, 0];
  for (let z = -6; z <= 6; z += 0.2) {
    const weight = Math.exp((-z * z) / 2);
    mass += weight;
    sum += weight * of(mu2 / 2 + z * Math.sqrt(mu2));
  }
  return sum / mass;
}

describe("an adversary who asks between the steps [M209]", () => {
  const [first = 1n, second = 1n, third = 1n] = squareRootColumn(3);
  const parts = [first, second, third].map((c) => Number(c) ** 2);
  const whole = parts.reduce((a, b) => a + b, 0);
  const game = (mu2: number): Omit<Game, "debited"> => ({
    ...{ epsilon: 1.5, delta: 0.02 },
    steps: parts.map((part) => (mu2 * part) / whole),
  });

  test.each([0.15, 0.3, 0.45])("where the whole column is debited at once, no one gets more than δ: μ² = %d", (mu2) => {
    // The interpolation lies above convex values by less than a hundredth.
    expect(worstCase({ ...game(mu2), debited: mu2 })).toBeLessThanOrEqual(1.01);
  });

  test("where only the first step is debited, an adversary does", () => {
    expect(worstCase({ ...game(0.45), debited: game(0.45).steps[0] ?? 0 })).toBeGreaterThan(1.05);
  });
});
