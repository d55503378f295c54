import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../../../test/folder.kit.ts";
import { openTimetable, STATED } from "../release/timetable.ts";
import { openMeasurer, startProcess } from "./measurer.ts";

test("[M361] what is calibrated on this machine is believed at its next start, and every part has a coefficient", async () => {
  const folder = temporaryFolder();
  const measurer = openMeasurer({ files: { root: folder, threads: 1 } }, () => startProcess());
  onTestFinished(measurer.close);
  const { coefficients } = await measurer.run("calibrate", { isWhole: true });
  const stated = Object.keys(STATED).filter((part) => !part.startsWith("remote"));
  expect(Object.keys(coefficients).toSorted()).toEqual(stated.toSorted());
  for (const value of Object.values(coefficients)) expect(value).toBeGreaterThanOrEqual(0);
  const lines: string[] = [];
  const say = (line: string): void => void lines.push(line);
  for (let start = 0; start < 2; start += 1) {
    const timetable = openTimetable({ info: say, error: say }, join(folder, "timetable.json"));
    await timetable.prepare(measurer.run);
    await timetable.calibrate(measurer.run);
  }
  expect(lines).toEqual(["calibrated on public rows"]);
}, 180_000);
