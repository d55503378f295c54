import { execFileSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { mistakesIn, right } from "../bench/truth/mistakes.ts";
import { openAsker } from "../bench/truth/run.ts";
import { scoreOf } from "../bench/truth/score.ts";
import { factsOf, openRaw } from "../bench/truth/table-facts.ts";
import { type Case, walk } from "../bench/truth/walk.ts";
import { temporaryFolder } from "./folder.kit.ts";

/** The bench over a made-up table: what `npm run truth` counts over real ones is counted rightly. */
const ROWS = 6000;
const CSV = [
  "ward,sex,pay,note",
  ...Array.from({ length: ROWS }, (_, at) => {
    const pay = at % 40 === 0 ? "NA" : String(1000 + ((at * 37) % 3600));
    return `${["North", "South", "East"][at % 3]},${at % 2 === 0 ? "f" : "m"},${pay},x`;
  }),
  "",
].join("\n");
const table = { name: "made-up", from: "r", path: [], categories: ["ward", "sex"], numbers: ["pay"] } as const;

const folder = temporaryFolder();
let place: Awaited<ReturnType<typeof openAsker>>;
let of: Case;
beforeAll(async () => {
  const file = join(folder, "t.csv");
  await writeFile(file, CSV);
  place = await openAsker();
  const raw = await openRaw(file);
  of = { asker: place.asker, table, raw, facts: await factsOf(raw, table), file };
});
afterAll(async () => {
  of.raw.closeSync();
  await place.close();
});

const mistakeNamed = (name: string) => mistakesIn(table, of.facts).find((each) => each.name === name) ?? right;
const shareOf = (answers: readonly { readonly cells: number; readonly held: number }[]): number =>
  answers.reduce((sum, { cells, held }) => sum + held / Math.max(1, cells), 0) / answers.length;

test("answers over a right declaration hold the truth; of numbers in another unit they do not, and say so", async () => {
  const first = await walk(of, right, "kept", new Set());
  expect(first.found).toBeUndefined();
  expect(first.answers.filter(({ absent }) => absent !== undefined)).toEqual([]);
  expect(first.answers).toHaveLength(12);
  // Each misses in one case of twenty: ten of twelve do in fewer than one of 10⁹.
  expect(shareOf(first.answers)).toBeGreaterThan(0.2);
  const kept = await walk(of, mistakeNamed("another unit"), "kept", new Set(first.ids));
  const mean = kept.answers.find(({ question }) => question === "mean");
  expect(mean).toMatchObject({ cells: 1, held: 0 });
  expect(mean?.said).not.toBe("nothing");
  const [score, , , found] = scoreOf([first, kept], () => false);
  expect(score).toBe("1 tables, 2 declarations, 24 answers");
  expect(found).toBe("wrong declarations found before ε was paid: 100.0 % of 1");
});

test("every mistake that is not read as it is meant is found before anything is paid", async () => {
  const { ids } = await walk(of, right, "checked", new Set());
  const mistakes = mistakesIn(table, of.facts);
  expect(mistakes.length).toBeGreaterThan(17);
  const silent: string[] = [];
  for (const mistake of mistakes) {
    const { found } = await walk(of, mistake, "checked", new Set(ids));
    if (found === undefined) silent.push(mistake.name);
  }
  expect(silent).toEqual(["spaces"]);
});

test("a forgotten category is corrected by the page's own button", async () => {
  const { ids } = await walk(of, right, "checked", new Set());
  const forgotten = mistakeNamed("a category forgotten");
  const { answers } = await walk(of, forgotten, "corrected", new Set(ids));
  expect(answers.find(({ question }) => question === "count by")?.cells).toBe(3);
});

test("who corrects a declaration checks it until nothing more is shown: codes of more values than one check shows", async () => {
  const { facts } = of;
  const wards = Array.from({ length: 60 }, (_, at) => `w${at}`);
  await of.raw.run(`CREATE TABLE many AS SELECT * REPLACE ('w' || ("row number" % 60) AS ward) FROM raw`);
  await of.raw.run("ALTER TABLE raw RENAME TO few; ALTER TABLE many RENAME TO raw");
  const ward = { ...facts.columns.ward, values: wards } as (typeof facts.columns)[string];
  const many = { ...of, facts: { ...facts, columns: { ...facts.columns, ward } } };
  const codes = mistakesIn(table, many.facts).find(({ name }) => name === "labels for codes") ?? right;
  const { answers } = await walk(many, codes, "corrected", new Set());
  await of.raw.run("ALTER TABLE raw RENAME TO many; ALTER TABLE few RENAME TO raw");
  const counted = answers.find(({ question }) => question === "count by");
  expect(counted?.cells).toBe(60);
  // Each of 60 misses in one case of twenty: 25 do in fewer than one of 10⁹ runs.
  expect(counted?.held).toBeGreaterThan(35);
});

test("a question is below the aim only where chance does not explain it", () => {
  const answers = (misses: number) =>
    Array.from({ length: 200 }, (_, at) => ({
      ...({ question: "count", cells: 1, held: at < misses ? 0 : 1, marked: 0, said: "nothing", misses: [] } as const),
    }));
  const score = (misses: number) =>
    scoreOf([{ table: "t", mistake: "right", way: "kept", answers: answers(misses) }], () => false);
  expect(score(18)[1]).toContain("91.0 ± 4.0 % of 200");
  expect(score(18)[5]).toMatch(/: none$/);
  expect(score(30)[5]).toMatch(/: count$/);
});

test("the bench runs as Node runs it, without what builds pages", () => {
  const bench = new URL("../bench/truth.ts", import.meta.url).pathname;
  const run = () =>
    execFileSync(process.execPath, ["--disable-warning=ExperimentalWarning", bench, "no such table"], {
      cwd: new URL("..", import.meta.url).pathname,
      encoding: "utf8",
      env: { ...process.env, TRUTH_CACHE: folder },
    });
  expect(run()).toMatch(/^0 tables, 0 declarations, 0 answers$/m);
}, 120_000);
