import { sql } from "kysely";
import { type Dialect, type Fragment, integer } from "../../dialect/dialect.ts";
import type { SeriesTask } from "../../plan/task.ts";

/** How many values a tick may have; 1 where rows are counted. */
const ticksOf = ({ ticks }: SeriesTask): bigint => (ticks === undefined ? 1n : ticks.steps + 1n);

/** How many payloads a row may have: one for each period and tick. Below 2⁶³, as a series has at most 2⁹ periods. */
export const payloadsOf = (task: SeriesTask): bigint => BigInt(task.bins.length) * ticksOf(task);

/** Period and tick of a row as one whole number. */
export const packedPeriod = (task: SeriesTask, period: Fragment, tick: Fragment): Fragment =>
  sql`(${period} * ${integer(ticksOf(task))} + ${tick})`;

export const periodOfPacked = (dialect: Dialect, task: SeriesTask): Fragment =>
  task.ticks === undefined ? sql`v` : dialect.quotient(sql`v`, integer(ticksOf(task)));

/** The total of a period, in ticks from 0. */
export const addedInPeriod = (dialect: Dialect, task: SeriesTask): Fragment =>
  dialect.sum(sql`(v % ${integer(ticksOf(task))}) + ${integer(task.ticks?.first ?? 0n)}`);
