import type { AnswerCell } from "../answer/cell.ts";
import { clampedNote } from "../answer/clamping-notes.ts";
import type { BoundedStatistic } from "../plan/bounded.ts";
import type { StatisticName } from "../statistics/index.ts";
import { nameOf } from "../statistics/index.ts";
import { truncates } from "./canonical.ts";
import { cellRows, coverOf, type Keeping } from "./cover.ts";
import { curveFrom } from "./curve-of.ts";
import { cellsFrom, type Derived } from "./derived.ts";
import { type Diagram, type Diagrams, NEVER, TooLarge } from "./diagram.ts";
import { cellForms, type Pool } from "./earlier.ts";
import { type Form, halfWidthOf, none, numberOf, sumOf, varianceOf } from "./form.ts";
import { keptBy, partsOf } from "./parts.ts";
import { quantilesFrom } from "./quantiles-of.ts";
import { meanOf } from "./ratio.ts";
import { varianceOfForms } from "./spread-of.ts";
import { topFrom } from "./top-of.ts";
import type { ViewName } from "./views.ts";

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
export const isDerivable = ({ statistic, selection, curve, top, keys }: BoundedStatistic): boolean =>
  top !== null ||
  (keys === null && (rules[statistic as StatisticName] !== undefined || selection !== null || curve !== null));

/** Reads a statistic off its own draws, several of them weighted by their precision. */
export function readPool(pool: Pool, failureProbability: number): readonly AnswerCell[] | null {
  const { statistic } = pool;
  const rule = rules[nameOf(statistic)];
  if (rule === undefined) return null;
  const forms = rule.needs.map((need) => [need, cellForms(pool, need)] as const);
  if (forms.some(([, found]) => found === null)) return null;
  return cellsFrom(statistic, (cell) => {
    const named = Object.fromEntries(forms.map(([need, found]) => [need, found?.[cell] ?? none]));
    return rule.read({ ...nothing, ...named }, statistic, failureProbability);
  });
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
    const from =
      wanted.top !== null
        ? topFrom
        : wanted.curve !== null
          ? curveFrom
          : wanted.selection !== null
            ? quantilesFrom
            : fromSums;
    return from(wanted, pools, diagrams, failureProbability);
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
  const rule = rules[nameOf(wanted)];
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
    const asked = keptBy(wanted, statistic);
    if (asked === "fewer" || need === "own") continue;
    const source = partsOf(pool, need, diagrams);
    if (source === null) continue;
    const cover = coverOf(cells, source.rows, diagrams);
    if (cover === null) continue;
    const added = cover.map((parts) => source.union(parts));
    const variance = Math.max(0, ...added.map(varianceOf));
    // Bounds on rows alone keep equally many rows of a unit, however all of its rows are told apart.
    const all = cells.length === 1 && cover[0]?.length === source.rows.length;
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

function notesOf(wanted: BoundedStatistic, used: readonly Found[]): readonly string[] {
  const notes: string[] = [];
  if (used.some(({ keeping }) => keeping === "others"))
    notes.push("Which rows of a privacy unit counted was decided for the earlier questions.");
  const cellsOf = ({ statistic: { groups, bins, curve } }: Pool): number =>
    groups.length * Math.max(1, curve?.leaves ?? bins.length);
  if (used.some(({ pools, forms }) => pools.some((pool) => forms.length < cellsOf(pool))))
    notes.push("Finer answers were added up; a column declared without other values was taken at the owner's word.");
  if (wanted.lower !== null && wanted.upper !== null && wanted.bins.length === 0)
    notes.push(clampedNote(wanted.lower, wanted.upper));
  return notes;
}
