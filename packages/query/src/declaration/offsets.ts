import {
  type ClockUnit,
  clockSeconds,
  DAY_SECONDS,
  FIRST_SECOND,
  invalid,
  LAST_SECOND,
  type ZoneOffsets,
  zoneOffsets,
} from "@dosimeter/core";

/** What one query may hold: five hundred years of summer time. */
const MAX_CHANGES = 1000;
/** Farther than any offset, so that no time outside of a range comes to lie within. */
const ROOM = 2 * DAY_SECONDS;

/**
 * The offsets of a zone around a range of seconds. Before and after it those of its ends hold, which moves no instant from outside
 * into it. Throws INVALID_PARAMETER where the zone changes its clocks too often.
 */
export function offsetsWithin(
  zone: string,
  { from, to }: { readonly from: number; readonly to: number },
  path: string,
): ZoneOffsets {
  const offsets = zoneOffsets(zone, {
    from: Math.max(FIRST_SECOND, from - ROOM),
    to: Math.min(LAST_SECOND, to + ROOM),
    most: MAX_CHANGES,
  });
  return (
    offsets ?? invalid(path, zone, `a zone that changes its clocks at most ${MAX_CHANGES} times between the bounds`)
  );
}

/** Whether hours or minutes of UTC are those of the zone too. */
export const areWhole = ({ first, changes }: ZoneOffsets, unit: ClockUnit): boolean =>
  [first, ...changes.map(({ offset }) => offset)].every((offset) => offset % clockSeconds[unit] === 0);
