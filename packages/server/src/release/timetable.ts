import { readFile, rename, writeFile } from "node:fs/promises";
import { isRecord } from "@dosimeter/core/internal";
import { type Coefficients, type CostFacts, costOf, heldOf, type Part, partsOf } from "@dosimeter/query/bind";
import type { BoundedPlan } from "@dosimeter/query/plan";
import { connectionOf } from "@dosimeter/query/source";
import type { Calibrated } from "../measuring/calibrate.ts";
import { type Measurer, ProcessEnded } from "../measuring/measurer.ts";
import { errorFields, type Log } from "../telemetry/log.ts";

/** Nanoseconds of each part on one core of 2.4 GHz, and what a database that a connection reaches is given: what is in force until the machine is calibrated. */
export const STATED: Coefficients = {
  ...{ release: 2e6, statistic: 1.5e6, cell: 4000, leaf: 160, search: 60_000 },
  ...{ row: 3, text: 25, opening: 3e6, opened: 8, openedText: 300 },
  ...{ value: 12, decimal: 20, date: 15, time: 200, zoned: 1500 },
  ...{ valueText: 100, decimalText: 700, dateText: 300, timeText: 3000, zonedText: 8000 },
  ...{ times: 2.5e7, zones: 5e7, step: 3, category: 0.2, bin: 1.5, ranked: 40, aggregate: 2 },
  ...{ person: 80, windows: 250, found: 750, foundValue: 5500, foundCell: 2000, joined: 30 },
  ...{ remote: 8e6, remoteRow: 200 },
};

/** What was calibrated is between these shares of what is stated: less is chance, and more is not believed. */
const [MIN_SHARE, MAX_SHARE] = [1 / 4, 64];
/** A machine that is more times faster or slower than it was is another one. */
const OTHER_SPEED = 4;

/** A release departs at least this number of times later than it takes alone: two of them run at once, next to those that are brief. */
export const MARGIN = 2.5;
/** The shortest class of durations; each next one is a quarter longer. */
export const CLASS_MS = 100;
const RATIO = 1.25;
/** No departure is later, whatever is declared: the measuring process is killed before, so every outcome is there by then. */
const MAX_CLASS = 41;

/** The end of the class of durations of `elapsed` ms: 100, 125, 156.25 … [M362] */
export const classEnd = (elapsed: number): number =>
  CLASS_MS * RATIO ** Math.max(0, Math.ceil(Math.log(Math.max(elapsed, 1) / CLASS_MS) / Math.log(RATIO) - 1e-9));

/** When a release departs, by public facts alone. */
interface Departure {
  /** Milliseconds that measuring takes alone. */
  readonly cost: number;
  /** Milliseconds after it began. */
  readonly deadline: number;
  /** Of the rows that are bounded at once, the part that it holds meanwhile. */
  readonly held: number;
}

/** When releases depart, and how many were late. */
export interface Timetable {
  departureOf(plan: BoundedPlan, facts?: CostFacts): Departure;
  /** Warms up a process that has just begun, before it reads a row, and takes what was calibrated where it still holds. */
  prepare(run: Run): Promise<void>;
  /** Calibrates by a process of its own that reads public rows alone, unless what was calibrated holds. */
  calibrate(run: Run): Promise<void>;
  /** Counts a departure that was missed, and says so in the log: how long such a release took depended on rows. */
  missed(): void;
  /** How many were, since the start. */
  count(): number;
}

type Run = Measurer["run"];

/** With a file where what was calibrated is kept; without one what is stated is in force. `mostHeld`: rows of files that are bounded at once. */
export function openTimetable(log: Log, file: string | null = null, mostHeld = Number.POSITIVE_INFINITY): Timetable {
  let coefficients = STATED;
  let count = 0;
  return {
    departureOf(plan, facts) {
      const cost = costOf(partsOf(plan, { ...facts, mostHeld }), coefficients);
      const held = connectionOf(plan.declaration.source) === null ? heldOf(plan, mostHeld).rows / mostHeld : 0;
      return { cost, deadline: classEnd(Math.min(MARGIN * cost, CLASS_MS * RATIO ** MAX_CLASS)), held };
    },
    async prepare(run) {
      if (file !== null) coefficients = (await keptIn(file, await run("calibrate", { isWhole: false }))) ?? STATED;
    },
    async calibrate(run) {
      if (file === null || coefficients !== STATED) return;
      try {
        coefficients = await renewed(file, await run("calibrate", { isWhole: true }));
        log.info("calibrated on public rows");
      } catch (error) {
        // A server that stops ends it.
        if (!(error instanceof ProcessEnded)) log.error("CALIBRATION_FAILED", errorFields(error));
      }
    },
    missed() {
      count += 1;
      log.error("DEPARTURE_MISSED", { count });
    },
    count: () => count,
  };
}

const parts = Object.keys(STATED) as readonly Part[];

/** What was calibrated on this machine; null where the file is gone, is damaged or cannot be true. */
async function keptIn(file: string, now: Calibrated): Promise<Coefficients | null> {
  const text = await readFile(file, "utf8").catch(() => "null");
  const kept: unknown = await new Response(text).json().catch(() => null);
  if (!isRecord(kept) || kept.machine !== now.machine || !isRecord(kept.coefficients)) return null;
  const of = kept.coefficients as Readonly<Record<string, unknown>>;
  const isLikely = (part: Part): boolean => of[part] === believed(part, of[part]);
  const isAsFast = (part: Part): boolean => {
    const ratio = Number(of[part]) / believed(part, now.coefficients[part]);
    return ratio < OTHER_SPEED && ratio > 1 / OTHER_SPEED;
  };
  return parts.every(isLikely) && isAsFast("statistic") ? (of as Coefficients) : null;
}

async function renewed(file: string, { machine, coefficients }: Calibrated): Promise<Coefficients> {
  const all = Object.fromEntries(parts.map((part) => [part, believed(part, coefficients[part])])) as Coefficients;
  await writeFile(`${file}.new`, `${JSON.stringify({ machine, coefficients: all })}\n`, { mode: 0o600 });
  await rename(`${file}.new`, file);
  return all;
}

/** Of what is not calibrated, what is stated. */
function believed(part: Part, value: unknown): number {
  const stated = STATED[part];
  if (typeof value !== "number" || part === "remote" || part === "remoteRow") return stated;
  return Math.min(Math.max(value, MIN_SHARE * stated), MAX_SHARE * stated);
}
