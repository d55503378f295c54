import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { boundPlan, heldOf } from "@dosimeter/query/bind";
import { checkDeclaration } from "@dosimeter/query/declaration";
import { beforeEach, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/folder.kit.ts";
import { declaration } from "../instance.kit.ts";
import type { Calibrated } from "../measuring/calibrate.ts";
import type { Measurer } from "../measuring/measurer.ts";
import { openTimetable, STATED } from "./timetable.ts";

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

const plan = boundPlan(
  { statistics: [{ statistic: "count", epsilon: "1" }] },
  checkDeclaration({ ...declaration, mostRows: 30_000_000 }),
);

/** A start on a machine that takes `times` what is stated: whether it was calibrated, and what one plan takes then. */
async function start(times: number, machine = "this one"): Promise<{ readonly isNew: boolean; readonly cost: number }> {
  let isNew = false;
  const coefficients = Object.fromEntries(Object.entries(STATED).map(([part, stated]) => [part, times * stated]));
  const run = (async (_: "calibrate", { isWhole }: { readonly isWhole: boolean }): Promise<Calibrated> => {
    isNew ||= isWhole;
    return { machine, coefficients };
  }) as unknown as Measurer["run"];
  const timetable = openTimetable({ info: () => undefined, error: () => undefined }, join(folder, "timetable.json"));
  await timetable.prepare(run);
  await timetable.calibrate(run);
  return { isNew, cost: timetable.departureOf(plan).cost };
}

const stated = openTimetable({ info: () => undefined, error: () => undefined }).departureOf(plan).cost;

test("[M361] a machine is calibrated once, and again where it, what runs on it or its speed is another", async () => {
  expect(await start(2)).toEqual({ isNew: true, cost: expect.closeTo(2 * stated, 6) });
  expect(await start(2.5), "chance").toEqual({ isNew: false, cost: expect.closeTo(2 * stated, 6) });
  expect(await start(2, "another engine")).toMatchObject({ isNew: true });
  expect(await start(20, "another engine")).toEqual({ isNew: true, cost: expect.closeTo(20 * stated, 6) });
});

test("[M361] a file that is damaged, lies or is gone is made again; nothing below a quarter of what is stated is believed", async () => {
  const file = join(folder, "timetable.json");
  await start(1);
  const text = await readFile(file, "utf8");
  const { machine, coefficients } = JSON.parse(text);
  const lying = (more: object) => JSON.stringify({ machine, coefficients: { ...coefficients, ...more } });
  for (const content of [
    ...["", "null", "{}", "[]", text.slice(0, -20), text.replace("this one", "that one")],
    ...[{ person: 0 }, { person: -1 }, { person: 1e9 }, { person: null }, { person: "80" }, { statistic: 1e7 }],
  ].map((one) => (typeof one === "string" ? one : lying(one)))) {
    await writeFile(file, content);
    expect((await start(1)).isNew, content).toBe(true);
    expect(JSON.parse(await readFile(file, "utf8"))).toEqual(JSON.parse(text));
  }
  await rm(file);
  expect(await start(1 / 100)).toEqual({ isNew: true, cost: expect.closeTo(stated / 4, 6) });
});

test("a file of more rows than are bounded at once departs as late as it takes to read it for each part", () => {
  const costOf = (mostHeld?: number, bound = plan) =>
    openTimetable({ info: () => undefined, error: () => undefined }, null, mostHeld).departureOf(bound).cost;
  const perPass = costOf(15_000_000) - stated;
  expect(perPass).toBeGreaterThanOrEqual(30_000_000 * STATED.text * 1e-6);
  expect(costOf(10_000_000) - stated).toBeCloseTo(2 * perPass, 6);
  expect(costOf(30_000_000)).toBe(stated);
  const finding = (mostValues: number) => {
    const columns = { ...declaration.columns, word: { type: "text" as const, mostValues } };
    const table = checkDeclaration({ ...declaration, columns, mostRows: 30_000_000 });
    const counts = { statistic: "keyCounts", column: "word", epsilon: "1", delta: "0.000001" } as const;
    return boundPlan({ statistics: [counts] }, table);
  };
  const found = [10, 2_000_000, 20_000_000].map((mostValues) => heldOf(finding(mostValues), 31_000_000).parts);
  expect(found, "values to find leave room for fewer rows [M210]").toEqual([1, 2, 6]);
  const rows = checkDeclaration({ ...declaration, privacyUnit: "row", contribution: {}, mostRows: 30_000_000 });
  const byRow = boundPlan({ statistics: [{ statistic: "count", epsilon: "1" }] }, rows);
  expect(costOf(10_000_000, byRow), "each row is a unit").toBe(costOf(undefined, byRow));
});

test("what cannot be calibrated leaves what is stated, and says so", async () => {
  const lines: string[] = [];
  const timetable = openTimetable(
    { info: () => undefined, error: (line) => lines.push(line) },
    join(folder, "timetable.json"),
  );
  await timetable.calibrate(() => Promise.reject(new Error("ended")));
  expect([timetable.departureOf(plan).cost, lines]).toEqual([stated, ["CALIBRATION_FAILED"]]);
});
