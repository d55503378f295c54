import { type CalendarUnit, calendarUnits, firstDayOf, formatDate, periodOfDay, readPeriod } from "../calendar.ts";
import { invalid } from "../error.ts";
import { leastIndex } from "../numeric/root.ts";
import { DAY_SECONDS, instantOf, isZone, offsetAt } from "../zones.ts";

/** A block is a whole number: of a calendar its period from 1970 on, of cohorts the position of its value. */
export interface CalendarBlocks {
  readonly kind: "calendar";
  readonly unit: CalendarUnit;
  /** The zone of the IANA database whose clocks decide in which period a row lies. */
  readonly zone: string;
  /** The first and last block; rows of other periods are in no block. */
  readonly first: number;
  readonly last: number;
}

export interface CohortBlocks {
  readonly kind: "cohorts";
  readonly values: readonly string[];
}

/** Into which blocks a population is divided; each has a budget of its own [M160]. */
export type Blocks = CalendarBlocks | CohortBlocks;

/** 27 years of days. */
export const MAX_BLOCKS = 10_000;
/** Runs of blocks that one window may have: each is decided and kept by itself. */
export const MAX_RANGES = 64;
const MAX_VALUE = 200;

/** What a calendar is declared by: `{unit: "month", zone: "Europe/Berlin", first: "2024-01", last: "2033-12"}`. */
export interface BlockCalendar {
  readonly unit: string;
  readonly zone: string;
  readonly first: string;
  readonly last: string;
}

/**
 * The blocks of a calendar, `first` and `last` among them. INVALID_PARAMETER for an unknown unit or zone, for texts that do not name
 * whole periods of that unit, and for more than 10,000 blocks.
 */
export function calendarBlocks({ unit: given, zone, first, last }: BlockCalendar): CalendarBlocks {
  const unit = calendarUnits.find((name) => name === given);
  if (unit === undefined) return invalid("blocks.unit", given, `one of ${calendarUnits.join(", ")}`);
  if (!isZone(zone)) invalid("blocks.zone", zone, "a time zone such as Europe/Berlin or UTC");
  const [from, to] = [periodNamed(first, unit, "blocks.first"), periodNamed(last, unit, "blocks.last")];
  if (from > to) invalid("blocks.first", first, `at most blocks.last (${last})`);
  checkNumber(to - from + 1);
  return { kind: "calendar", unit, zone, first: from, last: to };
}

/** The blocks of the values of a cohort column. INVALID_PARAMETER for a value that is empty or comes twice, and for too many. */
export function cohortBlocks(values: readonly string[]): CohortBlocks {
  if (values.length === 0) invalid("blocks.values", values, "at least one value");
  checkNumber(values.length);
  const seen = new Set<string>();
  const named = values.map((value, index) => {
    const at = `blocks.values[${index}]`;
    const name = value.normalize("NFC");
    if (name === "" || name.length > MAX_VALUE) invalid(at, value, `a text of 1 to ${MAX_VALUE} characters`);
    if (seen.has(name)) invalid(at, value, "different from the values before it");
    seen.add(name);
    return name;
  });
  return { kind: "cohorts", values: named };
}

function checkNumber(blocks: number): void {
  if (blocks > MAX_BLOCKS) invalid("blocks", blocks, `at most ${MAX_BLOCKS} blocks`);
}

const UNIT_FORMS: Readonly<Record<CalendarUnit, string>> = {
  day: "2024-03-15",
  week: "2024-W11",
  month: "2024-03",
  quarter: "2024-Q1",
  year: "2024",
};

function periodNamed(text: string, unit: CalendarUnit, name: string): number {
  const read = readPeriod(text);
  return read?.unit === unit ? read.period : invalid(name, text, `a ${unit} such as ${UNIT_FORMS[unit]}`);
}

/** The least and the greatest block. */
export const blockEnds = (blocks: Blocks): readonly [number, number] =>
  blocks.kind === "calendar" ? [blocks.first, blocks.last] : [0, blocks.values.length - 1];

/** What a block is called: `2024-03`, or its cohort's value. */
export const blockName = (blocks: Blocks, block: number): string =>
  blocks.kind === "calendar" ? formatDate(block, blocks.unit) : (blocks.values[block] ?? String(block));

/** What blocks that follow each other are called, by the names of the first and the last: `2024-01 to 2024-12`. */
export const rangeName = (from: string, to: string): string => (from === to ? from : `${from} to ${to}`);

/** The block of a name. INVALID_PARAMETER, under the name of the argument, for one that is not declared. */
export function blockNamed(blocks: Blocks, text: string, name: string): number {
  if (blocks.kind === "cohorts") {
    const block = blocks.values.indexOf(text.normalize("NFC"));
    return block >= 0 ? block : invalid(name, text, "a declared cohort");
  }
  const block = periodNamed(text, blocks.unit, name);
  const ends = `from ${blockName(blocks, blocks.first)} to ${blockName(blocks, blocks.last)}`;
  return block >= blocks.first && block <= blocks.last ? block : invalid(name, text, ends);
}

/** The block of a row by its own day; null outside of the calendar. */
export function blockOfDay({ unit, first, last }: CalendarBlocks, day: number): number | null {
  const block = periodOfDay(day, unit);
  return block >= first && block <= last ? block : null;
}

/** The block that lasts at this instant, in seconds of UTC from 1970 on, of periods without a first or last one. */
export const blockAt = (
  { every, zone }: { readonly every: CalendarUnit; readonly zone: string },
  second: number,
): number => periodOfDay(localDay(zone, second), every);

const localDay = (zone: string, second: number): number => Math.floor((second + offsetAt(zone, second)) / DAY_SECONDS);

/**
 * The second of UTC from which on no clock of the zone shows a day of the block. Clocks that were set back shortly after midnight showed
 * its last day again: Saint John's did, in the first hour of 2009-11-01.
 */
export function endOfBlock({ unit, zone }: Pick<CalendarBlocks, "unit" | "zone">, block: number): number {
  const midnight = firstDayOf(block + 1, unit) * DAY_SECONDS;
  const again = midnight - offsetAt(zone, midnight + DAY_SECONDS);
  const first = instantOf(zone, midnight);
  return offsetAt(zone, again) === midnight - again ? Math.max(first, again) : first;
}

/**
 * The last block that is closed at `now`: its period and `lag`, in seconds, are over. It is never before `already`, so that a clock
 * that is set back opens nothing again; null while none is. Depends on the calendar alone, never on rows [M162].
 */
export function closedThrough(
  calendar: CalendarBlocks,
  { now, lag, already }: { readonly now: number; readonly lag: number; readonly already: number | null },
): number | null {
  if (!Number.isSafeInteger(lag) || lag < 0) invalid("lag", lag, "a whole number of seconds >= 0");
  const known = already ?? calendar.first - 1;
  const open = leastIndex((block) => endOfBlock(calendar, block) + lag > now, known, calendar.last + 1);
  const closed = Math.max(known, open - 1);
  return closed < calendar.first ? null : closed;
}
