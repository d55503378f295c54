import { expect, test } from "vitest";
import { publicData } from "../explore/risk/public-data.ts";
import { type RiskTask, runTask } from "./run-task.ts";

const { provenance, origin, rows } = publicData.health;
const task = {
  kind: "sample",
  provenance,
  origin,
  rows: rows(),
  statistic: "sum",
  size: 10,
  pairs: 100,
  seed: 1,
} as const;

test("every distance is in one piece, and the last piece completes them", () => {
  let asked = 0;
  const pieces = [...runTask(task, () => ++asked % 30 === 0)];
  const seen = pieces.flatMap((piece) => (piece.kind === "distances" ? piece.values : []));
  expect(seen).toHaveLength(100);
  expect(new Set(seen)).toEqual(new Set([0, 1]));
  expect(pieces.filter(({ kind }) => kind === "distances").length).toBe(4);
  expect(pieces.at(-1)).toMatchObject({ done: 100, total: 100 });
  expect([...runTask(task, () => false)].flatMap((piece) => (piece.kind === "distances" ? piece.values : []))).toEqual(
    seen,
  );
});

test("compositions come row by row", () => {
  const compose: RiskTask = { kind: "compose", epsilon0: 0.5, delta: 1e-5, counts: [1, 10] };
  const rowsSeen = [...runTask(compose, () => false)].flatMap((piece) => (piece.kind === "row" ? [piece] : []));
  expect(rowsSeen.map(({ value, done, total }) => [value.count, done, total])).toEqual([
    [1, 1, 2],
    [10, 2, 2],
  ]);
});

test("private records are refused by the library itself", () => {
  expect(() => [...runTask({ ...task, provenance: "private" }, () => false)]).toThrow(
    expect.objectContaining({ code: "FORBIDDEN" }),
  );
});

test.each(Object.entries(publicData))("%s is the same each time and made of finite numbers", (_, data) => {
  const table = data.rows();
  expect(table).toEqual(data.rows());
  expect(table.every((row) => row.length === data.columns.length && row.every(Number.isFinite))).toBe(true);
});
