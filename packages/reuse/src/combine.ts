import { type Form, halfWidthOf, numberOf, sumOf } from "@dosimeter/query/noise";
import { periodsOf } from "@dosimeter/query/plan";
import { fromSumsOf } from "./derive.ts";
import { cellForms, type Earlier, poolOf } from "./earlier.ts";
import { leavesForm, treeOf } from "./leaves.ts";
import { totalForm } from "./series-of.ts";

const operations = ["sum", "difference", "ratio"] as const;
export type Operation = (typeof operations)[number];

export interface Picked {
  readonly source: Earlier;
  readonly cell: number;
}

export interface Combined {
  readonly value: number;
  /** Null at an end without a bound, since the divisor may be zero. */
  readonly interval: readonly [number | null, number | null];
  readonly confidence: number;
}

/**
 * a + b, a − b or a / b of two released cells, for free. Cells that are sums keep their exact noise, which cancels where both
 * come from one draw; otherwise both intervals are taken together and share the failure probability [M148]. So are those of two reports that go on, as one may have the
 * other's noise [M209].
 */
export function combined(operation: Operation, a: Picked, b: Picked, confidence: number): Combined {
  const [left, right] = [formOf(a), formOf(b)];
  const failureProbability = 1 - confidence;
  const goOn = [a, b].every(({ source }) => periodsOf(source.statistic) !== null);
  const mayShare = goOn && a.source.origin.release !== b.source.origin.release;
  if (left !== null && right !== null && operation !== "ratio" && !mayShare) {
    const form = sumOf([
      [1, left],
      [operation === "sum" ? 1 : -1, right],
    ]);
    const [value, half] = [numberOf(form), halfWidthOf(form, failureProbability)];
    return { value, interval: [value - half, value + half], confidence };
  }
  const [x, y] = [endsOf(a, failureProbability / 2), endsOf(b, failureProbability / 2)];
  const stated = Math.max(0, 1 - x.failureProbability - y.failureProbability);
  switch (operation) {
    case "sum":
      return { value: x.value + y.value, interval: [x.from + y.from, x.to + y.to], confidence: stated };
    case "difference":
      return { value: x.value - y.value, interval: [x.from - y.to, x.to - y.from], confidence: stated };
    case "ratio": {
      if (y.from <= 0 && y.to >= 0)
        return { value: x.value / y.value || 0, interval: [null, null], confidence: stated };
      const ends = [x.from / y.from, x.from / y.to, x.to / y.from, x.to / y.to];
      return { value: x.value / y.value, interval: [Math.min(...ends), Math.max(...ends)], confidence: stated };
    }
  }
}

function formOf({ source, cell }: Picked): Form | null {
  const { statistic } = source;
  // The integers describe the sample; only the answer describes all rows.
  if (statistic.sampling !== undefined) return null;
  const tree = treeOf(poolOf(source));
  if (tree !== null) {
    const { leaves } = tree.statistic.task;
    const upTo = Array.from({ length: (cell % leaves) + 1 }, (_, leaf) => leaf);
    return leavesForm(tree, Math.floor(cell / leaves), upTo);
  }
  const total = totalForm(poolOf(source), cell);
  if (total !== null) return total;
  const needs = fromSumsOf(statistic)?.needs ?? [];
  const single = needs.length === 1 ? needs[0] : undefined;
  return cellForms(poolOf(source), single ?? "own")?.[cell] ?? null;
}

interface Ends {
  readonly value: number;
  readonly from: number;
  readonly to: number;
  readonly failureProbability: number;
}

function endsOf(picked: Picked, failureProbability: number): Ends {
  const form = formOf(picked);
  if (form !== null) {
    const [value, half] = [numberOf(form), halfWidthOf(form, failureProbability)];
    return { value, from: value - half, to: value + half, failureProbability };
  }
  const { answer } = picked.source;
  const cell = (answer.raw ?? answer.cells)[picked.cell];
  if (cell === undefined) throw new RangeError("the answer has that cell");
  const [from, to] = cell.interval;
  return { value: cell.value, from, to, failureProbability: 1 - answer.confidence };
}
