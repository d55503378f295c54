import { editPlan } from "@dosimeter/planner";
import { checkDeclaration } from "@dosimeter/query/declaration";
import { expect, test } from "vitest";
import { columnsFor, firstTables, isGroupable, suggestions } from "./columns.ts";
import { gradeText } from "./grid/cells.ts";
import {
  costOf,
  edited,
  faultOf,
  openWorkbench,
  readyPlan,
  rowsOf,
  type Workbench,
  withNewRow,
  withSettings,
} from "./workbench.ts";

const declaration = checkDeclaration({
  name: "people",
  source: { csv: "people.csv" },
  privacyUnit: { column: "person" },
  contribution: { rows: 1 },
  size: { assumed: 1000 },
  columns: {
    person: { type: "integer" },
    age: { type: "integer", lower: 18, upper: 93 },
    height: { type: "number", lower: 100, upper: 220 },
    education: { type: "category", categories: ["low", "high"] },
    note: { type: "text" },
  },
});

const bench = () =>
  withNewRow(withNewRow(openWorkbench(declaration, "0.3"), { statistic: "count" }), {
    statistic: "mean",
    column: "age",
  });

test("rows share the plan's ε to the last unit, each with its error", () => {
  const rows = rowsOf(withNewRow(bench(), { statistic: "histogram", column: "education" }));
  expect(rows.map((row) => row.fault)).toEqual([null, null, null]);
  expect(costOf(rows)).toBe("0.3");
  expect(rows.map((row) => row.quote?.cells)).toEqual([1, 1, 2]);
  for (const row of rows) expect(row.quote?.accuracy.halfWidth).toBeGreaterThan(0);
});

test("an unfinished row costs nothing, blocks nothing and is not sent", () => {
  const unfinished = withNewRow(bench(), {});
  const rows = rowsOf(unfinished);
  expect(rows[2]?.fault?.field).toBe("statistic");
  expect(costOf(rows)).toBe("0.3");
  expect(readyPlan(unfinished, rows)?.statistics.map(({ id }) => id)).toEqual(["s1", "s2"]);
  expect(readyPlan(openWorkbench(declaration, "1"), [])).toBeNull();
});

test("what is typed is kept and explained where it stands", () => {
  const typed = withSettings(bench(), "s2", { lower: "abc" });
  const [, row] = rowsOf(typed);
  expect(row?.settings.lower).toBe("abc");
  expect(row?.fault).toMatchObject({ field: "lower" });
  expect(row?.fault?.message).toMatch(/^The lower bound is abc, must be /);
  const swapped = rowsOf(withSettings(typed, "s2", { lower: "1,000" }));
  expect(swapped[1]?.fault?.message).toMatch(/^Upper must exceed lower: 93 is not above 1000/);
});

test("another column drops settings that belonged to the old one", () => {
  const bounded = withSettings(bench(), "s2", { lower: "20", upper: "30" });
  const [, row] = rowsOf(withSettings(bounded, "s2", { column: "height" }));
  expect(row?.settings).toEqual({ statistic: "mean", column: "height" });
  expect(row?.fault).toBeNull();
});

test("bins are a number or edges; a number column needs them", () => {
  const histogram = withNewRow(openWorkbench(declaration, "1"), { statistic: "histogram", column: "height" });
  expect(rowsOf(histogram)[0]?.fault).toMatchObject({ field: "bins" });
  expect(rowsOf(withSettings(histogram, "s1", { bins: "6" }))[0]?.quote?.cells).toBe(6);
  expect(rowsOf(withSettings(histogram, "s1", { bins: "100 150; 180, 220" }))[0]?.quote?.cells).toBe(3);
  expect(rowsOf(withSettings(histogram, "s1", { bins: "many" }))[0]?.fault?.field).toBe("bins");
});

test("an error can be asked for: the share follows and never gives less", () => {
  const asked = edited(bench(), { kind: "accuracy", id: "s1", accuracy: 40 });
  const [count] = rowsOf(asked);
  expect(count?.quote?.accuracy.halfWidth).toBeLessThanOrEqual(40);
  expect(costOf(rowsOf(asked))).toBe("0.3");
});

test("an edit that cannot be taken says why and changes nothing", () => {
  const before = bench();
  let message = "";
  try {
    edited(before, { kind: "epsilon", id: "s1", epsilon: "-1" });
  } catch (error) {
    message = faultOf(error).message;
  }
  expect(message).toMatch(/must be/);
  expect(costOf(rowsOf(before))).toBe("0.3");
});

test("a refusal calls the protected units what the owner calls them", () => {
  const visits = checkDeclaration({ ...declaration, unitNoun: { one: "aircraft", many: "aircraft" } });
  const [row] = rowsOf(withNewRow(openWorkbench(visits, "1"), { statistic: "unitSum", column: "age", unitLower: "x" }));
  expect(row?.fault?.message).toMatch(/^One aircraft’s least total is x, must be/);
  try {
    edited(openWorkbench(visits, "1"), { kind: "total", epsilon: "1", delta: "0.5" });
    expect.unreachable();
  } catch (error) {
    expect(faultOf(error, visits.unitNoun).message).toContain("at 1/n one aircraft could be published whole");
  }
});

test("only what can be read or grouped is offered, never the privacy unit", () => {
  expect(columnsFor("numeric", declaration)).toEqual(["age", "height"]);
  expect(columnsFor("binned", declaration)).toEqual(["age", "height", "education"]);
  expect(Object.keys(declaration.columns).filter((name) => isGroupable(declaration.columns[name]!))).toEqual([
    "age",
    "education",
  ]);
  expect(suggestions(declaration).map(({ label }) => label)).toEqual([
    "Count",
    "Mean of age",
    "Mean of height",
    "Histogram of education",
  ]);
});

test("numbers that stand for something else are suggested as a count by group, and amounts before numbers without a unit", () => {
  const whole = (lower: number, upper: number, words: object = {}) =>
    ({ type: "integer", lower, upper, provenance: "public", ...words }) as const;
  const labels = Object.fromEntries([...Array(16).keys()].map((at) => [String(at + 1), `level ${at + 1}`]));
  const coded = checkDeclaration({
    ...declaration,
    privacyUnit: "row",
    columns: {
      state: whole(0, 56, { label: "State" }),
      kids: whole(0, 20, { valueLabels: { 0: "none", 20: "20 or more" } }),
      level: whole(1, 16, { valueLabels: labels }),
      insured: whole(0, 1),
      puma: whole(100, 70301),
      age: whole(0, 120, { unit: "years" }),
    },
  });
  expect(suggestions(coded)).toEqual([
    { label: "Count", statistic: "count", column: "" },
    { label: "Mean of age", statistic: "mean", column: "age" },
    { label: "Mean of kids", statistic: "mean", column: "kids" },
    { label: "Count by State", statistic: "count", column: "", groupBy: "state" },
    { label: "Count by level", statistic: "count", column: "", groupBy: "level" },
  ]);
  const [row] = rowsOf(withNewRow(openWorkbench(coded, "1"), suggestions(coded)[3]!));
  expect(row?.fault).toBeNull();
});

test("a set of tables starts with the three declared categories of fewest values", () => {
  const values = (count: number) => ({ type: "category", categories: [...Array(count).keys()].map((at) => `v${at}`) });
  const columns = { age: declaration.columns.age, a: values(9), b: values(4), c: values(3), d: { type: "boolean" } };
  const table = checkDeclaration({ ...declaration, privacyUnit: "row", columns });
  expect(firstTables(table)).toEqual({ statistic: "tables", with: "d, c, b" });
  const [row] = rowsOf(withNewRow(openWorkbench(table, "1"), firstTables(table)));
  expect(row?.quote?.accuracy.tables?.filter(({ table: names }) => names.length > 0)).toHaveLength(6);
  expect(firstTables({ ...declaration, columns: {} })).toEqual({ statistic: "tables" });
});

test("an error far beyond use is not counted in digits, and a row for no one says so", () => {
  const grade = (where: string, epsilon = "1") => {
    const [row] = rowsOf(withNewRow(openWorkbench(declaration, epsilon), { statistic: "count", where }));
    return row === undefined ? null : [row.fitness?.grade, gradeText(row, "people")];
  };
  expect(grade("age > 20", "0.000001")).toEqual([
    "useless",
    expect.stringContaining("is more than 10 times 961 people"),
  ]);
  const none = "No declared value of age is over 200: by the declaration, this counts no one.";
  expect(grade("age > 200")).toEqual(["useless", none]);
  const [row] = rowsOf(withNewRow(account("0"), { statistic: "mean", column: "height", where: "age > 200" }));
  expect(row).toMatchObject({ epsilon: "0", quote: null, fault: { field: "where", message: none } });
});

/** A workbench on an account with this δ spent of 10⁻⁶, and this ε of 1. */
function account(delta: string, epsilon = "0"): Workbench {
  const node = (name: string) => ({
    name,
    epsilon: { cap: "1", spent: epsilon },
    delta: { cap: "0.000001", spent: delta },
    mu2: { cap: "1", left: "1" },
  });
  const opened = openWorkbench(declaration, "0");
  const headroom = {
    rule: "addition",
    activeRule: "addition",
    policy: "ask",
    adjacency: "addRemove",
    path: [node("ledger"), node("account")],
  } as const;
  return { ...opened, draft: { ...opened.draft, headroom, follows: true } };
}

test("a row that nothing left makes useful has no price, says so, and is priced by hand", () => {
  const bench = withNewRow(account("0", "0.9999999"), { statistic: "mean", column: "age" });
  const [row] = rowsOf(bench);
  expect(row?.epsilon).toBe("0");
  expect(row?.fault?.message).toMatch(/^No price that is left makes this useful/);
  const typed = editPlan(bench.draft, { kind: "epsilon", id: "s1", epsilon: "0.0000001" }, declaration);
  const [priced] = rowsOf({ ...bench, draft: typed });
  expect(priced?.fault).toBeNull();
  expect(priced?.fitness?.grade).toBe("useless");
});

test("a row whose error depends on an undeclared number of people says so, and has a price once a number is assumed", () => {
  const { size: _, ...unsized } = declaration;
  const bench = withNewRow({ ...account("0"), declaration: unsized }, { statistic: "mean", column: "age" });
  expect(rowsOf(bench)[0]?.fault?.message).toMatch(
    /depends on the number of people, which is not declared: .*Settings/,
  );
  const draft = editPlan(bench.draft, { kind: "people", people: 1000 }, unsized);
  const [row] = rowsOf({ ...bench, draft });
  expect(row?.fault).toBeNull();
  expect(Number(row?.epsilon)).toBeGreaterThan(0);
});

test("people for each value, chosen by hand, has a first price and a δ that fits what is left, and nothing to mend", () => {
  // 2 × 10⁻⁸ is left.
  const started = withNewRow(account("0.00000098"), {});
  const chosen = withSettings(withSettings(started, "s1", { column: "note" }), "s1", { statistic: "keyCounts" });
  const [row] = rowsOf(chosen);
  expect(row?.fault).toBeNull();
  expect(row?.settings.delta).toBe("0.000000002");
  expect(row?.epsilon).toBe("0.351");
  // Another row gets a tenth of the rest; a δ that a person empties stays empty, and the row says what it lacks.
  const two = withNewRow(chosen, { statistic: "keyCounts", column: "note" });
  expect(rowsOf(two)[1]?.settings.delta).toBe("0.000000001");
  const [emptied] = rowsOf(withSettings(started, "s1", { column: "note", statistic: "keyCounts", delta: "" }));
  expect(emptied?.fault?.message).toMatch(/^δ is missing/);
  // Nothing left: nothing is proposed.
  const [none] = rowsOf(withNewRow(account("0.000001"), { statistic: "keyCounts", column: "note" }));
  expect(none?.settings.delta).toBeUndefined();
});
