import { Exact } from "@dosimeter/core";
import { type Answer, addNoise } from "../../answer.ts";
import { boundPlan } from "../../bound.ts";
import type { Declaration } from "../../declaration.ts";
import type { BoundedPlan, BoundedStatistic, Plan } from "../../plan.ts";
import { accuracyOf, declaredRows } from "../../quote.ts";
import { answerBins, statisticOf } from "../../statistics.ts";
import { canPractise, measured } from "./measure.ts";
import { practiceRandom, syntheticTwin } from "./twin.ts";

/** What a plan would have said of invented people: free, repeatable, and about nobody. */
export interface Practice {
  readonly watermark: "SYNTHETIC";
  readonly rows: number;
  readonly runs: number;
  /** The answers of the first run. */
  readonly answers: readonly Answer[];
  readonly statistics: readonly PractisedStatistic[];
  /** Labels of statistics that only a database can measure. */
  readonly leftOut: readonly string[];
}

export interface PractisedStatistic {
  readonly id: string;
  readonly label: string;
  /** What the quote says for so many rows; null where it says nothing. */
  readonly stated: number | null;
  /** The error that this share (the plan's confidence) of all answers of all runs stayed within. */
  readonly observed: number;
  /** Share of answers within what was stated. */
  readonly within: number | null;
  /** Errors of the first answer, one a run, for a picture. */
  readonly errors: readonly number[];
}

/** Larger tables are practised on so many rows, and errors stated for so many. */
export const MOST_TWIN_ROWS = 20_000;

/**
 * Runs a plan on a synthetic twin with the mechanisms of a release, and compares what came out with what the twin holds.
 * Deterministic in the seed. Nothing is read, nothing is charged.
 */
export function practise(
  plan: Plan,
  declaration: Declaration,
  { runs = 200, seed = 1, people }: { readonly runs?: number; readonly seed?: number; readonly people?: number | null },
): Practice {
  const declared = people ?? declaredRows(declaration) ?? 1000;
  const rows = Math.min(declared, MOST_TWIN_ROWS);
  const isSmaller = rows < declared && declaration.size !== undefined && "public" in declaration.size;
  const twinned = isSmaller ? { ...declaration, size: { public: rows } } : declaration;
  const whole = boundPlan(plan, twinned);
  const bounded: BoundedPlan = { ...whole, statistics: whole.statistics.filter(canPractise) };
  const table = syntheticTwin(twinned, rows, seed);
  const exact = bounded.statistics.map((statistic) => measured(statistic, table));
  const random = practiceRandom(seed ^ 0x5eed);
  const drawn = Array.from({ length: runs }, () => addNoise(bounded, new Exact(exact), random));
  return {
    watermark: "SYNTHETIC",
    rows,
    runs,
    answers: drawn[0] ?? [],
    statistics: bounded.statistics.map((statistic, index) =>
      compared(statistic, {
        exact: exact[index] ?? [],
        answers: drawn.map((run) => run[index]).filter((answer) => answer !== undefined),
        confidence: bounded.confidence,
        rows,
      }),
    ),
    leftOut: whole.statistics.filter((statistic) => !canPractise(statistic)).map(({ label }) => label),
  };
}

interface Drawn {
  readonly exact: readonly bigint[];
  readonly answers: readonly Answer[];
  readonly confidence: number;
  readonly rows: number;
}

function compared(statistic: BoundedStatistic, { exact, answers, confidence, rows }: Drawn): PractisedStatistic {
  const off = statistic.selection === null ? valueErrors(statistic, exact) : rankErrors(statistic, exact);
  const errors = answers.map((answer) => answer.cells.map((cell, index) => off(cell.value, index)));
  const all = errors.flat().sort((a, b) => a - b);
  const stated = accuracyOf(statistic, 1 - confidence, rows);
  return {
    id: statistic.id,
    label: statistic.label,
    stated,
    observed: all[Math.max(0, Math.ceil(all.length * confidence) - 1)] ?? 0,
    within: stated === null ? null : all.filter((error) => error <= stated * (1 + 1e-9)).length / all.length,
    errors: errors.map(([first = 0]) => first),
  };
}

type Off = (value: number, cell: number) => number;

/** Distance from the answer that the exact integers give. */
function valueErrors(statistic: BoundedStatistic, exact: readonly bigint[]): Off {
  const { read, width } = statisticOf(statistic.statistic);
  const size = width(statistic);
  return (value, cell) => Math.abs(value - read(exact.slice(cell * size, (cell + 1) * size), statistic, 0.5).value);
}

/** Rows between the chosen value and the quantile asked for. */
function rankErrors(statistic: BoundedStatistic, exact: readonly bigint[]): Off {
  const { selection, ticks } = statistic;
  if (selection === null || ticks === null) throw new RangeError(`${statistic.path} chooses nothing`);
  const { read } = statisticOf(statistic.statistic);
  const targets = Math.max(1, answerBins(statistic).length);
  const leaves = Array.from({ length: selection.leaves }, (_, leaf) => read([BigInt(leaf)], statistic, 0.5).value);
  return (value, cell) => {
    const group = Math.floor(cell / targets);
    const counts = exact.slice(group * selection.leaves, (group + 1) * selection.leaves).map(Number);
    const share = selection.targets[cell % targets]?.share ?? 0.5;
    const below = counts.reduce((sum, count, leaf) => ((leaves[leaf] ?? 0) < value ? sum + count : sum), 0);
    const here = counts[leaves.indexOf(value)] ?? 0;
    const rank = share * counts.reduce((a, b) => a + b, 0);
    return rank < below ? below - rank : rank > below + here ? rank - below - here : 0;
  };
}
