import {
  blockNamed,
  type Calendar,
  type CalendarBlocks,
  type CalendarUnit,
  calendarBlocks,
  calendarUnits,
  DAY_SECONDS,
  dayOfPeriod,
  dayPeriod,
  FIRST_DAY,
  firstDayOf,
  formatPeriod,
  invalid,
  isCalendarUnit,
  isZone,
  LAST_DAY,
  PrivacyError,
  periodOfDay,
  periodUnit,
} from "@dosimeter/core";
import { present } from "@dosimeter/core/internal";
import { entries, type Fields, oneOf, own, record, text } from "../input/check.ts";
import { isTimestamp, secondsOf, unitOfDates } from "./dates.ts";
import type { Column, Declaration, DeclaredBlocks } from "./declaration.ts";
import { offsetsWithin } from "./offsets.ts";

const MAX_LAG = 3660;

/** The units that hold whole periods of a column. */
const HOLDERS: Readonly<Record<CalendarUnit, readonly CalendarUnit[]>> = {
  day: calendarUnits,
  week: ["week"],
  month: ["month", "quarter", "year"],
  quarter: ["quarter", "year"],
  year: ["year"],
};

type Dated = Column & Required<Pick<Column, "lower" | "upper">>;

/**
 * Reads `blocks`: {protects, column, every, zone, lag, closes, closed}. Throws with the path: a column that is no date or has no bounds, blocks
 * finer than its dates, a missing or second zone, a lag of blocks that are closed by hand, replace-one neighbours, cohorts of rows, more than
 * 10,000 blocks.
 */
export function checkBlocks(
  json: unknown,
  { columns, adjacency, privacyUnit }: Pick<Declaration, "columns" | "adjacency" | "privacyUnit">,
): DeclaredBlocks | undefined {
  if (json === undefined) return undefined;
  const given = record(json, "blocks");
  entries(given, "blocks", ["protects", "column", "every", "zone", "lag", "closes", "closed"]);
  if (adjacency !== "addRemove")
    invalid("adjacency", adjacency, "addRemove: in a replaced unit's place another one may come to another block");
  const protects = checkProtects(own(given, "protects"), privacyUnit);
  const name = text(own(given, "column"), "blocks.column", 200);
  const column = datedColumn(columns, name);
  const every = oneOf(own(given, "every"), "blocks.every", calendarUnits);
  const unit = periodUnit(unitOfDates(column));
  if (isCalendarUnit(unit) && !HOLDERS[unit].includes(every))
    invalid("blocks.every", every, `a unit that holds whole ${unit}s, as columns.${name} is counted in them`);
  const lag = own(given, "lag");
  if (lag !== undefined && (typeof lag !== "number" || !Number.isSafeInteger(lag) || lag < 0 || lag > MAX_LAG))
    return invalid("blocks.lag", lag, `a whole number of days from 0 to ${MAX_LAG}`);
  const zone = checkZone(own(given, "zone"), column, name);
  const blocks = {
    ...present({ protects }),
    column: name,
    every,
    ...present({ zone, lag }),
    ...closingOf(given),
  };
  const { first, last } = blocksOf({ columns, blocks });
  closedByHand({ columns, blocks });
  if (firstDayOf(first - 1, every) <= FIRST_DAY || firstDayOf(last + 2, every) >= LAST_DAY)
    invalid(`columns.${name}`, `${formatDated(column)}`, `bounds at least one ${every} from the years 1 and 9999`);
  if (isTimestamp(column)) offsetsWithin(column.zone, secondsOf(widened(column, every)), `columns.${name}.zone`);
  return blocks;
}

const BY_HAND = "by hand";

/** How periods are closed, where not by the calendar. */
function closingOf(given: Fields): Pick<DeclaredBlocks, "closes" | "closed"> {
  const [closes, closed, lag] = [own(given, "closes"), own(given, "closed"), own(given, "lag")];
  if (closes === undefined)
    return closed === undefined ? {} : invalid("blocks.closed", closed, `absent, or given with closes: ${BY_HAND}`);
  if (closes !== BY_HAND) return invalid("blocks.closes", closes, `${BY_HAND}, or absent: by the calendar`);
  if (lag !== undefined) invalid("blocks.lag", lag, "absent: these blocks are closed by hand");
  return { closes, ...(closed === undefined ? {} : { closed: text(closed, "blocks.closed", 200) }) };
}

/** The last block that was closed by hand, null where none was yet; undefined where the calendar closes them. */
export function closedByHand(declaration: Pick<Declaration, "columns" | "blocks">): number | null | undefined {
  const { closes, closed } = declaration.blocks ?? {};
  if (closes === undefined) return undefined;
  return closed === undefined ? null : blockNamed(blocksOf(declaration), closed, "blocks.closed");
}

function checkProtects(protects: unknown, unit: Declaration["privacyUnit"]): DeclaredBlocks["protects"] {
  if (protects === undefined) return undefined;
  if (protects !== "person")
    return invalid("blocks.protects", protects, "person, or absent: then it is a person in each period");
  return unit === "row"
    ? invalid("blocks.protects", protects, 'absent, as privacyUnit is "row": the cohort of a row is its period')
    : protects;
}

/** Whether the block of a row is that of its person. [M170] */
export const isByCohort = ({ blocks }: Pick<Declaration, "blocks">): boolean => blocks?.protects === "person";

function datedColumn(columns: Declaration["columns"], name: string): Dated {
  const column = Object.hasOwn(columns, name) ? columns[name] : undefined;
  if (column === undefined)
    throw new PrivacyError("UNKNOWN_COLUMN", { name: "blocks.column", got: name, want: "a declared column" });
  if (column.type !== "date")
    return invalid(`columns.${name}.type`, column.type, "date or timestamp, as blocks are periods of it");
  const { lower, upper } = column;
  if (lower === undefined || upper === undefined)
    return invalid(`columns.${name}.lower`, lower, "given, with upper: they are the ends of the calendar of blocks");
  return { ...column, lower, upper };
}

/** A date has no clock of its own; a timestamp has one already. */
function checkZone(zone: unknown, column: Column, name: string): string | undefined {
  if (isTimestamp(column))
    return zone === undefined
      ? undefined
      : invalid("blocks.zone", zone, `absent: it is that of columns.${name} (${column.zone})`);
  return typeof zone === "string" && isZone(zone)
    ? zone
    : invalid("blocks.zone", zone, "a time zone such as 'Europe/Berlin' or 'UTC': by its clocks a block ends");
}

const formatDated = (column: Dated): string =>
  [column.lower, column.upper].map((bound) => formatPeriod(bound, unitOfDates(column))).join(" to ");

/** The calendar of a declaration's blocks: from the block of the column's lower bound to that of its upper one. */
export function blocksOf({ columns, blocks }: Pick<Declaration, "columns" | "blocks">): CalendarBlocks {
  if (blocks === undefined) return invalid("blocks", undefined, "declared");
  const column = datedColumn(columns, blocks.column);
  const { every } = blocks;
  const named = (bound: number): string =>
    formatPeriod(periodOfDay(dayOfPeriod(bound, unitOfDates(column)), every), every);
  const zone = blocks.zone ?? column.zone ?? "UTC";
  return calendarBlocks({ unit: every, zone, first: named(column.lower), last: named(column.upper) });
}

/** The declaration with an end of its calendar that is not before this block; as it is where it has one. INVALID_PARAMETER before its first. */
export function reachingTo(declaration: Declaration, block: number): Declaration {
  const { columns, blocks } = declaration;
  if (blocks === undefined) return invalid("blocks", undefined, "declared");
  const { first, last } = blocksOf(declaration);
  const { every, column: name } = blocks;
  if (block < first)
    invalid("block", formatPeriod(block, every), `${formatPeriod(first, every)}, the first that is declared, or later`);
  if (block <= last) return declaration;
  const column = datedColumn(columns, name);
  const upper = dayPeriod(firstDayOf(block + 1, every), unitOfDates(column)) - 1;
  return { ...declaration, columns: { ...columns, [name]: { ...column, upper } } };
}

/** Seconds after the end of a block during which it stays open. */
export const lagOf = ({ lag = 0 }: DeclaredBlocks): number => lag * DAY_SECONDS;

/**
 * The column with bounds one block wider: what lies outside of the calendar is clamped into a block that no window has, so it is left
 * out, and never counted in the first block or the last.
 */
function widened(column: Dated, every: CalendarUnit): Dated {
  const calendar: Calendar = unitOfDates(column);
  const block = (bound: number): number => periodOfDay(dayOfPeriod(bound, calendar), every);
  return {
    ...column,
    lower: dayPeriod(firstDayOf(block(column.lower) - 1, every), calendar),
    upper: dayPeriod(firstDayOf(block(column.upper) + 2, every), calendar) - 1,
  };
}

/** The widened column of the blocks, by its name. */
export function blockDates({ columns, blocks }: Pick<Declaration, "columns" | "blocks">): {
  readonly name: string;
  readonly column: Column;
  readonly every: CalendarUnit;
} {
  if (blocks === undefined) return invalid("blocks", undefined, "declared");
  const { column: name, every } = blocks;
  return { name, column: widened(datedColumn(columns, name), every), every };
}
