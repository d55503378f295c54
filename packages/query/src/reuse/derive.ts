import type { AnswerCell } from "../answer.ts";
import type { BoundedStatistic } from "../plan.ts";
import { answerBins, type StatisticName } from "../statistics.ts";
import { truncates } from "./canonical.ts";
import { cellRows, coverOf, type Keeping, keepingOf } from "./cover.ts";
import { type Diagram, type Diagrams, NEVER, TooLarge } from "./diagram.ts";
import { cellForms, type Pool } from "./earlier.ts";
import { type Form, halfWidthOf, numberOf, sumOf, varianceOf } from "./form.ts";
import { meanOf } from "./ratio.ts";
import { quantileOf } from "./share-of.ts";
import { varianceOfForms } from "./spread-of.ts";
import type { ViewName } from "./views.ts";

/** An answer that was worked out from earlier ones. */
export interface Derived {
  readonly from: readonly Pool[];
  readonly cells: readonly AnswerCell[];
  readonly notes: readonly string[];
}

/** One row of the table: which sums a statistic is made of, and how its answer is read off them. */
export interface Rule {
  readonly needs: readonly ViewName[];
  read(forms: Readonly<Record<ViewName, Form>>, statistic: BoundedStatistic, failureProbability: number): Reading;
}

type Reading = Pick<AnswerCell, "value" | "interval" | "rows" | "unreliable">;

const total: Rule = {
  needs: ["sum"],
  read: ({ sum }, _, failureProbability) => {
    const [value, half] = [numberOf(sum), halfWidthOf(sum, failureProbability)];
    return { value, interval: [value - half, value + half] };
  },
};

export const none: Form = { offset: 0, terms: [] };
export const nothing: Readonly<Record<ViewName, Form>> = { rows: none, sum: none, squares: none, own: none };
const rangeOf = ({ lower, upper }: BoundedStatistic): readonly [number, number] => [lower ?? 0, upper ?? 0];

const counted: Rule = {
  needs: ["rows"],
  read: ({ rows }, _, failureProbability) => {
    const [value, half] = [numberOf(rows), halfWidthOf(rows, failureProbability)];
    return { value, interval: [Math.max(0, value - half), Math.max(0, value + half)] };
  },
};

const spreadRule = (scaled: (variance: number, range: number) => number): Rule => ({
  needs: ["rows", "sum", "squares"],
  read: ({ rows, sum, squares }, statistic, failureProbability) => {
    const [lower, upper] = rangeOf(statistic);
    const range = upper - lower;
    const y = sumOf([
      [1 / range, sum],
      [-lower / range, rows],
    ]);
    const { value, interval, reliable } = varianceOfForms(rows, y, squares, failureProbability);
    return {
      value: scaled(value, range),
      interval: [scaled(interval[0], range), scaled(interval[1], range)],
      rows: counted.read({ ...nothing, rows }, statistic, failureProbability),
      ...(reliable ? {} : { unreliable: true }),
    };
  },
});

/** What can be worked out from sums of rows; a new statistic that is made of them is one more line. */
export const rules: Readonly<Partial<Record<StatisticName, Rule>>> = {
  count: counted,
  histogram: counted,
  sum: total,
  distinctUnits: { needs: ["own"], read: ({ own }, ...rest) => counted.read({ ...nothing, rows: own }, ...rest) },
  unitSum: { needs: ["own"], read: ({ own }, ...rest) => total.read({ ...nothing, sum: own }, ...rest) },
  mean: {
    needs: ["sum", "rows"],
    read: ({ sum, rows }, statistic, failureProbability) => {
      const read = meanOf(sum, rows, rangeOf(statistic), failureProbability);
      return {
        value: read.value,
        interval: [...read.interval],
        rows: counted.read({ ...nothing, rows }, statistic, failureProbability),
        ...(read.reliable ? {} : { unreliable: true }),
      };
    },
  },
  variance: spreadRule((variance, range) => variance * range * range),
  standardDeviation: spreadRule((variance, range) => Math.sqrt(variance) * range),
};

/** Whether anything can be worked out for such a statistic. */
export const isDerivable = ({ statistic, selection }: BoundedStatistic): boolean =>
  rules[statistic] !== undefined || (selection !== null && !selection.extreme && selection.targets.length > 0);

/** Reads a statistic off its own draws, several of them weighted by their precision. */
export function readPool(pool: Pool, failureProbability: number): readonly AnswerCell[] | null {
  const { statistic } = pool;
  const rule = rules[statistic.statistic];
  if (rule === undefined) return null;
  const forms = rule.needs.map((need) => [need, cellForms(pool, need)] as const);
  if (forms.some(([, found]) => found === null)) return null;
  return cellsFrom(statistic, (cell) => {
    const named = Object.fromEntries(forms.map(([need, found]) => [need, found?.[cell] ?? none]));
    return rule.read({ ...nothing, ...named }, statistic, failureProbability);
  });
}

export function cellsFrom(
  statistic: BoundedStatistic,
  read: (cell: number) => Omit<AnswerCell, "group" | "bin" | "noisy">,
): readonly AnswerCell[] {
  const given = answerBins(statistic);
  const bins = given.length === 0 ? [null] : given;
  return statistic.groups.flatMap((group, groupIndex) =>
    bins.map((bin, binIndex) => ({
      group,
      ...(bin === null ? {} : { bin }),
      ...read(groupIndex * bins.length + binIndex),
      noisy: [],
    })),
  );
}

/** The forms of each wanted cell under one view, from the most accurate pool whose cells make them up. */
interface Found {
  readonly pools: readonly Pool[];
  readonly forms: readonly Form[];
  readonly keeping: Keeping;
  readonly variance: number;
}

/**
 * The best answer that the pools give to a statistic they may never have been asked: each needed sum from the pool with the
 * least noise, its cells added up where they are finer [M143]. Null where some sum is not to be had.
 */
export function derive(
  wanted: BoundedStatistic,
  pools: readonly Pool[],
  diagrams: Diagrams,
  failureProbability: number,
): Derived | null {
  try {
    return wanted.selection !== null
      ? quantilesFrom(wanted, pools, diagrams, failureProbability)
      : fromSums(wanted, pools, diagrams, failureProbability);
  } catch (error) {
    if (error instanceof TooLarge) return null;
    throw error;
  }
}

function fromSums(
  wanted: BoundedStatistic,
  pools: readonly Pool[],
  diagrams: Diagrams,
  failureProbability: number,
): Derived | null {
  const rule = rules[wanted.statistic];
  if (rule === undefined || (wanted.publicRows !== null && wanted.statistic !== "sum" && wanted.statistic !== "mean"))
    return null;
  const cells = cellRows(wanted, diagrams);
  const found = new Map<ViewName, Found>();
  for (const need of rule.needs) {
    const best = bestFor(need, wanted, cells, pools, diagrams);
    if (best === null) return null;
    found.set(need, best);
  }
  const used = [...found.values()];
  const read = cellsFrom(wanted, (cell) => {
    const named = Object.fromEntries([...found].map(([need, { forms }]) => [need, forms[cell] ?? none]));
    return rule.read({ ...nothing, ...named }, wanted, failureProbability);
  });
  return { from: [...new Set(used.flatMap(({ pools }) => pools))], cells: read, notes: notesOf(wanted, used) };
}

function bestFor(
  need: ViewName,
  wanted: BoundedStatistic,
  cells: readonly number[],
  pools: readonly Pool[],
  diagrams: Diagrams,
): Found | null {
  let best: Found | null = null;
  for (const pool of pools) {
    const { statistic } = pool;
    if (need !== "rows" && !sameScale(wanted, statistic)) continue;
    const asked = keepingOf(wanted, statistic);
    if (asked === "fewer" || need === "own") continue;
    const forms = cellForms(pool, need);
    if (forms === null) continue;
    const cover = coverOf(cells, cellRows(statistic, diagrams), diagrams);
    if (cover === null) continue;
    const added = cover.map((parts) =>
      parts.length === 1 ? (forms[parts[0] ?? 0] ?? none) : sumOf(parts.map((part) => [1, forms[part] ?? none])),
    );
    const variance = Math.max(0, ...added.map(varianceOf));
    // Bounds on rows alone keep equally many rows of a unit, however all of its rows are told apart.
    const all = cells.length === 1 && cover[0]?.length === forms.length;
    const keeping = asked === "others" && need === "rows" && all ? "same" : asked;
    if (best === null || variance < best.variance) best = { pools: [pool], forms: added, keeping, variance };
  }
  return best ?? (cells.length === 1 ? fromPair(need, wanted, cells[0] ?? 0, pools, diagrams) : null);
}

/** Cells of all pools that are tried two by two. */
const MOST_SINGLES = 60;

/** One set less another inside it, or two apart from each other: a difference or a sum of two cells, kept rows being all rows. */
function fromPair(
  need: ViewName,
  wanted: BoundedStatistic,
  rows: Diagram,
  pools: readonly Pool[],
  diagrams: Diagrams,
): Found | null {
  const singles = pools
    .filter(({ statistic }) => !truncates(statistic) && (need === "rows" || sameScale(wanted, statistic)))
    .flatMap((pool) => {
      const forms = need === "own" ? null : cellForms(pool, need);
      const held = forms === null ? [] : cellRows(pool.statistic, diagrams);
      return held.map((at, cell) => ({ pool, rows: at, form: forms?.[cell] ?? none }));
    })
    .slice(0, MOST_SINGLES);
  let best: Found | null = null;
  for (const a of singles)
    for (const b of singles) {
      if (a === b) continue;
      const apart = diagrams.and(a.rows, b.rows);
      const sign =
        apart === b.rows && diagrams.and(a.rows, diagrams.not(b.rows)) === rows
          ? -1
          : apart === NEVER && diagrams.or(a.rows, b.rows) === rows
            ? 1
            : 0;
      if (sign === 0 || b.rows === NEVER) continue;
      const form = sumOf([
        [1, a.form],
        [sign, b.form],
      ]);
      const variance = varianceOf(form);
      if (best === null || variance < best.variance)
        best = { pools: [a.pool, b.pool], forms: [form], keeping: "same", variance };
    }
  return best;
}

/** Values clamped and put on the same grid: only then is a sum the same sum. */
const sameScale = (a: BoundedStatistic, b: BoundedStatistic): boolean =>
  a.column === b.column &&
  a.ticks !== null &&
  b.ticks !== null &&
  a.ticks.first === b.ticks.first &&
  a.ticks.steps === b.ticks.steps &&
  a.ticks.step.numerator === b.ticks.step.numerator &&
  a.ticks.step.denominator === b.ticks.step.denominator;

/** Quantiles of a column whose bins were counted, group by group. */
function quantilesFrom(
  wanted: BoundedStatistic,
  pools: readonly Pool[],
  diagrams: Diagrams,
  failureProbability: number,
): Derived | null {
  const { selection, column } = wanted;
  if (selection === null) return null;
  const cells = cellRows({ ...wanted, selection: null, bins: [] }, diagrams);
  let best: (Derived & { readonly width: number }) | null = null;
  for (const pool of pools) {
    const { statistic } = pool;
    const edges = edgesOf(statistic, wanted);
    if (statistic.column !== column || edges === null || keepingOf(wanted, { ...statistic, bins: [] }) !== "same")
      continue;
    const groups = { ...statistic, bins: [] };
    const cover = coverOf(cells, cellRows(groups, diagrams), diagrams);
    const forms = cellForms(pool, "rows");
    if (cover === null || forms === null || cover.some((parts) => parts.length !== 1)) continue;
    const bins = statistic.bins.length;
    const answers = selection.targets.length;
    const read = cellsFrom(wanted, (cell) => {
      const group = cover[Math.floor(cell / answers)]?.[0] ?? 0;
      const share = selection.targets[cell % answers]?.share ?? 0;
      const { value, interval, rank, reliable } = quantileOf(
        forms.slice(group * bins, (group + 1) * bins),
        edges,
        share,
        failureProbability,
      );
      return { value, interval: [...interval], rank, ...(reliable ? {} : { unreliable: true as const }) };
    });
    const width = Math.max(...read.map(({ interval: [from, to] }) => to - from));
    if (best === null || width < best.width)
      best = {
        from: [pool],
        cells: read,
        notes: ["Read off the counts of bins: the interval is in whole bins."],
        width,
      };
  }
  return best;
}

/** The edges of the bins of a numeric column, the outer ones at its bounds; null where there are none. */
function edgesOf({ bins, statistic }: BoundedStatistic, { lower, upper }: BoundedStatistic): readonly number[] | null {
  if (statistic !== "histogram" || bins.length < 2) return null;
  const starts = bins.map((bin) => ("lower" in bin ? bin.lower : Number.NaN));
  if (starts.some(Number.isNaN) || lower === null || upper === null) return null;
  const inner = starts.slice(1).map((edge) => Math.min(upper, Math.max(lower, edge)));
  return [lower, ...inner, upper];
}

function notesOf(wanted: BoundedStatistic, used: readonly Found[]): readonly string[] {
  const notes: string[] = [];
  if (used.some(({ keeping }) => keeping === "others"))
    notes.push("Which rows of a privacy unit counted was decided for the earlier questions.");
  const cellsOf = ({ statistic }: Pool): number => statistic.groups.length * Math.max(1, statistic.bins.length);
  if (used.some(({ pools, forms }) => pools.some((pool) => forms.length < cellsOf(pool))))
    notes.push("Finer answers were added up; a column declared without other values was taken at the owner's word.");
  if (wanted.lower !== null && wanted.upper !== null && wanted.bins.length === 0)
    notes.push(
      `Values outside ${wanted.lower} to ${wanted.upper} were counted as the nearer bound; the interval does not cover what that changed.`,
    );
  return notes;
}
