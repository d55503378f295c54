import { Exact } from "@dosimeter/core";
import { seededRandom } from "@dosimeter/core/testing";
import { addNoise } from "@dosimeter/query/answer";
import { boundPlan } from "@dosimeter/query/bind";
import { checkDeclaration } from "@dosimeter/query/declaration";
import { expect, test } from "vitest";
import { fixtureOf } from "../fixture.kit.ts";
import { countPlan, csvBytes, declaration } from "../instance.kit.ts";
import { CLASS_MS, openTimetable } from "./timetable.ts";

const fixture = fixtureOf();

const timetable = openTimetable({ info: () => undefined, error: () => undefined });

/** Releases of each of two tables. */
const RELEASES = 50;
/**
 * Farther apart are two samples of 50 from one distribution, by Kolmogorov's and Smirnov's distance, in 1.4 of 10¹⁰ cases: at 33 of 50 or more,
 * 2·(C(100, 17) − …) / C(100, 50), exactly where no two values are equal and less often where some are.
 */
const FARTHEST = 0.65;

/** Kolmogorov's and Smirnov's distance between two samples. */
function distance(a: readonly number[], b: readonly number[]): number {
  const share = (sample: readonly number[], x: number): number => sample.filter((y) => y <= x).length / sample.length;
  return Math.max(...[...a, ...b].map((x) => Math.abs(share(a, x) - share(b, x))));
}

const crowd = Array.from({ length: 2000 }, (_, i) => `${i + 2},${20 + (i % 60)},${i % 2 === 0 ? "f" : "m"},50000`);
/** One person more, with as many rows as all the others together. */
const heavy = Array.from({ length: 2000 }, (_, i) => `1,${20 + (i % 70)},f,90000000`);

async function accountOver(rows: readonly string[], name: string) {
  const { datasetAdmin } = fixture.as;
  const content = csvBytes(["person,age,sex,salary", ...rows, ""].join("\n"));
  const file = await datasetAdmin.uploadFile({ name: `${name}.csv`, content });
  const { id: dataset } = await datasetAdmin.createDataset({
    file: file.id,
    declaration: { ...declaration, mostRows: 4000 },
    name,
  });
  const { id: ledger } = await datasetAdmin.openLedger({ dataset, epsilon: "5", delta: "1e-6" });
  const holder = { kind: "person", id: fixture.people.datasetAdmin } as const;
  const { id: account } = await datasetAdmin.createAccount({ ledger, holder, epsilon: "4" });
  return { dataset, account };
}

test("case 38, 39: durations of a release do not tell neighbours apart, nor large noise from small", async () => {
  const tables = [await accountOver([...heavy, ...crowd], "with"), await accountOver(crowd, "without")];
  const truths = [2001, 2000];
  const random = seededRandom(38);
  const seen = tables.map(() => [] as { readonly took: number; readonly noise: number }[]);
  const release = async (which: number): Promise<void> => {
    const table = tables[which];
    if (table === undefined) throw new Error("one of two tables");
    const started = performance.now();
    const { answers } = await fixture.as.datasetAdmin.releaseAndWait({ ...table, plan: countPlan("0.01") });
    const took = performance.now() - started;
    const [cell] = (answers?.[0]?.cells ?? []) as readonly { readonly value: number }[];
    seen[which]?.push({ took, noise: Math.abs((cell?.value ?? 0) - (truths[which] ?? 0)) });
  };
  // In pairs, the first of each by chance: whatever else the machine does happens to both alike.
  for (let pair = -2; pair < RELEASES; pair++) {
    const first = random.uint32() % 2;
    await release(first);
    await release(1 - first);
    if (pair < 0) for (const list of seen) list.length = 0; // files are read in full only once
  }
  const [inside = [], outside = []] = seen.map((list) => list.map(({ took }) => took));
  expect(Math.min(...inside, ...outside)).toBeGreaterThanOrEqual(CLASS_MS);
  expect(distance(inside, outside)).toBeLessThan(FARTHEST);
  const byNoise = seen
    .flat()
    .sort((a, b) => a.noise - b.noise)
    .map(({ took }) => took);
  expect(distance(byNoise.slice(0, RELEASES), byNoise.slice(RELEASES))).toBeLessThan(FARTHEST);
  // If seven in ten of one table's releases took a class longer, that would be seen.
  const one = new Array<number>(RELEASES).fill(CLASS_MS);
  expect(
    distance(
      one,
      one.map((took, at) => (at % 10 < 7 ? 2 * took : took)),
    ),
  ).toBeGreaterThan(FARTHEST);
});

test("drawing what takes longest, with a row at every leaf, takes no longer than its deadline", () => {
  const columns = { salary: { type: "integer", lower: 0, upper: 65_000, required: true } } as const;
  const shares = Array.from({ length: 99 }, (_, at) => (at + 1) / 100);
  const asked = { column: "salary", quantiles: shares, epsilon: "0.01" } as const;
  const plan = boundPlan(
    {
      statistics: [
        { statistic: "quantiles", ...asked },
        { statistic: "variance", column: "salary", epsilon: "1" },
      ],
    },
    checkDeclaration({ name: "t", source: { csv: "t.csv" }, privacyUnit: "row", size: { assumed: 1000 }, columns }),
  );
  const leaves = new Array<bigint>(65_001).fill(1n);
  const before = process.threadCpuUsage();
  addNoise(plan, new Exact([leaves, [10n ** 12n, 10n ** 12n, 10n ** 12n]]), seededRandom(5));
  const { user } = process.threadCpuUsage(before);
  // The processor's own time, of which five times as much would do where this was measured.
  expect(user / 1000).toBeLessThan(timetable.departureOf(plan).deadline);
});

test("drawing groups that were found, with many leaves each, takes no longer than its deadline", () => {
  const columns = {
    word: { type: "text" },
    salary: { type: "integer", lower: 0, upper: 65_000, required: true },
  } as const;
  const asked = { column: "salary", groupBy: ["word"], keys: "select", delta: "0.000001", epsilon: "1" } as const;
  const plan = boundPlan(
    { statistics: [{ statistic: "quantileInterval", ...asked }] },
    checkDeclaration({ name: "t", source: { csv: "t.csv" }, privacyUnit: "row", size: { assumed: 1000 }, columns }),
  );
  const leaves = new Array<bigint>(65_001).fill(0n).fill(1n, 0, 50);
  const found = Array.from({ length: 30 }, (_, at) => `w${at}`);
  const measured = Object.assign(new Array<bigint>(30).fill(50n), { found, cellsOf: () => leaves });
  const before = process.threadCpuUsage();
  const answers = addNoise(plan, new Exact([measured]), seededRandom(5));
  const { user } = process.threadCpuUsage(before);
  expect(answers[0]?.cells.length).toBeGreaterThan(10);
  expect(user / 1000).toBeLessThan(timetable.departureOf(plan, { published: [answers[0]?.cells.length] }).deadline);
});
