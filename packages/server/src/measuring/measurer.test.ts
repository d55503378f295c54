import { EventEmitter } from "node:events";
import { tmpdir } from "node:os";
import { checkDeclaration } from "@dosimeter/query/declaration";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { declaration } from "../instance.kit.ts";
import type { Said } from "./job.ts";
import { MAX_JOB_MS, openMeasurer, STOP_MS } from "./measurer.ts";

const version = "v".repeat(64);
const table = checkDeclaration(declaration);
const reading = { declaration: table, table: { version, salt: "5e" } } as const;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A process that ends no job by itself. */
function openSilent() {
  const said: Said[] = [];
  let kills = 0;
  const child = Object.assign(new EventEmitter(), {
    send: (one: Said) => said.push(one),
    kill() {
      kills += 1;
      child.emit("exit");
    },
    ref: () => undefined,
  });
  const measurer = openMeasurer({ files: { root: tmpdir() } }, () => child);
  return {
    measurer,
    child,
    kills: () => kills,
    stops: () => said.flatMap((one) => (one.kind === "stop" ? one.id : [])),
  };
}

test("a job that takes too long is stopped; the process goes on when it ends then", async () => {
  const { measurer, child, kills, stops } = openSilent();
  const long = measurer.run("probe", null);
  vi.advanceTimersByTime(MAX_JOB_MS);
  expect([stops(), kills()]).toEqual([[1], 0]);
  child.emit("message", { id: 1, refusal: null });
  await expect(long).rejects.toMatchObject({ code: "INTERNAL" });
  vi.advanceTimersByTime(2 * STOP_MS);
  expect(kills()).toBe(0);
});

test("of a job that cannot be stopped, though its caller has left, the process is killed; the others ended because of it", async () => {
  const { measurer, kills, stops } = openSilent();
  const leaving = new AbortController();
  const stuck = [measurer.run("probe", null), measurer.run("probe", null, leaving.signal)];
  const ended = Promise.allSettled(stuck);
  leaving.abort();
  vi.advanceTimersByTime(MAX_JOB_MS);
  const other = expect(measurer.run("probe", null)).rejects.toMatchObject({ code: "NOT_READY", isOfAnother: true });
  expect([stops(), kills()]).toEqual([[2, 1, 2], 0]);
  vi.advanceTimersByTime(STOP_MS);
  await other;
  expect(kills()).toBeGreaterThan(0);
  expect(await ended).toMatchObject([{ reason: { isOfAnother: false } }, { reason: { name: "AbortError" } }]);
});

test("[M360] what a release has read counts when it has departed, not when it has ended, and only in that process", async () => {
  const { measurer, child } = openSilent();
  const first = await measurer.ready(reading);
  const answering = measurer.run("answer", { plan: { statistics: [] }, ...reading });
  expect((await measurer.ready(reading)).hasRead, "running").toBe(false);
  child.emit("message", { id: 1, result: [] });
  await answering;
  expect([first.hasRead, (await measurer.ready(reading)).hasRead], "ended").toEqual([false, false]);
  first.depart();
  expect((await measurer.ready(reading)).hasRead, "departed").toBe(true);
  child.emit("exit");
  first.depart();
  expect((await measurer.ready(reading)).hasRead, "another process").toBe(false);
});

test("[M360] a check counts when it ends where its salt is new: of a version that was there before, people may ask meanwhile", async () => {
  const { measurer, child } = openSilent();
  for (const [index, isNew] of [false, true].entries()) {
    const checking = measurer.run("check", { declaration: table, salt: "5e", isNew });
    child.emit("message", { id: index + 1, result: { version, salt: "5e" } });
    await checking;
    expect((await measurer.ready(reading)).hasRead).toBe(isNew);
  }
});
