import { readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { beforeAll, describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/folder.kit.ts";
import { said } from "../terminal.kit.ts";

const cwd = temporaryFolder();
beforeAll(async () => {
  const rows = Array.from({ length: 4000 }, (_, index) => `${20 + (index % 61)},${index % 2 === 0 ? "f" : "m"}`);
  await writeFile(join(cwd, "people.csv"), ["age,sex", ...rows].join("\n"));
});

const computeOf = (file: string, ...args: readonly string[]) => said(["compute", file, ...args], { cwd });
const declared = (columns: object, more: object = {}) => ["-d", JSON.stringify({ columns, ...more })] as const;
const people = { age: { type: "integer", lower: 0, upper: 120 }, sex: { type: "category", categories: ["f", "m"] } };
const compute = (...args: readonly string[]) => computeOf("people.csv", ...declared(people), ...args);

test("one statistic of a local file, and that nothing is charged", async () => {
  const { code, out } = await compute("-s", "mean age epsilon=5 by sex");
  expect(code).toBe(0);
  expect(out).toContain("No ledger counts what this spent");
  expect(out).toMatch(/^f\t(49|50)\./m);
  expect(await readdir(cwd)).toEqual(["people.csv"]);
});

test("as JSON, with the answers, the price and the error", async () => {
  const { code, out } = await compute("-s", "count epsilon=2", "--json");
  const { counted, answers, statistics } = JSON.parse(out);
  expect({ code, counted }).toEqual({ code: 0, counted: false });
  expect(Math.abs(answers[0].cells[0].value - 4000)).toBeLessThan(40); // fails with probability below e^−80
  expect(statistics[0]).toMatchObject({ cost: { epsilon: "2" }, cells: 1 });
});

test("as CSV, with the warning outside the file", async () => {
  const { code, out, err } = await compute("-s", "count epsilon=3 by sex", "--csv");
  expect(code).toBe(0);
  const [heading, ...rows] = out.trim().split("\n");
  expect(heading).toContain("value");
  expect(rows).toHaveLength(2);
  expect(out).not.toContain("No ledger counts");
  expect(err).toContain("No ledger counts what this spent");
});

test("markers of a column are missing values; one that its column cannot hold is named", async () => {
  await writeFile(join(cwd, "coded.csv"), `age\n${"-9\n".repeat(2000)}${"50\n".repeat(2000)}`);
  const coded = (...missing: readonly unknown[]) =>
    computeOf(
      "coded.csv",
      ...declared({ age: { ...people.age, missing } }),
      ...["-s", "count epsilon=2 where age >= 0", "--json"],
    );
  const { out } = await coded("-9", "NA");
  expect(Math.abs(JSON.parse(out).answers[0].cells[0].value - 2000)).toBeLessThan(40); // fails with probability below e^−80
  const refused = await coded("NA", "1.5");
  expect(refused.code).toBe(2);
  expect(refused.err).toMatch(/missing\[1\] is "?1\.5"?, must be a whole number/);
});

test("the share of rows without a value follows the count of values, and says whose number of rows it takes", async () => {
  await writeFile(join(cwd, "half.csv"), `age\n${"NA\n".repeat(2000)}${"50\n".repeat(2000)}`);
  const age = { ...people.age, missing: ["NA"] };
  const half = (more: object, ...args: readonly string[]) =>
    computeOf("half.csv", ...declared({ age }, more), "-s", "count age epsilon=2", ...args);
  // Each sentence below fails with probability below e^−80.
  expect((await half({}, "-s", "count epsilon=2")).out).toMatch(
    /^About (?:49|50|51)[.\d]* % of the rows have no value, between (?:4[89]|50)[.\d]* and 5[012][.\d]* % in 90 of 100 cases\. Their number is the noisy count of this plan\.$/m,
  );
  expect((await half({ size: { public: 4000 }, adjacency: "replace" })).out).toMatch(
    /^About (?:49|50|51)[.\d]* % .* in 95 of 100 cases\. Their number, 4,000, is public\.$/m,
  );
  expect((await half({})).out).toContain("not known: their number is not public, and this plan does not count them.");
});

test("a Parquet file is read like a CSV file", async () => {
  const writer = await DuckDBInstance.create(":memory:");
  const connection = await writer.connect();
  const file = join(cwd, "people.parquet").replaceAll("'", "''");
  await connection.run(`COPY (SELECT range % 61 AS age FROM range(4000)) TO '${file}' (FORMAT parquet)`);
  connection.closeSync();
  writer.closeSync();
  const { code, out } = await computeOf(
    "people.parquet",
    ...declared({ age: { type: "integer", lower: 0, upper: 60 } }),
    ...["-s", "mean age epsilon=5", "--json"],
  );
  expect(code).toBe(0);
  expect(Math.abs(JSON.parse(out).answers[0].cells[0].value - 30)).toBeLessThan(1);
  await rm(join(cwd, "people.parquet"));
});

test("on a secret sample: the event says so and the answer is for the whole file [M128]", async () => {
  const { code, out } = await compute("-s", "count epsilon=5", "--sample", "0.25", "--json");
  const { answers, statistics } = JSON.parse(out);
  expect(code).toBe(0);
  expect(statistics[0].events[0]).toMatchObject({ kind: "poissonSampled", event: { kind: "discreteLaplace" } });
  expect(Math.abs(answers[0].cells[0].value - 4000)).toBeLessThan(4 * 7 * Math.sqrt(750) + 4 * 20); // 7σ, below 10⁻¹¹, and e^−100
  expect(answers[0].notes.join()).toContain("secret sample");
  const fixed = declared(people, { adjacency: "replace", size: { public: 4000 } });
  const sampled = ["-s", "count epsilon=5", "--sample", "100", "--json"];
  const other = JSON.parse((await computeOf("people.csv", ...fixed, ...sampled)).out);
  expect(other.statistics[0].events[0]).toMatchObject({
    kind: "sampledWithoutReplacement",
    size: 100,
    population: 4000,
  });
});

test.each([
  ["2", "sample.size"],
  ["1.5", "sample.rate"],
  ["half", "--sample"],
  ["-1", "--sample"],
])("a sample of %s is refused", async (sample, name) => {
  const { code, err, out } = await compute("-s", "count epsilon=1", `--sample=${sample}`);
  expect(err).toContain(name);
  expect({ code, out }).toEqual({ code: 2, out: "" });
});

test("a file that is not there, or that is not as declared, tells no value of it", async () => {
  expect((await computeOf("nobody.csv", "-s", "count epsilon=1")).code).not.toBe(0);
  const { code, out, err } = await computeOf(
    "people.csv",
    ...declared({ sex: { type: "integer", lower: 0, upper: 1 } }),
    ...["-s", "sum sex epsilon=1"],
  );
  expect(code).not.toBe(0);
  expect(out).toBe("");
  expect(err).toContain("[DATA_UNREADABLE]");
  expect(err).not.toMatch(/\bm\b|"f"/);
});

test.each([
  [["-s", "mean wage epsilon=1"], "UNKNOWN_COLUMN", 2],
  [["-s", "sum age epsilon=0"], "INVALID_PARAMETER", 2],
  [[], "EMPTY_PLAN", 2],
  [["-s", "count epsilon=1", ...declared(people, { privacyUnit: { column: "age" } })], "INVALID_PARAMETER", 2],
])("%j is refused before the file is read", async (args, code, exit) => {
  const result = await compute(...args);
  expect(result.err).toContain(`[${code}]`);
  expect(result).toMatchObject({ code: exit, out: "" });
});

test("decimals add up to the last digit, and more digits than declared are refused", async () => {
  const fees = Array.from({ length: 2000 }, (_, index) => `0.${String(index % 100).padStart(2, "0")}`);
  await writeFile(join(cwd, "fees.csv"), ["fee", ...fees].join("\n"));
  const ask = (scale: number) =>
    computeOf(
      "fees.csv",
      ...declared({ fee: { type: "decimal", lower: 0, upper: 1, scale } }),
      "-s",
      "sum fee epsilon=1000",
      "-s",
      "count epsilon=1000 where fee = 0.29",
    );
  const { code, out } = await ask(2);
  expect(code).toBe(0);
  expect(out).toMatch(/^(989\.9\d|990(\.0\d?)?)\t/m);
  expect(out).toMatch(/^20\t/m);
  expect((await ask(1)).code).not.toBe(0);
});

describe("times", () => {
  const span = { type: "timestamp", lower: "2024-01-01", upper: "2024-12-31" };
  const came = { ...span, zone: "Europe/Berlin", pattern: "DD.MM.YYYY HH:mm" };
  beforeAll(async () => {
    const rows = Array.from(
      { length: 4000 },
      (_, index) => `10.${index % 10 < 4 ? "03" : "07"}.2024 ${String(8 + (index % 4)).padStart(2, "0")}:30`,
    );
    await writeFile(join(cwd, "came.csv"), ["came", ...rows].join("\n"));
  });
  const timed = (...args: readonly string[]) => computeOf("came.csv", ...declared({ came }), ...args);

  test("answers are times of the zone, bins its months, groups the hours on its clocks", async () => {
    const { code, out } = await timed(
      ...["--let", "h = hour(came)", "-s", "median came epsilon=50", "-s", "histogram came bins=month epsilon=50"],
      ...["-s", "count epsilon=50 by h where came < '2024-07-10 11:00'"],
    );
    expect(code).toBe(0);
    expect(out).toMatch(/^2024-07-1\dT\d\d:\d\d:\d\d\+02:00\t/m);
    expect(out).toMatch(/^2024-03\t(1599|1600|1601)\t/m);
    expect(out).toMatch(/^2024-04\t[01-]/m);
    expect(out).toMatch(/^8\t\d{3,4}\t/m);
    expect(out).toMatch(/^11\t(399|400|401)\t/m);
  });

  test.each([
    [["-s", "mean came 2024-03-10T08:00..2024-02-01 epsilon=1"], "must be before"],
    [["-s", "histogram came bins=fortnight epsilon=1"], 'bins is "fortnight"'],
    [["-s", "count epsilon=1 where came < '2024-03-10 8:00'"], "must be a time such as '2024-03-15T10:30:00'"],
    [[...declared({ came, late: span }), "-s", "count epsilon=1"], ".zone is missing, must be a time zone such as"],
  ] as const)("%j is refused before anything is read", async (args, message) => {
    const { code, err } = await timed(...args);
    expect(code).not.toBe(0);
    expect(err).toContain(message);
  });
});

describe("dates", () => {
  const born = { type: "date", lower: "1990-01-01", upper: "2024-12-31", pattern: "DD.MM.YYYY" };
  const half = { type: "integer", lower: 0, upper: 1 };
  beforeAll(async () => {
    const day = (index: number): string => `${String(1 + (index % 28)).padStart(2, "0")}.03.2024`;
    const rows = Array.from(
      { length: 4000 },
      (_, index) => `${index % 100 === 0 ? "01.01.1900" : day(index)},${index % 2}`,
    );
    await writeFile(join(cwd, "born.csv"), ["born,half", ...rows].join("\n"));
  });
  const dated = (...args: readonly string[]) => computeOf("born.csv", ...declared({ born }), ...args);

  test("a median, a mean and a spread are shown as a date, a date within dates, and days", async () => {
    const { code, out } = await dated(
      ...["-s", "median born epsilon=5", "-s", "mean born 2024-01-01..2024-12-31 epsilon=5"],
      ...["-s", "standardDeviation born 2024-01-01..2024-12-31 epsilon=5", "-s", "maximum born epsilon=5"],
    );
    expect(code).toBe(0);
    expect(out).toMatch(/^2024-03-1\d\tat most \d+ rows off/m);
    expect(out).toMatch(/^2024-03-1\d\t2024-03-1\d … 2024-03-1\d/m);
    expect(out).toMatch(/answer \(days\)/);
    expect(out).toMatch(/Values outside 2024-01-01 to 2024-12-31 were counted as the nearer bound/);
  });

  test("by month, with months that no one was born in, and a filter by age", async () => {
    const { out } = await dated(
      ...["--let", "m = cut(born, 'month')", "--let", "old = age(born, date '2024-12-31')"],
      ...["-s", "count epsilon=5 by m where born >= '2024-01-01'", "-s", "count epsilon=5 where old > 30", "--csv"],
    );
    const cells = Object.fromEntries(
      out
        .trim()
        .split("\r\n")
        .map((line) => line.split(","))
        .filter(([id]) => id === "s1")
        .map((cell) => [cell[4], Number(cell[6])]),
    );
    expect(Object.keys(cells)).toHaveLength(35 * 12);
    expect(Math.abs((cells["2024-03"] ?? 0) - 3960)).toBeLessThan(20);
    expect(Math.abs((cells["2024-04"] ?? 0) - 0)).toBeLessThan(20);
    expect(Number(/^s2,.*?,,(-?\d+),/m.exec(out)?.[1])).toBeGreaterThan(20);
  });

  test("a histogram by year and a curve, whose quantiles are dates", async () => {
    const { out } = await dated(
      "-s",
      "histogram born bins=year epsilon=5",
      "-s",
      "cdf born 2024-01-01..2024-12-31 epsilon=50",
    );
    expect(out).toMatch(/^2024\t39\d\d\t/m);
    expect(out).toMatch(/^50 %\t2024-03-1\d\t2024-03-\d\d … 2024-03-\d\d/m);
  });

  test.each([
    [["-s", "sum born epsilon=1"], "dates have no total"],
    [["-s", "mean born 2024-13-01..2024-12-31 epsilon=1"], "must be a date such as '2024-03-15'"],
    [["-s", "histogram born bins=2024-03-01,2024-02-01 epsilon=1"], "bins[1]"],
    [["-s", "count epsilon=1 where born > 5"], "must be a date such as '2024-03-15'"],
    [["-s", "count epsilon=1 where born > '2023-02-29'"], "must be a date such as '2024-03-15'"],
    [["-s", "covariance born with=half epsilon=1", ...declared({ born, half })], "number"],
    [["-s", "bounds born epsilon=1"], "an integer or number column"],
    [["--let", "x = born + 0.5", "-s", "mean x epsilon=1"], "a whole number of its periods"],
    [["--let", "x = cut(born, 'decade')", "-s", "mean x epsilon=1"], "one of 'day', 'week'"],
    [["--let", "x = year(5)", "-s", "mean x epsilon=1"], "a date"],
  ] as const)("%j is refused before anything is read", async (args, message) => {
    const { code, err } = await dated(...args);
    expect(code).not.toBe(0);
    expect(err).toContain(message);
  });
});
