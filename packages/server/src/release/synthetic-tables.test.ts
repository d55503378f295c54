import type { Plan } from "@dosimeter/client";
import { parseEvent } from "@dosimeter/core";
import { totalLoss } from "@dosimeter/core/accounting";
import { releasedBins } from "@dosimeter/query/statistics";
import { checkExport } from "@dosimeter/verify";
import { expect, test } from "vitest";
import { fixtureOf } from "../fixture.kit.ts";
import { csvBytes } from "../instance.kit.ts";

const fixture = fixtureOf();

const names = (count: number, first = "v"): readonly string[] =>
  Array.from({ length: count }, (_, at) => `${first}${at}`);
const category = (categories: readonly string[], required = false) => ({
  type: "category",
  categories,
  required,
  provenance: "public",
});
type Columns = Readonly<Record<string, object>>;

let tables = 0;
/** A dataset of these columns, its rows and an account that may spend ε = 2. A column that is not declared makes no two files alike. */
async function opened(columns: Columns, rows: readonly string[], rule: "addition" | "tight" = "addition") {
  const { as } = fixture;
  const name = `t${++tables}`;
  const lines = [Object.keys(columns).join(), ...rows].map((line) => `${line},${name}\n`);
  const content = csvBytes(lines.join(""));
  const { id: file } = await as.datasetAdmin.uploadFile({ name: `${name}.csv`, content });
  const declaration = { name, source: { csv: `${name}.csv` }, privacyUnit: "row", adjacency: "addRemove", columns };
  const { id: dataset } = await as.datasetAdmin.createDataset({ file, declaration });
  const { id: ledger } = await as.datasetAdmin.openLedger({ dataset, epsilon: "5", delta: "1e-6", rule });
  const holder = { kind: "person", id: fixture.people.member } as const;
  const { id: account } = await as.datasetAdmin.createAccount({ ledger, holder, epsilon: "2" });
  const spent = async (): Promise<string | null> => (await as.member.showAccount({ account })).balance.epsilon.spent;
  const planOf = (request: object): Plan => ({ statistics: [{ statistic: "syntheticTable", ...request }] }) as Plan;
  return {
    exported: async () => (await as.datasetAdmin.exportLedger({ ledger })).text(),
    spent,
    sql: (epsilon: string) =>
      as.member.releaseSqlAndWait({ account, sql: `SELECT SYNTHETIC_TABLE() FROM ${name}`, epsilon }),
    dataset,
    plan: (statistics: readonly object[]) =>
      as.member.releaseAndWait({ dataset, account, plan: { statistics } as unknown as Plan }),
    quote: (request: object) => as.member.quotePlan({ dataset, account, plan: planOf(request) }),
    release: (request: object) => as.member.releaseAndWait({ dataset, account, plan: planOf(request) }),
  };
}

const flag = { type: "boolean", provenance: "public" };
const rowsOf = async (release: string, rows: number): Promise<readonly string[]> => {
  const answer = await fixture.instance.fetch(
    new Request(`http://instance.test/v1/releases/${release}/rows?rows=${rows}`, {
      headers: { authorization: `Bearer ${fixture.tokens.member}` },
    }),
  );
  return (await answer.text()).trimEnd().split("\n");
};

test.each<[string, Columns, readonly string[], object, { readonly columns: number; readonly pairs: number }]>([
  ["one column", { a: flag }, ["true", "false", "true"], { epsilon: "0.5" }, { columns: 1, pairs: 0 }],
  [
    "one category, which says nothing and is in no pair",
    { a: category(["x"], true), b: flag },
    ["x,true", "x,false"],
    { epsilon: "0.5" },
    { columns: 2, pairs: 0 },
  ],
  [
    "a pair of a million cells, which is no candidate",
    { a: category(names(1000)), b: category(names(1000)) },
    ["v1,v2", "v3,v4"],
    { epsilon: "0.5" },
    { columns: 2, pairs: 0 },
  ],
  ["no rows", { a: flag, b: flag }, [], { epsilon: "0.5" }, { columns: 2, pairs: 1 }],
  [
    "all values missing",
    { a: category(names(2)), b: flag, c: flag },
    [",,", ",,", ",,"],
    { epsilon: "0.5" },
    { columns: 3, pairs: 2 },
  ],
  [
    "the least that a ledger takes",
    { a: flag, b: flag },
    ["true,true"],
    { epsilon: "0.00005" },
    { columns: 2, pairs: 1 },
  ],
])("%s: paid once and made into rows", async (_, columns, rows, request, most) => {
  const { quote, release, spent } = await opened(columns, rows);
  const quoted = await quote(request);
  expect(quoted.refusal).toBeNull();
  expect(quoted.cost?.epsilon).toBe((request as { epsilon: string }).epsilon);
  const made = await release(request);
  expect(await spent()).toBe((request as { epsilon: string }).epsilon);
  const [answer] = made.answers ?? [];
  const table = answer?.table as { readonly columns: readonly unknown[]; readonly pairs: readonly unknown[] };
  expect(table.columns).toHaveLength(most.columns);
  expect(table.pairs.length).toBeLessThanOrEqual(most.pairs);
  const lines = await rowsOf(made.id, 20);
  expect(lines).toHaveLength(21);
  expect(lines).not.toContain("");
  expect(lines[0]).toBe(Object.keys(columns).join());
  // Rows are free, whatever their number.
  expect(await spent()).toBe((request as { epsilon: string }).epsilon);
});

const wide: Columns = Object.fromEntries(names(200, "c").map((name) => [name, flag]));
const young = { type: "integer", lower: 0, upper: 9, required: true, provenance: "public" };
test.each<[string, Columns, object, RegExp]>([
  ["200 columns", wide, { epsilon: "0.5" }, /with is 200, must be 1 to 64 columns/],
  ["no columns", { a: flag }, { with: [], epsilon: "0.5" }, /1 to 64 columns/],
  [
    "a column of texts",
    { a: { type: "text", provenance: "public" } },
    { with: ["a"], epsilon: "0.5" },
    /its values are not declared/,
  ],
  [
    "more bins than a column may have",
    { a: { ...young, upper: 99_999 } },
    { bins: 20_000, epsilon: "0.5" },
    /bins is 20000, must be a whole number from 1 to 10000/,
  ],
  ["ε that cannot be divided", { a: flag, b: flag }, { epsilon: "0.000000000001" }, /epsilon is/],
  ["ε of nothing", { a: flag }, { epsilon: "0" }, /epsilon is/],
  [
    "facts that leave a value nothing",
    { a: young, b: flag },
    { impossible: "a < 5 and b = true or a < 5 and b = false or a < 5 and b is null", epsilon: "0.5" },
    /impossible/,
  ],
  [
    "facts in a circle",
    { a: flag, b: flag, c: flag },
    { impossible: "a = true and b = true or b = true and c = true or c = true and a = true", epsilon: "0.5" },
    /circle/,
  ],
  [
    "a fact that is false of a part of a bin",
    { a: { ...young, upper: 99 }, b: flag },
    { bins: 10, impossible: "a < 15 and b = true", epsilon: "0.5" },
    /impossible/,
  ],
  ["a weight that is no number", { a: flag, b: flag }, { weights: "a = much", epsilon: "0.5" }, /weights/],
])("%s: refused by quote and release, and nothing is charged", async (_, columns, request, words) => {
  const { quote, release, spent } = await opened(columns, []);
  await expect(quote(request)).rejects.toThrow(words);
  await expect(release(request)).rejects.toThrow(words);
  expect(await spent()).toBe("0");
});

test("ε of a millionth is less than a ledger takes for one release: refused, and nothing is charged", async () => {
  const { quote, release, spent } = await opened({ a: flag, b: flag }, ["true,true"]);
  expect((await quote({ epsilon: "0.000001" })).refusal).toMatchObject({ code: "PRICE_TOO_SMALL" });
  await expect(release({ epsilon: "0.000001" })).rejects.toMatchObject({ code: "PRICE_TOO_SMALL" });
  expect(await spent()).toBe("0");
});

test.each([
  ["addition", { epsilon: "0.5" }],
  ["tight", { epsilon: "0.5" }],
  ["tight", { rho: "0.02" }],
] as const)(
  "a ledger of rule %s with a table at %j: the verifier adds up the same, and its events together lose no more",
  async (rule, price) => {
    const { exported, release, quote } = await opened({ a: flag, b: flag, c: young }, ["true,true,1"], rule);
    const events = ((await quote(price)).statistics[0]?.events ?? []).map((event) => parseEvent(event));
    expect(events).toHaveLength(3);
    await release(price);
    // Its own arithmetic: outward rounding of every event, and what is left after each.
    expect(await checkExport(await exported())).toMatchObject({ ok: true, problems: [] });
    // All three composed as distributions of the loss.
    const { epsilon } = totalLoss(events, { delta: 1e-9 }, "pld");
    const claimed =
      "epsilon" in price
        ? totalLoss([{ kind: "pure", epsilon: price.epsilon }], { delta: 0 }, "basic")
        : totalLoss([{ kind: "gdp", mu: 0.2 }], { delta: 1e-9 }, "gdp");
    expect(epsilon).toBeLessThanOrEqual(claimed.epsilon * (1 + 1e-6));
    expect(epsilon).toBeGreaterThan(claimed.epsilon * 0.9);
  },
);

test("released quantiles and keys become bins: free, written into the plan, and paid no second time", async () => {
  const columns = {
    income: { type: "integer", lower: 0, upper: 100_000, required: true, provenance: "public" },
    city: { type: "text", provenance: "public" },
  } as const;
  const rows = Array.from({ length: 4000 }, (_, at) => `${at * 25},${at % 4 === 0 ? "Oslo" : "Bergen"}`);
  const { dataset, plan, quote, release, spent } = await opened(columns, [...rows, "5,Nowhere"]);
  const earlier = await plan([
    { statistic: "quantiles", column: "income", quantiles: [0.25, 0.5, 0.75], epsilon: "0.5" },
    { statistic: "keyCounts", column: "city", epsilon: "0.5", delta: "0.0000000001" },
  ]);
  const paid = await spent();
  const bins = releasedBins(earlier as unknown as Parameters<typeof releasedBins>[0], {
    ...{ of: dataset, declaration: { columns } as never, path: "bins" },
  });
  expect(bins).toMatchObject({ city: expect.arrayContaining(["Oslo", "Bergen"]) });
  expect((bins.income as readonly number[]).length).toBeGreaterThan(2);
  expect(await spent()).toBe(paid);
  expect((await quote({ bins, epsilon: "0.5" })).cost?.epsilon).toBe("0.5");
  const made = await release({ bins, epsilon: "0.5" });
  const [table] = made.answers ?? [];
  const labels = (table?.table?.columns ?? []).map((column) => column.bins.map(({ label }) => label));
  // A place of one person is found with a chance of δ = 10⁻¹⁰.
  expect(labels[1]?.toSorted()).toEqual(["Bergen", "Oslo"]);
  // A text that is not listed is missing: about 1,000 of Oslo, 3,000 of Bergen, one elsewhere. Noise of scale 20 is above 500 in one of 10¹⁰ runs.
  const counts = table?.table?.columns[1]?.counts ?? [];
  expect(Math.abs((counts[labels[1]?.indexOf("Bergen") ?? 0] ?? 0) - 3000)).toBeLessThan(500);
  expect((await rowsOf(made.id, 50)).slice(1).every((row) => /^\d+,(Oslo|Bergen|)$/.test(row))).toBe(true);
  await expect(quote({ bins: "city = release:chg_1", epsilon: "0.5" })).rejects.toThrow(/no plan does/);
});

test("in SQL: charged once, answered with the counts of every column, and its rows are free", async () => {
  const { sql, spent } = await opened({ a: flag, b: flag }, ["true,true", "false,false"]);
  const { tables, release } = await sql("0.25");
  expect(release.answers?.[0]?.statistic).toBe("syntheticTable");
  expect(tables?.[0]?.rows[0]?.[0]).toHaveLength(6);
  expect(JSON.stringify(tables?.[0]?.notes)).toContain("Do not use made-up rows");
  expect(await rowsOf(release.id, 5)).toHaveLength(6);
  expect(await spent()).toBe("0.25");
});
