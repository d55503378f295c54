import type { Declaration, Join } from "@dosimeter/query/declaration";
import { withDerived } from "@dosimeter/query/expression";
import { joinRequest, withJoin } from "@dosimeter/query/join";
import { type BoundedStatistic, binsOf, gridOf, planText, publicRowsOf, rangeOf, sha256 } from "@dosimeter/query/plan";
import { definitionOf } from "@dosimeter/query/statistics";
import { type Diagrams, diagramsOf, unlessTooLarge } from "./diagram.ts";

/** The data that a statistic is about: another version is other data. */
export interface About {
  readonly dataset: string;
  readonly version: number;
  readonly declaration: Declaration;
  /** Versions that brought rows of one block, or closed blocks, and changed nothing else, where the population has blocks. */
  readonly appends?: readonly Append[];
}

/** A version that was made by appending rows of this block; null: it brought none, and closed blocks. */
export interface Append {
  readonly version: number;
  readonly block: number | null;
  /** The calendar got a later end, so that the dates of blocks have other bounds. */
  readonly isLonger: boolean;
}

/** The last version in which the rows of this window, or what a question means, may have changed. [M167] */
function rowsVersion({ version, declaration, appends = [] }: About, statistic: BoundedStatistic): number {
  const { window } = statistic;
  if (window === undefined || appends.length === 0) return version;
  const brought = new Map(appends.map((append) => [append.version, append]));
  // Wherever it may name the column, which formulas do within their text; one that only looks like it is about its own version.
  const readsDates =
    statistic.derived !== undefined || planText(statistic).includes(JSON.stringify(declaration.blocks?.column));
  const isElsewhere = (at: number): boolean => {
    const append = brought.get(at);
    if (append === undefined || (append.isLonger && readsDates)) return false;
    const { block } = append;
    return block === null || window.every(({ from, to }) => block < from || block > to);
  };
  let last = version;
  while (isElsewhere(last)) last -= 1;
  return last;
}

/** Texts whose hashes name a statistic: equal `key`, equal exact answer on every table; `scope`: the rows it is about [M141]. */
export interface Canonical {
  readonly key: string;
  readonly scope: string;
  /** Scopes of wider rows, one or two filtered columns given up: where a grouped answer may hold this one in its cells. */
  readonly wider: readonly string[];
}

/** What the exact answer depends on in a task; what is absent is not written. */
function taskFields({ task }: BoundedStatistic): object {
  const read = { bins: binsOf({ task }), ticks: gridOf({ task }), range: rangeOf({ task }) };
  switch (task.kind) {
    case "counts":
    case "clips":
      return read;
    case "cuts":
      return { ...read, mostRows: task.mostRows };
    case "values":
      return { ...read, valuesPerUnit: task.perUnit, textValues: task.isText };
    case "sums":
      return { ...read, publicRows: task.publicRows };
    case "totals":
      return { ...read, unitTicks: task.unitTicks };
    case "choice": {
      const { leaves, ticksPerLeaf, targets, denominator, extreme } = task;
      return { ...read, leaves, ticksPerLeaf, targets, denominator, extreme };
    }
    case "curve": {
      const { leaves, ticksPerLeaf, shape } = task;
      return { ...read, leaves, ticksPerLeaf, shape };
    }
    case "series": {
      // The integers of one that goes on are of several versions of the rows: another question.
      const { factor, over, horizon } = task;
      return { ...read, factor, over, horizon };
    }
    case "top": {
      const { k, chosen, perChoice } = task;
      return { ...read, k, chosen, perChoice };
    }
    case "joint":
      return { ...read, design: task.design };
    case "table": {
      // Weights and what is impossible change what is released of the same counts.
      const { columns, pairs, weights, impossible } = task;
      return {
        ...read,
        columns,
        pairs,
        weights,
        impossible: impossible?.map(({ columns, cells }) => ({ columns, cells })),
      };
    }
    case "tables": {
      const { columns, asked, parts, isResidual, impossible, isWhole } = task;
      const never = impossible?.map(({ columns, cells }) => ({ columns, cells }));
      return { ...read, columns, asked, parts, isResidual, impossible: never, isWhole };
    }
    default:
      return task satisfies never;
  }
}

/**
 * Everything on which the exact answer depends, and nothing else: no price, row name or noise.
 */
export function canonicalOf(statistic: BoundedStatistic, about: About): Canonical {
  const { join } = statistic;
  const joined = join === undefined ? null : joinedBy(about.declaration, join);
  const diagrams = diagramsOf(withDerived(joined?.table ?? about.declaration, statistic.derived));
  const rows = rowsText(statistic, diagrams);
  const place = {
    ...{
      dataset: about.dataset,
      version: rowsVersion(about, statistic),
      ...(joined === null ? {} : { join: joined.hash }),
    },
    ...windowField(statistic, about.declaration),
  };
  const { privacyUnit, adjacency } = about.declaration;
  const { statistic: name, column, contribution, keys = null, derived, sampling } = statistic;
  // Which rows of a unit are kept may depend on the number of their group: the order of the groups is then part of the question.
  const groupBy = truncates(statistic) ? statistic.groupBy : [...statistic.groupBy].sort();
  return {
    key: planText({
      ...{ ...place, privacyUnit, adjacency, rows, groupBy, statistic: name, column, contribution, keys },
      ...{ derived, sampling, task: taskFields(statistic) },
    }),
    scope: planText({ ...place, rows }),
    wider: widerRows(statistic, diagrams).map((wider) => planText({ ...place, rows: wider })),
  };
}

/** Over which blocks, of which calendar: an answer about another window is another answer. */
function windowField({ window }: BoundedStatistic, { blocks }: Declaration): object {
  if (window === undefined) return {};
  // When a block is closed says which blocks `latest` names, and nothing about their rows.
  const { lag: _, closes: __, closed: ___, ...calendar } = blocks ?? {};
  return { blocks: calendar, window };
}

interface JoinedBy {
  readonly table: Declaration;
  /** SHA-256 of the join: all texts of a statistic name it, and it may be long. */
  readonly hash: string;
}

const joins = new WeakMap<Declaration, WeakMap<Join, JoinedBy>>();

/** The declaration with the columns of a join, made once for all statistics that read the same ones. */
function joinedBy(declaration: Declaration, join: Join): JoinedBy {
  const known = joins.get(declaration) ?? new WeakMap<Join, JoinedBy>();
  joins.set(declaration, known);
  const found = known.get(join);
  if (found !== undefined) return found;
  const made = { table: withJoin(declaration, joinRequest(join)), hash: sha256(planText(join)) };
  known.set(join, made);
  return made;
}

/** Whether rows of a unit may be left out, so that which ones are depends on the question. */
export const truncates = ({ contribution: { bound } }: BoundedStatistic): boolean =>
  bound.rows !== null || bound.groups !== null || bound.rowsPerGroup !== null;

/** No name of a column. */
const EVERY_ROW = "";

/** The rows a statistic reads, groups and bins not yet distinguished. */
export function rowsOf(statistic: BoundedStatistic, diagrams: Diagrams): number {
  // With a public number of rows, one that does not count is there, at the lower bound: these rows are those of no other statistic [M330].
  if (publicRowsOf(statistic) !== undefined) return diagrams.present(EVERY_ROW);
  const where = diagrams.of(statistic.where);
  return statistic.column !== null && definitionOf(statistic).reuse.leavesOutMissing
    ? diagrams.and(where, diagrams.present(statistic.column))
    : where;
}

function rowsText(statistic: BoundedStatistic, diagrams: Diagrams): string {
  return unlessTooLarge(
    () => diagrams.text(rowsOf(statistic, diagrams)),
    `as written: ${JSON.stringify(statistic.where)} ${statistic.column ?? ""}`,
  );
}

function widerRows(statistic: BoundedStatistic, diagrams: Diagrams): readonly string[] {
  const { where } = statistic;
  if (where === null) return [];
  const parts = where.op === "and" ? where.of : [where];
  const columns = [...new Set(parts.flatMap((part) => ("column" in part ? [part.column] : [])))].slice(0, MAX_GIVEN_UP);
  const given = [...columns.map((a) => [a]), ...columns.flatMap((a, i) => columns.slice(i + 1).map((b) => [a, b]))];
  return given.map((names) => {
    const kept = parts.filter((part) => !("column" in part && names.includes(part.column)));
    const wider = kept.length === 0 ? null : kept.length === 1 ? (kept[0] ?? null) : { op: "and" as const, of: kept };
    return rowsText({ ...statistic, where: wider }, diagrams);
  });
}

const MAX_GIVEN_UP = 4;
