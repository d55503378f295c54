import type { BoundedStatistic } from "../plan/bounded.ts";
import { curveHalfWidth } from "../statistics/curve/cdf.ts";
import { formOf } from "../statistics/joint/design.ts";
import { squareForms } from "../statistics/moments/variance.ts";
import type { AnswerCell } from "./cell.ts";

/** Share of a range, or of the rows, from which on what lies at a bound is worth a note. */
const NEAR = 0.05;

/** Where the middle of the rows lies between the bounds of a column: 0 is the lower, 1 the upper one. */
interface Place {
  readonly column: string | null;
  readonly lower: number;
  readonly upper: number;
  readonly at: number;
}

/**
 * Whether clamping or bounding may have changed an answer more than the noise did. Free: said of what is released anyway, of
 * the answers themselves and of what else their integers tell; so a note may be missing, and may be due to noise.
 */
export function clampingNotes(
  statistic: BoundedStatistic,
  cells: readonly AnswerCell[],
  failureProbability: number,
): readonly string[] {
  // A line that cannot be told may be just what clamping made of it: there are rows enough to say so.
  const reliable = cells.filter((cell) =>
    statistic.design === null ? cell.unreliable !== true : (cell.rows?.interval[0] ?? 0) > 0,
  );
  const notes = [
    ...reliable.flatMap((cell) => placesOf(statistic, cell)).flatMap(nearMean),
    ...reliable.flatMap((cell) => atEnds(statistic, cell)),
    ...byGroup(statistic, cells).flatMap((group) => [
      ...massAtEnds(statistic, group, failureProbability),
      ...lost(statistic, group),
    ]),
  ];
  return [...new Set(notes)];
}

const shown = new Intl.NumberFormat("en-US", { useGrouping: "min2", maximumFractionDigits: 20 });
/** A bound for people: thousands grouped from five digits on, a true minus. */
export const boundText = (bound: number): string => shown.format(bound).replace("-", "\u2212");

/** What clamping does to every answer between bounds. */
export const clampedNote = (lower: number, upper: number): string =>
  `Values outside ${boundText(lower)} to ${boundText(upper)} were counted as the nearer bound; the interval does not cover what that changed.`;

const dot = (weights: readonly number[], integers: readonly string[]): number =>
  weights.reduce((sum, weight, at) => sum + weight * Number(integers[at] ?? 0), 0);

/** Means that the released integers hold, whatever the answer is. */
function placesOf(statistic: BoundedStatistic, { value, noisy }: AnswerCell): readonly Place[] {
  const { design, column, lower, upper, publicRows } = statistic;
  if (design !== null) {
    const one = design.axes.map(() => 0);
    const rows = dot(formOf(design, one), noisy);
    return design.axes.map((axis, at) => ({
      ...axis,
      at: (1 + dot(formOf(design, one.with(at, 1)), noisy) / rows) / 2,
    }));
  }
  if (lower === null || upper === null) return [];
  const place = (at: number): readonly Place[] => [{ column, lower, upper, at }];
  switch (statistic.statistic) {
    case "mean":
      return place((value - lower) / (upper - lower));
    case "sum":
      return publicRows === null ? [] : place((value / publicRows - lower) / (upper - lower));
    case "variance":
    case "standardDeviation": {
      const { one, y } = squareForms(statistic);
      return place(dot(y, noisy) / dot(one, noisy));
    }
    default:
      return [];
  }
}

const nearMean = ({ lower, upper, at, column }: Place): readonly string[] => {
  const bound = at < NEAR ? lower : at > 1 - NEAR ? upper : null;
  if (bound === null) return [];
  return [
    `Most values of ${column ?? "an answer"} lie near ${boundText(bound)}: if many lie beyond it, clamping changed the answer more than the noise did. clippedValues counts them.`,
  ];
};

/** A chosen value in the first or the last leaf. */
function atEnds({ selection, lower, upper }: BoundedStatistic, { noisy }: AnswerCell): readonly string[] {
  if (selection === null || selection.leaves < 2) return [];
  const leaf = Number(noisy[0] ?? -1);
  const bound = leaf === 0 ? lower : leaf === selection.leaves - 1 ? upper : null;
  if (bound === null) return [];
  return [
    `An answer lies at the bound ${boundText(bound)}: values beyond it were counted as it, so the true one may lie further out. clippedValues counts them.`,
  ];
}

function byGroup({ curve, bins }: BoundedStatistic, cells: readonly AnswerCell[]): readonly (readonly AnswerCell[])[] {
  const size = curve?.leaves ?? bins.length;
  if (size === 0) return [];
  return Array.from({ length: cells.length / size }, (_, at) => cells.slice(at * size, (at + 1) * size));
}

/** A curve that jumps at one of its ends by more than a step of many should. */
function massAtEnds(
  statistic: BoundedStatistic,
  cells: readonly AnswerCell[],
  failureProbability: number,
): readonly string[] {
  const { curve, lower, upper } = statistic;
  const rows = cells.at(-1)?.value ?? 0;
  if (curve === null || lower === null || upper === null || curve.leaves < 2 / NEAR || !(rows > 0)) return [];
  const off = curveHalfWidth(statistic, failureProbability);
  const jumps = [
    [lower, (cells[0]?.value ?? 0) - off],
    [upper, rows - (cells.at(-2)?.value ?? 0) - 2 * off],
  ] as const;
  return jumps
    .filter(([, mass]) => mass > NEAR * rows)
    .map(
      ([bound]) =>
        `Many rows lie at the bound ${boundText(bound)}, which also holds all values beyond it: what lies further out cannot be told.`,
    );
}

/** What was paid to know: values outside the bounds, people with rows left out. */
function lost({ statistic, column }: BoundedStatistic, cells: readonly AnswerCell[]): readonly string[] {
  if (statistic !== "clippedValues" && statistic !== "cutUnits") return [];
  const kept = statistic === "clippedValues" ? "within" : "kept";
  const out = cells.filter(({ bin }) => bin !== undefined && "value" in bin && bin.value !== kept);
  const all = cells.reduce((sum, { value }) => sum + Math.max(0, value), 0);
  if (!out.some(({ interval: [least] }) => least > NEAR * all)) return [];
  return [
    statistic === "clippedValues"
      ? `More than one value of ${column} in twenty lies outside the bounds: clamping may change sums and means more than the noise does.`
      : "More than one person in twenty has rows that do not count: bounding may change answers more than the noise does.",
  ];
}
