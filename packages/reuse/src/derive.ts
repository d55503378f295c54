import { statedNotes, undeclaredNotes } from "@dosimeter/query/answer";
import { inNoun } from "@dosimeter/query/declaration";
import { type Form, none, sumOf, varianceOf } from "@dosimeter/query/noise";
import { type BoundedStatistic, binsOf, cellsPerGroup, gridOf, rangeOf } from "@dosimeter/query/plan";
import {
  type AnswerCell,
  clampedNote,
  definitionOf,
  type FromSums,
  nothing,
  rowsPerGroup,
  type ViewName,
} from "@dosimeter/query/statistics";
import { truncates } from "./canonical.ts";
import { cellRows, coverOf, type Keeping } from "./cover.ts";
import { curveFrom } from "./curve-of.ts";
import { type Certainty, cellsFrom, type Derived } from "./derived.ts";
import { type Diagram, type Diagrams, NEVER, unlessTooLarge } from "./diagram.ts";
import { cellForms, type Pool } from "./earlier.ts";
import { keptBy, partsOf } from "./parts.ts";
import { quantilesFrom } from "./quantiles-of.ts";
import { restsOn } from "./rests-on.ts";
import { periodParts } from "./series-of.ts";
import { topFrom } from "./top-of.ts";

/** How a statistic that is made of sums of rows follows from them. */
export function fromSumsOf(statistic: BoundedStatistic): FromSums | null {
  const { from } = definitionOf(statistic).reuse;
  return from !== null && typeof from === "object" && "needs" in from ? from : null;
}

/** Whether earlier answers can give such a statistic. */
export function isDerivable(statistic: BoundedStatistic): boolean {
  const { from } = definitionOf(statistic).reuse;
  return from === "top" || (from !== null && statistic.keys === undefined);
}

/** Computes a statistic from its own draws, several of them weighted by their precision. */
export function readPool(pool: Pool, failureProbability: number): readonly AnswerCell[] | null {
  const { statistic } = pool;
  const rule = fromSumsOf(statistic);
  if (rule === null) return null;
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
 * The best answer to a statistic from pools of other statistics: each sum it needs comes from the pool with the least
 * noise, whose cells are added up when they are finer [M143]. Null when no pool has one of the sums.
 */
export function derive(
  wanted: BoundedStatistic,
  pools: readonly Pool[],
  diagrams: Diagrams,
  certainty: Certainty,
): Derived | null {
  return unlessTooLarge(() => {
    const found = madeOf(wanted, pools, diagrams, certainty);
    if (found === null) return null;
    const statistics = [wanted, ...found.from.map(({ statistic }) => statistic)];
    return { ...found, notes: [...found.notes, ...restsOn(statistics, diagrams)] };
  }, null);
}

function madeOf(
  wanted: BoundedStatistic,
  pools: readonly Pool[],
  diagrams: Diagrams,
  certainty: Certainty,
): Derived | null {
  const { task } = wanted;
  switch (task.kind) {
    case "top":
      return topFrom({ ...wanted, task }, pools, diagrams, certainty);
    case "curve":
      return curveFrom({ ...wanted, task }, pools, diagrams, certainty);
    case "choice":
      return quantilesFrom({ ...wanted, task }, pools, diagrams, certainty);
    case "counts":
    case "clips":
    case "cuts":
    case "values":
    case "sums":
    case "totals":
    case "joint":
    case "series":
    case "table":
    case "tables":
      return bySums(wanted, pools, diagrams, certainty);
    default:
      return task satisfies never;
  }
}

/**
 * Why released sums of a column give no answer though its rows were counted: `counts` took rows without a value too [M186]. Null where that is
 * not the reason.
 */
export function whyNoRows(
  wanted: BoundedStatistic,
  { sums, counts }: { readonly sums: readonly Pool[]; readonly counts: readonly Pool[] },
  diagrams: Diagrams,
): string | null {
  const isNear = (pool: Pool): boolean =>
    pool.statistic.groupBy.join("\n") === wanted.groupBy.join("\n") && cellForms(pool, "rows") !== null;
  const near = counts.filter(isNear);
  const needs = fromSumsOf(wanted)?.needs ?? [];
  if (wanted.column === null || near.length === 0 || !needs.includes("rows")) return null;
  const cells = cellRows(wanted, diagrams);
  const found = needs.map((need) => [need, bestFor(need, wanted, cells, sums, diagrams)] as const);
  if (found.some(([need, best]) => (need === "rows") !== (best === null))) return null;
  const had = labelsOf(found.flatMap(([, best]) => best?.pools ?? []));
  const lacks = `the released ${labelsOf(near)} also counts rows without a value`;
  return had === "" ? null : `${had} would give it with a count of the values of ${wanted.column}: ${lacks}.`;
}

/** The names of answers, each once. */
export const labelsOf = (pools: readonly Pool[]): string =>
  [...new Set(pools.map(({ statistic }) => `“${statistic.label}”`))].join(" and ");

function bySums(
  wanted: BoundedStatistic,
  pools: readonly Pool[],
  diagrams: Diagrams,
  { failureProbability, rows }: Certainty,
): Derived | null {
  const rule = fromSumsOf(wanted);
  if (rule === null) return null;
  const cells = cellRows(wanted, diagrams);
  const found = new Map<ViewName, Found>();
  for (const need of rule.needs) {
    const best = bestFor(need, wanted, cells, pools, diagrams);
    if (best === null) return null;
    found.set(need, best);
  }
  const used = [...found.values()];
  const each = rowsPerGroup(wanted, rows) ?? rows;
  let expected = 0;
  const read = cellsFrom(wanted, (cell) => {
    const named = Object.fromEntries([...found].map(([need, { forms }]) => [need, forms[cell] ?? none]));
    const forms = { ...nothing, ...named };
    expected = Math.max(expected, rule.expected(forms, wanted, failureProbability, each));
    return rule.read(forms, wanted, failureProbability);
  });
  const from = [...new Set(used.flatMap(({ pools }) => pools))];
  return { from, cells: read, notes: notesOf(wanted, used), expected };
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
    const source = partsOf(pool, need, diagrams) ?? periodParts(pool, need, diagrams);
    if (source === null) continue;
    const cover = coverOf(cells, source.rows, diagrams);
    if (cover === null) continue;
    const added = cover.map((parts) => source.union(parts));
    const variance = Math.max(0, ...added.map(varianceOf));
    // A bound on rows alone keeps the same number of a unit's rows for every division into cells that covers all its
    // rows.
    const all = cells.length === 1 && cover[0]?.length === source.rows.length;
    const keeping = asked === "others" && need === "rows" && all ? "same" : asked;
    if (best === null || variance < best.variance) best = { pools: [pool], forms: added, keeping, variance };
  }
  return best ?? (cells.length === 1 ? fromPair(need, wanted, cells[0] ?? 0, pools, diagrams) : null);
}

/** At most this number of cells of all pools are tried in pairs. */
const MAX_SINGLES = 60;

/** A difference of a set and a subset, or a sum of two disjoint sets, when the bounds keep all rows. */
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
    .slice(0, MAX_SINGLES);
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

/** Whether both clamp and round values alike: only then are their sums the same. */
export function sameScale(a: BoundedStatistic, b: BoundedStatistic): boolean {
  const [x, y] = [gridOf(a), gridOf(b)];
  return (
    a.column === b.column &&
    x !== undefined &&
    y !== undefined &&
    x.first === y.first &&
    x.steps === y.steps &&
    x.step.numerator === y.step.numerator &&
    x.step.denominator === y.step.denominator
  );
}

function notesOf(wanted: BoundedStatistic, used: readonly Found[]): readonly string[] {
  const notes: string[] = [...undeclaredNotes(wanted), ...statedNotes(wanted)];
  if (used.some(({ keeping }) => keeping === "others"))
    notes.push(
      inNoun(
        "A person with many rows counts with the rows chosen for the earlier answers; they were not chosen again.",
        wanted.noun,
      ),
    );
  const isFiner = ({ statistic }: Pool, cells: number): boolean =>
    cells < statistic.groups.length * cellsPerGroup(statistic);
  if (used.some(({ pools, forms }) => pools.some((pool) => isFiner(pool, forms.length))))
    notes.push("Finer answers were added up.");
  const range = binsOf(wanted).length > 0 ? undefined : rangeOf(wanted);
  if (range !== undefined) notes.push(clampedNote(range));
  return notes;
}
