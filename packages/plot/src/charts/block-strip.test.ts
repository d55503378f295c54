import { type CalendarUnit, formatDate, periodOfDay, readPeriod } from "@dosimeter/core";
import fc from "fast-check";
import { expect, test } from "vitest";
import { walk } from "../scene/scene.ts";
import { type BlockStripRun, type BlockStripSpec, blockStrip } from "./block-strip.ts";

const DAY = readPeriod("2015-01-01")?.period ?? 0;
const WIDTH = 722;

/** Ten years of days of which each has spent something else, for some accounts. */
const days = (accounts: number, from = DAY, to = DAY + 3652): BlockStripSpec => ({
  title: "Ten years",
  every: "day",
  ...{ from, to },
  rows: Array.from({ length: accounts }, (_, row) => ({
    name: `account ${row}`,
    runs: Array.from({ length: 3653 }, (_, index) => ({
      ...{ from: DAY + index, to: DAY + index },
      used: (((index + row) * 379) % 1009) / 1009,
    })),
  })),
});

/** The bars of a strip of one row: the blocks that each says it stands for, and its height. */
const barsOf = (spec: BlockStripSpec) =>
  [...walk(blockStrip(spec, { width: WIDTH }).scene.nodes)].flatMap(({ tag, attributes, children: [title] }) => {
    if (tag !== "rect" || typeof title !== "object") return [];
    const [, first = "", last = first] = /^(.*?)(?: to (.*?))?: /.exec(String(title.children[0])) ?? [];
    const [from, to] = [first, last].map((name) => readPeriod(name)?.period ?? Number.NaN) as [number, number];
    return [{ from, to, height: Number(attributes.height) }];
  });

test.each([
  ["2020-01-01", "2020-02-29", "", 60],
  ["2019-01-01", "2020-12-31", "Each cell is one week, and as full as its fullest day.", 106],
  ["2015-01-01", "2024-12-31", "Each cell is one month, and as full as its fullest day.", 120],
])("%s to %s: the finest cells that can be seen", (first, last, said, cells) => {
  const [from, to] = [first, last].map((name) => readPeriod(name)?.period ?? 0) as [number, number];
  const { summary, table } = blockStrip(days(1, from, to), { width: WIDTH });
  expect(summary.endsWith(`.${said === "" ? "" : ` ${said}`}`)).toBe(true);
  expect(summary.includes("Each cell")).toBe(said !== "");
  expect(barsOf(days(1, from, to)).length).toBeGreaterThan(0.9 * cells);
  expect(barsOf(days(1, from, to)).length).toBeLessThanOrEqual(cells);
  // Exports have every day, however coarse the picture is.
  expect(table.rows).toHaveLength(to - from + 1);
});

test("a cell is as high as the fullest of its blocks, whatever the unit and the part that is shown", () => {
  const units = fc.constantFrom<CalendarUnit>("day", "week", "month", "quarter", "year");
  const tenths = fc.integer({ min: 0, max: 10 });
  const used = fc.array(fc.tuple(fc.integer({ min: 1, max: 300 }), tenths, tenths), { maxLength: 30 });
  fc.assert(
    fc.property(
      units,
      used,
      fc.integer({ min: 0, max: 900 }),
      fc.integer({ min: 0, max: 9000 }),
      (every, runs, skip, length) => {
        const start = periodOfDay(DAY, every);
        let next = start;
        const all: BlockStripRun[] = runs.map(([blocks, spent, held]) => {
          const earmarked = Math.min(held, 10 - spent) / 10;
          const run = { from: next, to: next + blocks - 1, used: spent / 10, earmarked };
          next += blocks;
          return run;
        });
        const [from, to] = [start + skip, start + skip + length];
        const spec = { title: "Any", every, from, to, rows: [{ name: "one", runs: all }] };
        const runOf = (block: number) => all.find((run) => run.from <= block && block <= run.to);
        const usedOf = (block: number) => runOf(block)?.used ?? 0;
        const takenOf = (block: number) => usedOf(block) + (runOf(block)?.earmarked ?? 0);
        const seen = new Set<number>();
        for (const [bar, ...above] of Map.groupBy(barsOf(spec), (one) => one.from).values()) {
          if (bar === undefined) continue;
          const blocks = Array.from({ length: bar.to - bar.from + 1 }, (_, at) => bar.from + at);
          const [spent, taken] = [usedOf, takenOf].map((of) => 22 * Math.max(...blocks.map(of))) as [number, number];
          const heights = [bar, ...above].map(({ height }) => height);
          // What is spent, and what is set aside on it; no bar where there is nothing.
          const want = [spent, taken - spent].filter((height) => height > 1e-9);
          expect(heights).toHaveLength(want.length);
          for (const [at, height] of want.entries()) expect(Math.abs((heights[at] ?? 0) - height)).toBeLessThan(0.02);
          for (const block of blocks) {
            expect(seen.has(block)).toBe(false);
            seen.add(block);
          }
        }
        for (let block = from; block <= to; block++)
          if (takenOf(block) > 0) expect(seen.has(block), formatDate(block, every)).toBe(true);
      },
    ),
    { numRuns: 60 },
  );
});

test("twenty accounts over ten years of days are drawn in a moment, with as many bars as can be seen", () => {
  const spec = days(20);
  blockStrip(spec, { width: 1440 });
  const start = process.cpuUsage();
  const { scene } = blockStrip(spec, { width: 1440 });
  const { user, system } = process.cpuUsage(start);
  expect([...walk(scene.nodes)].filter(({ tag }) => tag === "rect").length).toBeLessThan(20 * 241);
  expect((user + system) / 1e6, "seconds of the processor").toBeLessThan(1);
});
