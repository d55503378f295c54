import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/folder.kit.ts";
import { checkDeclaration } from "../../../query/src/declaration/check-declaration.ts";
import type { Engine, Fit } from "../../../query/src/plan/engine.ts";
import { duckdbEngine } from "./engine.ts";

const root = temporaryFolder();
let engine: Engine;
beforeAll(async () => {
  engine = await duckdbEngine({ root, threads: 2 });
});
afterAll(() => engine.close());

type Columns = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

async function fit(csv: string, columns: Columns, more: object = {}, fewerThan = 10): Promise<Fit> {
  await writeFile(join(root, "t.csv"), csv);
  const declaration = checkDeclaration({ name: "t", source: { csv: "t.csv" }, privacyUnit: "row", columns, ...more });
  return engine.fit(declaration, { fewerThan });
}

test("rows that break what is declared impossible, and those in another place, are counted for who sent them", async () => {
  const of = { Georgia: ["Fulton"], California: ["Napa", "Kern"] };
  const columns = {
    state: { type: "category", categories: ["Georgia", "California"] },
    county: { type: "category", categories: ["Fulton", "Napa", "Kern"], within: { column: "state", of } },
    age: { type: "integer", lower: 0, upper: 99 },
    married: { type: "boolean" },
  };
  const impossible = { impossible: "age < 15 and married = true" };
  const good = ["Georgia,Fulton,20,true", "California,Kern,9,false", ",Napa,,true", "Georgia,,14,"];
  const header = "state,county,age,married";
  expect((await fit(lines(header, good), columns, impossible)).broken).toEqual([]);
  const bad = [...good, "Georgia,Napa,9,true", "California,Fulton,40,true", "Georgia,Fulton,14,true"];
  expect((await fit(lines(header, bad), columns, impossible)).broken).toEqual([
    { says: "county in another state", rows: 2 },
    { says: "age < 15 and married = true", rows: 2 },
  ]);
});

const lines = (header: string, rows: readonly string[]): string => `${[header, ...rows].join("\n")}\n`;
const repeated = (values: readonly string[], times: number): readonly string[] =>
  Array.from({ length: times }, () => values).flat();

describe("wrong declarations that were paid for", () => {
  test("a forgotten category", async () => {
    const rows = repeated(["f,0", "m,1", "unknown,2"], 100);
    const sex = { type: "category", categories: ["f", "m"], required: true };
    const { columns } = await fit(lines("sex,x", rows), { sex, x: { type: "integer", lower: 0, upper: 9 } });
    expect(columns[0]?.misfits).toEqual([
      { kind: "outside", rows: 100, values: 1, frequent: [{ value: "unknown", rows: 100 }] },
    ]);
    expect(columns[1]).toEqual({ name: "x", empty: 0, marked: 0, misfits: [], apart: [], rare: [], rareCount: 0 });
  });

  test("a code for missing values within the bounds, by its distance or by its digits; no end of a scale, no single value", async () => {
    const column = { type: "integer", lower: -9, upper: 9999 };
    const apart = async (values: readonly (number | string)[], declared: Columns[string] = column) =>
      (await fit(lines("x", values.map(String)), { x: declared })).columns[0]?.apart;
    const pays = Array.from({ length: 200 }, (_, at) => 2700 + ((at * 37) % 3600));
    expect(await apart([...pays, ...Array(20).fill(9999)])).toEqual([{ value: "9999", rows: 20 }]);
    expect(await apart([...pays, ...Array(20).fill(-1), ...Array(5).fill(9999)])).toEqual([
      { value: "-1", rows: 20 },
      { value: "9999", rows: 5 },
    ]);
    expect(await apart([...pays, 9999, 9999])).toEqual([]);
    const ages = Array.from({ length: 400 }, (_, at) => (at * 7) % 90);
    expect(await apart([...ages, ...Array(40).fill(99)])).toEqual([{ value: "99", rows: 40 }]);
    expect(await apart([...ages, ...Array(40).fill(98)])).toEqual([{ value: "98", rows: 40 }]);
    for (const scale of [2, 3, 5, 10]) expect(await apart(ages.map((age) => age % scale))).toEqual([]);
    expect(await apart(ages)).toEqual([]);
    // What lies outside the bounds is another finding, and what is missing is none.
    expect(await apart([...ages, ...Array(40).fill(99)], { ...column, upper: 90 })).toEqual([]);
    expect(await apart([...ages, ...Array(40).fill(99)], { ...column, missing: ["99"] })).toEqual([]);
    const number = { type: "number", lower: 0, upper: 1000 };
    expect(await apart([...ages.map((age) => age / 7 + 20), ...Array(9).fill("999.0"), "", "nan"], number)).toEqual([
      { value: "999.0", rows: 9 },
    ]);
    const date = { type: "date", lower: "1900-01-01", upper: "2100-01-01" };
    const days = ages.map((age) => `2020-0${1 + (age % 9)}-1${age % 10}`);
    expect(await apart([...days, ...Array(9).fill("2099-12-31")], date)).toEqual([{ value: "2099-12-31", rows: 9 }]);
  });

  test("numbers in a small part of their bounds: another unit, or points between thousands", async () => {
    const within = async (values: readonly (number | string)[], declared: Columns[string]) =>
      (await fit(lines("x", values.map(String)), { x: declared })).columns[0]?.within;
    const grams = { type: "number", lower: 0, upper: 7000 };
    expect(await within(["2.7", "3.1", "6.3", ""], grams)).toEqual({ lower: "2.7", upper: "6.3" });
    expect(await within(["3.750", "950", "6.300"], { ...grams, upper: 100_000 })).toEqual({
      lower: "3.75",
      upper: "950",
    });
    expect(await within([2700, 6300], grams)).toBeUndefined();
    expect(await within(["", "nan"], grams)).toBeUndefined();
    const cents = { ...grams, type: "decimal", granularity: 0.01, scale: 2 };
    expect(await within(["2.70", "6.35"], cents)).toEqual({ lower: "2.70", upper: "6.35" });
    expect(await within([2], { type: "integer", lower: 0, upper: 39 })).toEqual({ lower: "2", upper: "2" });
    expect(await within(["2020-01-01"], { type: "date", lower: "1900-01-01", upper: "2100-01-01" })).toBeUndefined();
  });

  test("points that mark thousands, and points of fractions", async () => {
    const number = { type: "number", lower: 0, upper: 9999, missing: ["n.a"] };
    const marks = async (...values: readonly string[]) =>
      (await fit(lines("x", values), { x: number })).columns[0]?.marksThousands;
    expect(await marks("3.750", "950", "1.234", "n.a", "", "n.a")).toBe(true);
    expect(await marks("3.750", "0.950", "1.234")).toBeUndefined();
    expect(await marks("3.75", "950", "1.234", "1.230")).toBeUndefined();
    expect(await marks("3.125", "950", "1.234")).toBeUndefined();
    expect(await marks("950", "1234")).toBeUndefined();
  });

  test("labels in place of codes: no row holds a declared category", async () => {
    const sex = { type: "category", categories: ["0", "1"] };
    const [column] = (await fit(lines("sex", repeated(["no", "yes"], 150)), { sex })).columns;
    expect(column?.misfits[0]?.frequent).toEqual([
      { value: "no", rows: 150 },
      { value: "yes", rows: 150 },
    ]);
    expect(column?.rare).toEqual([
      { value: "0", rows: 0 },
      { value: "1", rows: 0 },
    ]);
  });

  test("capitals; spaces around a text do not count", async () => {
    const sex = { type: "category", categories: ["m", "f"] };
    const [column] = (await fit(lines("sex,x", repeated([" m,1", "M,1", "m ,1", "f,1"], 20)), { sex })).columns;
    expect(column?.misfits).toMatchObject([{ kind: "outside", rows: 20, values: 1, frequent: [{ value: "M" }] }]);
    expect(column?.rare).toEqual([]);
  });

  test("a range that became one category, and a bound that cuts", async () => {
    const rows = Array.from({ length: 320 }, (_, at) => `${(at % 16) + 1},${at * 300}`);
    const { columns } = await fit(lines("educ,income", rows), {
      educ: { type: "category", categories: ["1-16"], valueLabels: { "1-16": "years" } },
      income: { type: "integer", lower: 0, upper: 20_000 },
    });
    expect(columns[0]?.misfits[0]).toMatchObject({ kind: "outside", rows: 320, values: 16 });
    expect(columns[1]?.misfits[0]).toMatchObject({ kind: "outside", rows: 253, range: { lower: "0", upper: "95700" } });
    expect(columns[1]?.misfits[0]?.frequent).toHaveLength(20);
  });

  test("a decimal comma", async () => {
    const number = { type: "number", lower: 0, upper: 1 };
    const { columns } = await fit("alpha;beta\n0,1;0,8\n1,0;0,0\n", { alpha: number, beta: number });
    expect(columns.map(({ misfits }) => misfits)).toEqual([
      [
        {
          kind: "unreadable",
          rows: 2,
          values: 2,
          frequent: [
            { value: "0,1", rows: 1 },
            { value: "1,0", rows: 1 },
          ],
        },
      ],
      [expect.objectContaining({ kind: "unreadable", rows: 2 })],
    ]);
  });
});

test("what is empty, a marker, unreadable, outside or no step is kept apart in a column of every type", async () => {
  const rows = [
    "5,1.5,2.50,2024-03-15,yes,a",
    ",,,,,",
    "-9,nan,-9,unknown,,NA",
    "x,y,z,15.3.2024,maybe,b",
    "7,1.6,2.55,1999-01-01,no,a",
    "500,-inf,900.00,2030-01-01,no,a",
    "3.5,99,2.555,2024-02-30,true,A",
  ];
  const { columns, rows: count } = await fit(lines("i,n,d,day,b,c", rows), {
    i: { type: "integer", lower: 0, upper: 100, granularity: 5, missing: ["-9"] },
    n: { type: "number", lower: 0, upper: 10, granularity: 0.5 },
    d: { type: "decimal", scale: 2, lower: 0, upper: 100, granularity: 0.1, missing: ["-9"] },
    day: { type: "date", lower: "2020-01-01", upper: "2029-12-31", missing: ["unknown"] },
    b: { type: "boolean" },
    c: { type: "category", categories: ["a", "b", "c"], missing: ["NA"] },
  });
  expect(count).toBe(7);
  const [i, n, d, day, b, c] = columns;
  const said = (column: Fit["columns"][number] | undefined) => ({
    empty: column?.empty,
    marked: column?.marked,
    ...Object.fromEntries(
      (column?.misfits ?? []).map(({ kind, frequent }) => [kind, frequent.map(({ value }) => value)]),
    ),
  });
  expect(said(i)).toEqual({ empty: 1, marked: 1, unreadable: ["3.5", "x"], outside: ["500"], offStep: ["7"] });
  expect(said(n)).toEqual({ empty: 2, marked: 0, unreadable: ["y"], outside: ["-inf", "99"], offStep: ["1.6"] });
  expect(said(d)).toEqual({ empty: 1, marked: 1, unreadable: ["2.555", "z"], outside: ["900.00"], offStep: ["2.55"] });
  expect(said(day)).toEqual({
    ...{ empty: 1, marked: 1, unreadable: ["15.3.2024", "2024-02-30"] },
    outside: ["1999-01-01", "2030-01-01"],
  });
  expect(said(b)).toEqual({ empty: 2, marked: 0, unreadable: ["maybe"] });
  expect(said(c)).toEqual({ empty: 1, marked: 1, outside: ["A"] });
  expect([n, d, day].map((column) => column?.misfits.find(({ kind }) => kind === "outside")?.range)).toEqual([
    { lower: "1.5", upper: "99" },
    { lower: "2.50", upper: "900.00" },
    { lower: "1999-01-01", upper: "2030-01-01" },
  ]);
  expect(c?.rare).toEqual([
    { value: "a", rows: 3 },
    { value: "b", rows: 1 },
    { value: "c", rows: 0 },
  ]);
});

test("numbers are one category however they are written", async () => {
  const grade = { type: "category", categories: [1, 2.5, -3] };
  const [column] = (await fit(lines("grade,x", ["1,", "1.0,", "1e0,", "2.50,", "4,", "four,"]), { grade })).columns;
  expect(column?.misfits).toMatchObject([
    { kind: "unreadable", frequent: [{ value: "four", rows: 1 }] },
    { kind: "outside", frequent: [{ value: "4", rows: 1 }] },
  ]);
  expect(column?.rare).toEqual([
    { value: "1", rows: 3 },
    { value: "2.5", rows: 1 },
    { value: "-3", rows: 0 },
  ]);
});

test("a category in few rows is named, in as many as was chosen or more is not", async () => {
  const c = { type: "category", categories: ["often", "rare", "one"] };
  const rows = [...repeated(["often"], 12), ...repeated(["rare"], 9), "one"];
  const rare = async (fewerThan: number) => (await fit(lines("c", rows), { c }, {}, fewerThan)).columns[0]?.rare;
  expect(await rare(10)).toEqual([
    { value: "rare", rows: 9 },
    { value: "one", rows: 1 },
  ]);
  expect(await rare(9)).toEqual([{ value: "one", rows: 1 }]);
});

test("rows without a person, and people with more rows than promised", async () => {
  const id = { type: "text" };
  const csv = lines("id,x", ["a,1", "a,2", "a,3", "b,1", ",1", ",2", "c,1", "c,1"]);
  const one = { privacyUnit: { column: "id" }, contribution: { rows: 1 } };
  expect((await fit(csv, { id }, one)).unit).toEqual({ missing: 2, over: 2, cut: 3, most: 3 });
  const three = { ...one, contribution: { rows: 3 } };
  expect((await fit(csv, { id }, three)).unit).toEqual({ missing: 2, over: 0, cut: 0, most: 0 });
  expect((await fit(csv, { id })).unit).toBeNull();
});

test("with periods a person has as many rows in each", async () => {
  const columns = { id: { type: "integer" }, day: { type: "date", lower: "2024-01-01", upper: "2024-12-31" } };
  const csv = lines("id,day", ["1,2024-01-05", "1,2024-02-05", "2,2024-01-01", "2,2024-01-02"]);
  const more = { contribution: { rows: 1 }, blocks: { column: "day", every: "month", zone: "UTC" } };
  const { unit } = await fit(csv, columns, { privacyUnit: { column: "id" }, ...more });
  expect(unit).toEqual({ missing: 0, over: 1, cut: 1, most: 2 });
});

test("what is shown is bounded: values, letters, columns of one scan", async () => {
  const names = Array.from({ length: 70 }, (_, at) => `c${at}`);
  const rows = Array.from({ length: 40 }, (_, at) => names.map((name) => `${name}${"x".repeat(200)}${at}`).join());
  const columns = Object.fromEntries(names.map((name) => [name, { type: "category", categories: ["a"] }]));
  const found = (await fit(lines(names.join(), rows), columns)).columns;
  expect(found.map(({ name, misfits }) => [name, misfits[0]?.rows, misfits[0]?.values])).toEqual(
    names.map((name) => [name, 40, 40]),
  );
  for (const { name, misfits } of found) {
    expect(misfits[0]?.frequent).toHaveLength(20);
    for (const { value } of misfits[0]?.frequent ?? [])
      expect([value.length, value.startsWith(name)]).toEqual([129, true]);
  }
});

test("of a wide table each column shows fewer values, and no file is misread", async () => {
  const names = Array.from({ length: 400 }, (_, at) => `c${at}`);
  const rows = Array.from({ length: 30 }, (_, at) => names.map(() => at).join());
  const columns = Object.fromEntries(names.map((name) => [name, { type: "category", categories: ["a"] }]));
  const found = (await fit(lines(names.join(), rows), columns)).columns;
  expect(new Set(found.map(({ misfits }) => misfits[0]?.frequent.length))).toEqual(new Set([10]));
  expect(new Set(found.map(({ misfits }) => misfits[0]?.values))).toEqual(new Set([30]));
});

test("as many categories as a column may have are compared in one scan", async () => {
  const categories = Array.from({ length: 10_000 }, (_, at) => `k'${at}`);
  const rows = Array.from({ length: 10_000 }, (_, at) => `k'${at + 10},${at}`);
  const [column] = (await fit(lines("c,x", rows), { c: { type: "category", categories } }, {}, 1)).columns;
  expect(column?.misfits).toMatchObject([{ kind: "outside", rows: 10, values: 10 }]);
  expect([column?.rareCount, column?.rare[9]]).toEqual([10, { value: "k'9", rows: 0 }]);
});

test("of many categories a statement has one parameter: reading it takes neither long nor much memory", async () => {
  const lengths = { a: 65_536, b: 65_536, c: 15_000 };
  const columns = Object.fromEntries(
    Object.entries(lengths).map(([name, length]) => [
      name,
      { type: "category", categories: Array.from({ length }, (_, at) => at.toString(36)) },
    ]),
  );
  await fit("a,b,c\nx,y,z\n", columns);
  const before = process.cpuUsage();
  const found = (await fit("a,b,c\nx,y,!\n", columns)).columns;
  const { user, system } = process.cpuUsage(before);
  // It took 2.6 s when each category was an expression.
  expect((user + system) / 1000).toBeLessThan(600);
  expect(found.map(({ misfits, rareCount }) => [misfits.length, rareCount])).toEqual([
    [0, 65_536],
    [0, 65_536],
    [1, 15_000],
  ]);
});

test("a category of any letters is compared as it is", async () => {
  const categories = ["it's", '"', "a\\b", "\u0001", "two\nlines", "\u{10ffff}", "[1,2]", "null"];
  const rows = [...categories, "\\u0001"].map((value) => `"${value.replaceAll('"', '""')}",1`);
  const label = Object.fromEntries(categories.map((value) => [value, "a value"]));
  const c = { type: "category", categories, valueLabels: label };
  const [column] = (await fit(lines("c,x", rows), { c }, {}, 2)).columns;
  expect(column?.misfits).toMatchObject([{ kind: "outside", frequent: [{ value: "\\u0001", rows: 1 }] }]);
  expect(new Set(column?.rare)).toEqual(new Set(categories.map((value) => ({ value, rows: 1 }))));
});

test("a file that takes more memory than there is is called too large, and no damaged one", async () => {
  const small = await duckdbEngine({ root, threads: 1, memoryLimit: "24MB", temporaryLimit: "0MB" });
  const values = Array.from({ length: 200_000 }, (_, at) => `${"long ".repeat(30)}${at},1`);
  await writeFile(join(root, "large.csv"), lines("c,x", values));
  const large = checkDeclaration({
    ...{ name: "t", source: { csv: "large.csv" }, privacyUnit: "row" },
    columns: { c: { type: "category", categories: ["a"] } },
  });
  try {
    await expect(small.fit(large, { fewerThan: 10 })).rejects.toThrow("more memory than is set aside");
  } finally {
    await small.close();
  }
});

test("a failure repeats nothing of a row", async () => {
  await expect(fit("a,b\n1,2\n", { secret: { type: "text" } })).rejects.toThrow('the file has no column "secret"');
  const refused = fit("a\nprivate,\n", { a: { type: "text" } }).then(
    () => "",
    (error: Error) => error.message,
  );
  expect(await refused).not.toContain("private");
  const gone = checkDeclaration({
    name: "t",
    source: { csv: "no.csv" },
    privacyUnit: "row",
    columns: { a: { type: "text" } },
  });
  await expect(engine.fit(gone, { fewerThan: 10 })).rejects.toMatchObject({ code: "DATA_UNREADABLE" });
});
