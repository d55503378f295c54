import { datePart, firstDayOf } from "./calendar.ts";
import { leastIndex } from "./numeric/root.ts";

/** When the clocks of a zone change: the second from 1970 UTC on, and the seconds that they are ahead of UTC from then on. */
export interface OffsetChange {
  readonly at: number;
  readonly offset: number;
}

/** Offsets of a zone over a range of time: `first` before all changes, which rise. [M312] */
export interface ZoneOffsets {
  readonly first: number;
  readonly changes: readonly OffsetChange[];
}

export const DAY_SECONDS = 86_400;
/** No zone changes its clocks twice within two days and is back where it was; Recife did within a week, in October 2000. */
const STRIDE = 2 * DAY_SECONDS;
/** Zones kept the time of their sun before; rules repeat after. */
const [FIRST_YEAR, RULES_FROM, CYCLE] = [1800, 2100, 400];
const CYCLE_SECONDS = 146_097 * DAY_SECONDS;

const startOf = (year: number): number => firstDayOf(year - 1970, "year") * DAY_SECONDS;
const yearOf = (second: number): number => datePart("year", Math.floor(second / DAY_SECONDS));

interface Zone {
  readonly format: Intl.DateTimeFormat;
  readonly years: Map<number, readonly OffsetChange[]>;
}

/** What is known of the zones that were asked for: a table of constants, computed when it is first needed. */
const zones = new Map<string, Zone>();

/** Whether this names a time zone of the IANA database: `Europe/Berlin`, `UTC`. */
export function isZone(name: string): boolean {
  return /^[A-Za-z][A-Za-z0-9_+-]{0,30}(?:\/[A-Za-z0-9_+-]{1,30}){0,2}$/.test(name) && zoneOf(name) !== null;
}

function zoneOf(name: string): Zone | null {
  const key = name.toLowerCase();
  const known = zones.get(key);
  if (known !== undefined) return known;
  try {
    const zone = {
      format: new Intl.DateTimeFormat("en-US", { timeZone: name, timeZoneName: "longOffset" }),
      years: new Map<number, readonly OffsetChange[]>(),
    };
    zones.set(key, zone);
    return zone;
  } catch {
    return null;
  }
}

function found(name: string): Zone {
  const zone = zoneOf(name);
  if (zone === null) throw new RangeError(`there is no time zone ${name}`);
  return zone;
}

/** Seconds by which the clocks of a zone are ahead of UTC at a second from 1970 UTC on, in years 1 to 9999. */
export const offsetAt = (name: string, second: number): number => offsetIn(found(name), second);

function offsetIn({ format }: Zone, second: number): number {
  const cycles = Math.max(0, Math.floor((yearOf(second) - RULES_FROM) / CYCLE));
  const at = Math.max(second, startOf(FIRST_YEAR)) - cycles * CYCLE_SECONDS;
  const [, sign, hours, minutes, seconds = "0"] =
    /GMT([+-])(\d{2}):(\d{2})(?::(\d{2}))?$/.exec(format.format(at * 1000)) ?? [];
  if (sign === undefined) return 0;
  const size = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
  return sign === "-" ? -size : size;
}

/** The changes of one year of UTC. Years of later cycles repeat those of the first: a cycle is a whole number of weeks. */
function changesIn(zone: Zone, year: number): readonly OffsetChange[] {
  if (year < FIRST_YEAR) return [];
  const cycles = Math.max(0, Math.floor((year - RULES_FROM) / CYCLE));
  const like = year - cycles * CYCLE;
  const known = zone.years.get(like) ?? searched(zone, like);
  zone.years.set(like, known);
  return cycles === 0 ? known : known.map(({ at, offset }) => ({ at: at + cycles * CYCLE_SECONDS, offset }));
}

function searched(zone: Zone, year: number): readonly OffsetChange[] {
  const changes: OffsetChange[] = [];
  const end = startOf(year + 1) - 1;
  let [from, before] = [startOf(year) - 1, offsetIn(zone, startOf(year) - 1)];
  while (from < end) {
    const to = Math.min(end, from + STRIDE);
    const after = offsetIn(zone, to);
    if (after === before) {
      from = to;
      continue;
    }
    const earlier = before;
    from = leastIndex((at) => offsetIn(zone, at) !== earlier, from, to);
    before = offsetIn(zone, from);
    changes.push({ at: from, offset: before });
  }
  return changes;
}

/** The offsets of a zone from one second to another, in years 1 to 9999. Null where there are more than `most` changes. */
export function zoneOffsets(
  name: string,
  { from, to, most }: { readonly from: number; readonly to: number; readonly most: number },
): ZoneOffsets | null {
  const zone = found(name);
  const changes: OffsetChange[] = [];
  for (let year = Math.max(FIRST_YEAR, yearOf(from)); year <= yearOf(to); year++) {
    changes.push(...changesIn(zone, year).filter(({ at }) => at > from && at <= to));
    if (changes.length > most) return null;
  }
  return { first: offsetIn(zone, from), changes };
}

/** The offset at a second, from a table: what SQL computes. */
export const offsetFrom = ({ first, changes }: ZoneOffsets, second: number): number =>
  changes.findLast(({ at }) => at <= second)?.offset ?? first;

/**
 * The same table by the time on the clock: an hour that the clock repeats is the first of the two, and one that it skips is
 * read as if it had not changed yet (RFC 5545, `compatible` of Temporal).
 */
export function byLocalTime({ first, changes }: ZoneOffsets): ZoneOffsets {
  return {
    first,
    changes: changes.map(({ at, offset }, index) => ({
      at: at + Math.max(offset, changes[index - 1]?.offset ?? first),
      offset,
    })),
  };
}

/** The second from 1970 UTC on at which the clocks of a zone show a time, given as seconds from their own 1970-01-01 on. */
export function instantOf(name: string, local: number): number {
  const zone = found(name);
  const [before, after] = [offsetIn(zone, local - DAY_SECONDS), offsetIn(zone, local + DAY_SECONDS)];
  if (offsetIn(zone, local - before) === before) return local - before;
  return offsetIn(zone, local - after) === after ? local - after : local - before;
}
