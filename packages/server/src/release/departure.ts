import { setTimeout } from "node:timers/promises";
import type { Answer } from "@dosimeter/query/answer";
import type { BoundedPlan } from "@dosimeter/query/plan";
import type { Reader } from "../measuring/measurer.ts";
import { current } from "../telemetry/current.ts";
import { classEnd, type Timetable } from "./timetable.ts";

/** Resolves at this moment of the monotonic clock, never before; rejects when the signal aborts. */
export async function at(end: number, signal?: AbortSignal): Promise<void> {
  // A timer may end two milliseconds early: its time has no fractions, and it counts from the beginning of a turn.
  for (let rest = end - performance.now(); rest > 0; rest = end - performance.now())
    await setTimeout(Math.ceil(rest), undefined, signal === undefined ? {} : { signal });
}

/** Of each statistic whose groups are found, how many were published. */
const publishedIn = ({ statistics }: BoundedPlan, answers: readonly Answer[]): readonly (number | undefined)[] =>
  statistics.map(({ keys }, index) =>
    keys === undefined ? undefined : new Set(answers[index]?.cells.map(({ group }) => group[keys.column])).size,
  );

/**
 * The outcome of measuring a plan, when it departs; a failure too. What takes longer appears at the next departure, which is outside of (ε, δ)
 * [T1] and counted. [M364]
 */
export async function atDeparture(
  { plan, reader }: { readonly plan: BoundedPlan; readonly reader: Reader },
  work: Promise<readonly Answer[]>,
  timetable: Pick<Timetable, "departureOf" | "missed">,
  signal?: AbortSignal,
): Promise<readonly Answer[]> {
  const started = performance.now();
  const answers = await work.catch(() => []);
  const { deadline } = timetable.departureOf(plan, { published: publishedIn(plan, answers), isFirst: !reader.hasRead });
  const took = performance.now() - started;
  if (took > deadline) timetable.missed();
  const departure = took > deadline ? classEnd(took) : deadline;
  await at(started + departure, signal);
  current().span?.tell({ departure });
  await work;
  reader.depart();
  return answers;
}
