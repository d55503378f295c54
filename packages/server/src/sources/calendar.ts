import { type CalendarUnit, formatDate, invalid, rangeName } from "@dosimeter/core";
import { type Dataset, type LedgerDatabase, type Schedule, windowOfReport } from "@dosimeter/ledger";
import { blockCalendar, blockFrom, timesOfBlock } from "@dosimeter/query/bind";
import type { Declaration } from "@dosimeter/query/declaration";
import { isLive } from "@dosimeter/query/source";
import type { Plan } from "@dosimeter/query/statistics";
import { broughtAt } from "./tables.ts";

/**
 * For what a report waits: the end of its block with the lag, a version that was published after that end, its closing by hand, the answers of
 * the report before, or nothing more.
 */
type WaitsFor = "calendar" | "version" | "closing" | "report" | "nothing";

/** When the report of a block is due, and what it waits for at `now`, in seconds of UTC. */
export interface Due {
  readonly at: number;
  readonly waitsFor: WaitsFor;
}

/** How far back and ahead of the next block to close a schedule may begin, in blocks. */
const MAX_DISTANCE = 120;

/**
 * When rows of a block were last published, in seconds of UTC, or could have been; a table that stays where it is needs no version for new rows.
 */
export async function publishedAt(
  { catalog }: Pick<LedgerDatabase, "catalog">,
  { id }: Dataset,
  { source }: Declaration,
): Promise<(block: number) => number> {
  if (isLive(source)) return () => Number.POSITIVE_INFINITY;
  const versions = await catalog.sources(id);
  return (block) => broughtAt(versions, block);
}

/**
 * A report is made by the calendar and the owner's public acts, never by whether there are rows [M162]: its block must be over with the lag, be
 * declared, and a file must have been published since, as one from before cannot hold all of the block. Who closes blocks by hand says with
 * that, and with nothing else, that all of it is there.
 */
export function dueOf(declaration: Declaration, block: number, published: (block: number) => number, now: number): Due {
  const { over, closed } = timesOfBlock(declaration, block);
  if (now < closed) return { at: closed, waitsFor: "calendar" };
  const { closed: last } = blockCalendar(declaration, now);
  const isClosed = last !== null && block <= last;
  if (declaration.blocks?.closes !== undefined) return { at: closed, waitsFor: isClosed ? "nothing" : "closing" };
  const isThere = isClosed && over <= published(block);
  return { at: closed, waitsFor: isThere ? "nothing" : "version" };
}

/** A dataset as it is declared now. */
interface Declared {
  readonly database: LedgerDatabase;
  readonly dataset: Dataset;
  readonly declaration: Declaration;
}

/**
 * The block of the next report; null where the last one is made, or where its answers are lost [M209]. A running total that goes on
 * waits until the report before has its answers, on which it builds; one that was refused is made when someone tries it again.
 */
async function nextBlock(
  { schedules, releases }: Pick<LedgerDatabase, "schedules" | "releases">,
  { id, first, horizon }: Schedule,
): Promise<{ readonly block: number; readonly isReady: boolean } | null> {
  const [last] = await schedules.points({ schedule: id, limit: 1 });
  const block = last === undefined ? first : last.block + 1;
  if (horizon === null || last === undefined) return { block, isReady: true };
  const newest = last.charge === null ? null : await releases.chargeOf(last.charge);
  if (newest?.isLost === true) return null;
  const isReady = newest?.status === "released";
  return isReady && block >= first + horizon ? null : { block: Math.min(block, first + horizon - 1), isReady };
}

/** When the next report of a schedule is due, and what it waits for; null where no other one comes. */
export async function nextDue(
  { database, declaration, dataset }: Declared,
  schedule: Schedule,
  now: number,
): Promise<(Due & { readonly block: number }) | null> {
  const next = await nextBlock(database, schedule);
  if (next === null) return null;
  const due = dueOf(declaration, next.block, await publishedAt(database, dataset, declaration), now);
  return { ...due, block: next.block, ...(next.isReady ? {} : { waitsFor: "report" as const }) };
}

/** The unit of a declaration's blocks. INVALID_PARAMETER where there are none. */
export const everyOf = ({ blocks }: Pick<Declaration, "blocks">): CalendarUnit =>
  blocks?.every ?? invalid("dataset", undefined, "one with blocks: a report comes when one is over");

/** The block whose end brings the first report: as asked, else the next one to close. */
export function firstOf(
  declaration: Declaration,
  { latest, from, now }: { readonly latest: number; readonly from: string | undefined; readonly now: number },
): number {
  const every = everyOf(declaration);
  const { first, closed } = blockCalendar(declaration, now);
  const next = (closed ?? first - 1) + 1;
  const earliest = Math.max(first + latest - 1, next - MAX_DISTANCE);
  if (from === undefined) return Math.max(earliest, next);
  const block = blockFrom(declaration, from, "from");
  if (block < earliest || block > next + MAX_DISTANCE)
    invalid(
      "from",
      from,
      `from ${formatDate(earliest, every)}, the first with ${latest} ${every}s and at most ${MAX_DISTANCE} back, to ${formatDate(next + MAX_DISTANCE, every)}`,
    );
  return block;
}

/**
 * The plan of one report: its window is a list, so that a late one asks what it would have asked in time. A running total that goes on reads all
 * blocks so far.
 */
export function planOfReport(
  { plan, latest, horizon, first }: Pick<Schedule, "plan" | "latest" | "horizon" | "first">,
  block: number,
  every: CalendarUnit,
): Plan {
  const { from, to } = windowOfReport(block, horizon === null ? latest : block - first + 1);
  const window = { blocks: [rangeName(formatDate(from, every), formatDate(to, every))] };
  return { ...(JSON.parse(plan) as Plan), window };
}

/** One charge for each schedule and block, from any server and however often. */
export const keyOfReport = (schedule: Schedule["id"], period: string): string => `report/${schedule}/${period}`;
