import { expect, test } from "vitest";
import { memoryOfConnections, memoryOfFiles, mostFoundBytes, spillWithin } from "./memory.ts";

test("the memory of the setting is all that the process of the files may take, its engine a part of it", () => {
  const { process, engine, mostHeld } = memoryOfFiles("2GB", 7);
  expect({ process, engine }).toEqual({ process: { memory: 2e9, heap: 1.25e9, threads: 7 }, engine: "1250MB" });
  // As measured, a unit of eight rows takes 190 bytes next to the engine's memory and a row that is ranked 160 of it. All that run at
  // once hold 1.25 times the most rows, as the last quarter is for brief ones: see `room.test.ts`.
  expect(mostHeld * 1.25 * 190).toBeLessThanOrEqual(2e9 - 1.25e9 - 1e8);
  expect(mostHeld * 1.25 * 160).toBeLessThanOrEqual(1.25e9);
  // What may be found counts as rows of 180 bytes that are not held; where nothing is held, all that run find 1.5 times what one may.
  expect(mostFoundBytes("2GB")({ csv: "a.csv" }) * 1.5).toBeLessThanOrEqual(mostHeld * 1.25 * 190);
  expect(memoryOfFiles("4GiB").engine).toBe("2684MB");
  const most = mostFoundBytes("5GB");
  expect([most({ csv: "a.csv" }), most({ postgres: { connection: "c", schema: "s", table: "t" } })]).toEqual([
    1e9, 5e8,
  ]);
  expect(memoryOfConnections("500MB")).toEqual({ memory: 250e6, heap: 125e6 });
});

test("what may spill is the setting, and no more than the disk has next to what stays free", () => {
  expect(spillWithin(1e12)).toBe("16000MB");
  expect(spillWithin(3e9, "500MB")).toBe("500MB");
  expect(spillWithin(3e9)).toBe("3000MB");
  expect(spillWithin(-5)).toBe("1MB");
});
