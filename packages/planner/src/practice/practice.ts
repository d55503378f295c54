import { Exact } from "@dosimeter/core";
import { type Answer, addNoise } from "@dosimeter/query/answer";
import { boundPlan, planOverAll } from "@dosimeter/query/bind";
import type { Declaration } from "@dosimeter/query/declaration";
import type { BoundedStatistic, GroupKey, MeasuredVector } from "@dosimeter/query/plan";
import { accuracyOf, answerBins, declaredRows, definitionOf, type Off, type Plan } from "@dosimeter/query/statistics";
import { measured } from "./measure.ts";
import { practiceData, practiceRandom } from "./practice-data.ts";

/** Each group with its own integers, without the number of its units. */
function groupsOf(
  statistic: BoundedStatistic,
  vector: MeasuredVector,
): readonly { readonly group: GroupKey; readonly integers: readonly bigint[] }[] {
  const { keys, groups } = statistic;
  if (keys !== undefined)
    return (vector.found ?? []).map((name, at) => ({
      group: { [keys.column]: name },
      integers: vector.cellsOf?.(at) ?? vector.slice(at, at + 1),
    }));
  const size = vector.length / Math.max(1, groups.length);
  return groups.map((group, at) => ({ group, integers: vector.slice(at * size, (at + 1) * size) }));
}

interface ExactCell {
  readonly value: number;
  readonly group?: GroupKey;
}

/** Cells that the exact integers of one group give, in the order of an answer's cells. */
function exactCells(statistic: BoundedStatistic, integers: readonly bigint[]): readonly ExactCell[] {
  const { cells, noised, read, width } = definitionOf(statistic);
  if (cells !== undefined) return [...cells(noised?.(integers, statistic.task) ?? integers, statistic, 0.5)];
  const size = width(statistic.task);
  return Array.from({ length: Math.max(1, answerBins(statistic).length) }, (_, at) =>
    read(integers.slice(at * size, (at + 1) * size), statistic, 0.5),
  );
}

/** The answers that the exact integers give, in the order of an answer's cells, by the JSON of their group. */
export function exactAnswers(
  statistic: BoundedStatistic,
  vector: MeasuredVector,
): ReadonlyMap<string, readonly number[]> {
  const all = groupsOf(statistic, vector).flatMap(({ group, integers }) =>
    exactCells(statistic, integers).map((cell) => ({ value: cell.value, name: JSON.stringify(cell.group ?? group) })),
  );
  return new Map(
    [...Map.groupBy(all, ({ name }) => name)].map(([name, cells]) => [name, cells.map(({ value }) => value)]),
  );
}

/** The distance of each cell from the answer that the exact integers give, or the statistic's own measure of error. */
export function errorsOf(statistic: BoundedStatistic, vector: MeasuredVector): Off {
  const exact = new Map(groupsOf(statistic, vector).map(({ group, integers }) => [JSON.stringify(group), integers]));
  const own = definitionOf(statistic).missed?.(statistic, exact) ?? null;
  if (own !== null) return own;
  const known = exactAnswers(statistic, vector);
  return ({ group, value }, place) => Math.abs(value - (known.get(JSON.stringify(group))?.[place] ?? 0));
}

/** The answers of a plan on synthetic rows: free and repeatable. */
export interface Practice {
  readonly watermark: "SYNTHETIC";
  readonly rows: number;
  readonly runs: number;
  /** The answers of the first run. */
  readonly answers: readonly Answer[];
  readonly statistics: readonly PractisedStatistic[];
}

interface PractisedStatistic {
  readonly id: string;
  readonly label: string;
  /** The quoted error for this number of rows; null where there is none. */
  readonly stated: number | null;
  /** A further assumption of the quote, which the practice data may not meet; null for none. */
  readonly assumes: string | null;
  /** A share of all answers of all runs, the plan's confidence, has at most this error. */
  readonly observed: number;
  readonly within: number | null;
  /** Errors of the first answer, one for each run, for a chart. */
  readonly errors: readonly number[];
}

/** Practice data has at most this number of rows, and errors are stated for the number it has. */
const MAX_PRACTICE_ROWS = 20_000;

/**
 * Runs a plan on practice data with the mechanisms of a release and compares the answers with the exact ones.
 * Deterministic in the seed. It reads no real data and charges nothing.
 */
export function practise(
  plan: Plan,
  declaration: Declaration,
  { runs = 200, seed = 1, people }: { readonly runs?: number; readonly seed?: number; readonly people?: number | null },
): Practice {
  const declared = people ?? declaredRows(declaration) ?? 1000;
  const rows = Math.min(declared, MAX_PRACTICE_ROWS);
  const isSmaller = rows < declared && declaration.size !== undefined && "public" in declaration.size;
  const declaredForPractice = isSmaller ? { ...declaration, size: { public: rows } } : declaration;
  const bounded = boundPlan(planOverAll(plan, declaredForPractice), declaredForPractice);
  const table = practiceData(bounded.declaration, rows, seed);
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
  };
}

interface Drawn {
  readonly exact: MeasuredVector;
  readonly answers: readonly Answer[];
  readonly confidence: number;
  readonly rows: number;
}

function compared(statistic: BoundedStatistic, { exact, answers, confidence, rows }: Drawn): PractisedStatistic {
  const off = errorsOf(statistic, exact);
  const errors = answers.map(({ cells }) => {
    const places = new Map<string, number>();
    return cells.map((cell) => {
      const group = JSON.stringify(cell.group);
      const place = places.get(group) ?? 0;
      places.set(group, place + 1);
      return off(cell, place);
    });
  });
  const all = errors.flat().sort((a, b) => a - b);
  const stated = accuracyOf(statistic, 1 - confidence, rows);
  return {
    id: statistic.id,
    label: statistic.label,
    stated,
    assumes: definitionOf(statistic).assuming ?? null,
    observed: all[Math.max(0, Math.ceil(all.length * confidence) - 1)] ?? 0,
    within: stated === null ? null : all.filter((error) => error <= stated * (1 + 1e-9)).length / all.length,
    errors: errors.map(([first = 0]) => first),
  };
}
