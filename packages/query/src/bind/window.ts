import {
  type BlockRange,
  blockAt,
  blockName,
  blockNamed,
  type CalendarBlocks,
  type CalendarUnit,
  closedThrough,
  DAY_SECONDS,
  endOfBlock,
  firstDayOf,
  invalid,
  MAX_BLOCKS,
  MAX_RANGES,
  PrivacyError,
  rangeName,
  rangesOf,
  readPeriod,
  resolveWindow,
  type WindowRequest,
} from "@dosimeter/core";
import { blocksOf, closedByHand, isByCohort, lagOf, reachingTo } from "../declaration/blocks.ts";
import { isTimestamp, secondsOf } from "../declaration/dates.ts";
import type { Declaration } from "../declaration/declaration.ts";
import { mostRowsOf } from "../declaration/most.ts";
import { entries, type Fields, list, own, record, text } from "../input/check.ts";
import type { BoundedStatistic } from "../plan/bounded.ts";
import { plainPlan } from "../plan/plan-file.ts";
import { taskKindOf } from "../plan/task-kinds.ts";
import { definitionOf } from "../statistics/registry.ts";
import type { Plan } from "../statistics/request.ts";

const WANT = '{latest: n}, {from, to}, {blocks: [names]}, {all: "closed"}, or one of these as text: latest 12';

/**
 * The plan with its window as the list of its blocks at `now`, in seconds of UTC from 1970 on: `latest` and `all` are of blocks that are
 * closed, and no window has a block that has not begun. Blocks that follow each other are one entry, `2024-01 to 2024-12`. Depends on the
 * calendar and the clock alone, never on rows [M162]. INVALID_PARAMETER for a window of a population without blocks, and for one with blocks
 * that are not there.
 */
export function planOver<P extends Plan>(plan: P, declaration: Declaration, now: number): P {
  if (declaration.blocks === undefined) {
    refuseWindow(plan.window);
    return plan;
  }
  const calendar = blocksOf(declaration);
  const window = resolveWindow(calendar, readWindow(plan.window, calendar), timesOf(declaration, now));
  if (window.length > MAX_RANGES) invalid("window", window.length, `at most ${MAX_RANGES} runs of blocks`);
  return { ...(plainPlan(plan) as P), window: { blocks: namesOf(calendar, window) } };
}

/** The same as if every declared block were closed: prices and errors depend on how many blocks there are, not on the clock. */
export function planOverAll<P extends Plan>(plan: P, declaration: Declaration): P {
  if (declaration.blocks === undefined) return planOver(plan, declaration, 0);
  const { closes: _, closed: __, ...blocks } = declaration.blocks;
  const { last } = blocksOf(declaration);
  const after = (firstDayOf(last + 1, blocks.every) + 2) * DAY_SECONDS + lagOf(blocks);
  return planOver(plan, { ...declaration, blocks }, after);
}

/** The blocks of a declaration at `now`, in seconds of UTC: the first one, and the last ones that have begun and that are closed. */
export function blockCalendar(
  declaration: Pick<Declaration, "columns" | "blocks">,
  now: number,
): { readonly first: number; readonly begun: number | null; readonly closed: number | null } {
  const { opened, closed } = timesOf(declaration, now);
  return { first: blocksOf(declaration).first, begun: opened[0]?.to ?? null, closed: closed[0]?.to ?? null };
}

/**
 * The last block that may be closed by hand at `now`, in seconds of UTC: the last one that is over; null while none is, and where the
 * calendar closes them.
 */
export function lastToClose(declaration: Pick<Declaration, "columns" | "blocks">, now: number): number | null {
  return closedByHand(declaration) === undefined ? null : overAt(declaration, now);
}

/** INVALID_PARAMETER for a block that was closed by hand and is not over at `now`, in seconds of UTC. [M162] */
export function refuseEarlyClosing(declaration: Pick<Declaration, "columns" | "blocks">, now: number): void {
  const closed = closedByHand(declaration);
  if (closed === undefined || closed === null) return;
  if (closed > (overAt(declaration, now) ?? Number.NEGATIVE_INFINITY))
    invalid("blocks.closed", blockName(blocksOf(declaration), closed), `a ${declaration.blocks?.every} that is over`);
}

/** The declaration in which this block and all before it are closed by hand. INVALID_PARAMETER where the calendar closes them. */
export function closeThrough(declaration: Declaration, name: string): Declaration {
  const { blocks } = declaration;
  if (blocks?.closes === undefined)
    return invalid("block", name, "absent: the blocks of this dataset are not closed by hand");
  return { ...declaration, blocks: { ...blocks, closed: name } };
}

/**
 * The block to which rows come, and the declaration with a calendar that has it. INVALID_PARAMETER for a name of no block, one before
 * the first that is declared, and one that has not begun at `now`, in seconds of UTC.
 */
export function withBlock(
  declaration: Declaration,
  name: string,
  now: number,
): { readonly block: number; readonly declaration: Declaration } {
  if (declaration.blocks === undefined) return invalid("block", name, "absent: this population has no blocks");
  const { every } = declaration.blocks;
  const calendar = blocksOf(declaration);
  const begun = blockAt({ every, zone: calendar.zone }, now);
  const read = readPeriod(name);
  if (read?.unit !== every || read.period > begun)
    return invalid("block", name, `a ${every} that has begun, such as ${blockName(calendar, begun)}`);
  return { block: read.period, declaration: reachingTo(declaration, read.period) };
}

/** When a block is over, and when its lag is too, in seconds of UTC from 1970 on; also of one that is not declared yet. [M162] */
export function timesOfBlock(
  { columns, blocks }: Pick<Declaration, "columns" | "blocks">,
  block: number,
): { readonly over: number; readonly closed: number } {
  if (blocks === undefined) return invalid("blocks", undefined, "declared");
  const over = endOfBlock(blocksOf({ columns, blocks }), block);
  return { over, closed: over + lagOf(blocks) };
}

/** The block of the latest date that these columns declare; null where none has bounds. */
export function lastDatedBlock(
  columns: Declaration["columns"],
  { every, zone }: { readonly every: CalendarUnit; readonly zone: string },
): number | null {
  const blocks = Object.values(columns)
    .filter(({ type, upper }) => type === "date" && upper !== undefined)
    .map((column) => blockAt({ every, zone: isTimestamp(column) ? zone : "UTC" }, secondsOf(column).to));
  return blocks.length === 0 ? null : Math.max(...blocks);
}

/** The block of a name, declared or not. INVALID_PARAMETER, under the name of the argument, for what names none. */
export const blockFrom = (declaration: Pick<Declaration, "columns" | "blocks">, given: string, name: string): number =>
  blockNamed(unbounded(blocksOf(declaration)), given, name);

const unbounded = (calendar: CalendarBlocks): CalendarBlocks => ({
  ...calendar,
  first: Number.NEGATIVE_INFINITY,
  last: Number.POSITIVE_INFINITY,
});

/** The last block whose end, and lag, is over. */
function overAt({ columns, blocks }: Pick<Declaration, "columns" | "blocks">, now: number): number | null {
  if (blocks === undefined) return invalid("blocks", undefined, "declared");
  return closedThrough(blocksOf({ columns, blocks }), { now, lag: lagOf(blocks), already: null });
}

function closedAt(declaration: Pick<Declaration, "columns" | "blocks">, now: number): number | null {
  const [over, byHand] = [overAt(declaration, now), closedByHand(declaration)];
  if (byHand === undefined) return over;
  // By a clock that was set back, a block that was closed by hand may not be over.
  return byHand === null || over === null ? null : Math.min(byHand, over);
}

function timesOf(declaration: Pick<Declaration, "columns" | "blocks">, now: number) {
  const { first, last, unit, zone } = blocksOf(declaration);
  const to = Math.min(last, blockAt({ every: unit, zone }, now));
  const closed = closedAt(declaration, now);
  return {
    opened: to < first ? [] : [{ from: first, to }],
    closed: closed === null ? [] : [{ from: first, to: closed }],
  };
}

const namesOf = (calendar: CalendarBlocks, window: readonly BlockRange[]): readonly string[] =>
  window.map(({ from, to }) => rangeName(blockName(calendar, from), blockName(calendar, to)));

/** A window as JSON or as text: `latest 12`, `2024-01 to 2024-12`, `2024-01, 2024-03`, `all closed`. */
function readWindow(json: unknown, calendar: CalendarBlocks): WindowRequest {
  if (typeof json === "string") {
    const typed = windowText(json);
    return "blocks" in typed ? readWindow(typed, calendar) : typed;
  }
  const given = json === undefined ? invalid("window", json, WANT) : record(json, "window");
  const name = (key: string): string => text(own(given, key), `window.${key}`, 200);
  switch (Object.keys(given).sort().join()) {
    case "latest": {
      const latest = own(given, "latest");
      return typeof latest === "number" ? { latest } : invalid("window.latest", latest, "a whole number");
    }
    case "from,to":
      return { from: name("from"), to: name("to") };
    case "blocks":
      return { blocks: blocksIn(given, calendar).map((block) => blockName(calendar, block)) };
    case "all":
      return own(given, "all") === "closed" ? { all: "closed" } : invalid("window.all", own(given, "all"), "closed");
    default:
      return invalid("window", json, WANT);
  }
}

/** The blocks of a list, in which `2024-01 to 2024-12` is twelve. */
function blocksIn(given: Fields, calendar: CalendarBlocks): readonly number[] {
  const names = list(own(given, "blocks"), "window.blocks");
  const blocks: number[] = [];
  for (const [at, name] of names.entries()) {
    const path = `window.blocks[${at}]`;
    const words = text(name, path, 200);
    const [, first = words, last = first] = RANGE.exec(words) ?? [];
    const [from, to] = [blockNamed(calendar, first, path), blockNamed(calendar, last, path)];
    if (from > to) invalid(path, words, "the earlier block first");
    if (blocks.length + to - from >= MAX_BLOCKS) invalid("window.blocks", names.length, `at most ${MAX_BLOCKS} blocks`);
    for (let block = from; block <= to; block++) blocks.push(block);
  }
  return blocks;
}

const RANGE = /^(\S+) to (\S+)$/;

function windowText(given: string): WindowRequest {
  const words = given.trim();
  if (words === "all closed") return { all: "closed" };
  const [, latest] = /^latest (\d{1,6})$/.exec(words) ?? [];
  if (latest !== undefined) return { latest: Number(latest) };
  const [, from, to] = RANGE.exec(words) ?? [];
  if (from !== undefined && to !== undefined) return { from, to };
  const blocks = words.includes(",") ? words.split(",").map((each) => each.trim()) : words.split(/\s+/);
  return /\d/.test(words) ? { blocks } : invalid("window", given, WANT);
}

const refuseWindow = (asked: unknown): void => {
  if (asked !== undefined) invalid("window", asked, "absent: this population has no blocks");
};

/** The blocks of a plan, already a list; null where the population has none. */
export function windowOf(given: Fields, declaration: Declaration): readonly BlockRange[] | null {
  const asked = own(given, "window");
  if (declaration.blocks === undefined) {
    refuseWindow(asked);
    return null;
  }
  if (asked === undefined)
    return invalid("window", asked, "given: the blocks that the plan is measured on and charged to");
  for (const field of ["join", "sample"] as const)
    if (own(given, field) !== undefined) invalid(field, own(given, field), "absent: this population has blocks");
  const listed = record(asked, "window");
  entries(listed, "window", ["blocks"]);
  const calendar = blocksOf(declaration);
  const blocks = blocksIn(listed, calendar);
  if (blocks.length === 0) return invalid("window.blocks", [], "at least one block");
  return rangesOf(blocks, (block) => blockName(calendar, block));
}

/** What is declared of a window: the number of rows is that of the whole table, and so says nothing here but how many there are at most. */
export function ofWindow(declaration: Declaration, window: readonly BlockRange[] | null): Declaration {
  if (window === null) return declaration;
  const { size: _, ...rest } = declaration;
  return { ...rest, mostRows: mostRowsOf(declaration) };
}

/**
 * The statistic over a window. UNSUPPORTED_QUERY for what counts or totals people where the window has several periods: a person who
 * leaves one of them would move between cells, and people would be counted once in each [M164]. A person is in one cohort [M170].
 */
export function onWindow(
  statistic: BoundedStatistic,
  declaration: Declaration,
  window: readonly BlockRange[] | null,
): BoundedStatistic {
  const { blocks } = declaration;
  if (window === null || blocks === undefined) return statistic;
  const [first, ...others] = window;
  const isOne = others.length === 0 && first?.from === first?.to;
  if (!isOne && !isByCohort(declaration) && isByPerson(statistic))
    throw new PrivacyError("UNSUPPORTED_QUERY", {
      name: statistic.path,
      got: statistic.label,
      want: `over one ${blocks.every}: it counts or totals people, and of several a person would count once for each`,
    });
  return { ...statistic, window, ...(isByCohort(declaration) ? { ofCohorts: true } : {}) };
}

function isByPerson(statistic: BoundedStatistic): boolean {
  const { task, keys } = statistic;
  const counted = definitionOf(statistic).aggregates(task);
  return keys !== undefined || taskKindOf(statistic).isOfUnits || counted.includes("units");
}
