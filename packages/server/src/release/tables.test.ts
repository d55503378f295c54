import type { Plan } from "@dosimeter/client";
import { checkExport } from "@dosimeter/verify";
import { expect, test } from "vitest";
import { fixtureOf } from "../fixture.kit.ts";
import { csvBytes } from "../instance.kit.ts";

const fixture = fixtureOf();
const columns = {
  region: { type: "category", categories: ["north", "south"], required: true, provenance: "public" },
  sex: { type: "category", categories: ["f", "m"], required: true, provenance: "public" },
  age: { type: "integer", lower: 0, upper: 3, required: true, provenance: "public" },
};
const rows = Array.from({ length: 240 }, (_, at) => [
  at % 3 === 0 ? "north" : "south",
  at % 2 === 0 ? "f" : "m",
  at % 4,
]);

/** A dataset of these rows in a ledger of this rule and relation. */
async function opened(rule: "addition" | "tight", adjacency: "addRemove" | "replace") {
  const { as } = fixture;
  const name = `${rule}_${adjacency}`.toLowerCase();
  const lines = [[...Object.keys(columns), "k"], ...rows.map((row) => [...row, name])].map((row) => `${row.join()}\n`);
  const { id: file } = await as.datasetAdmin.uploadFile({ name: `${name}.csv`, content: csvBytes(lines.join("")) });
  const declaration = { name, source: { csv: `${name}.csv` }, privacyUnit: "row", adjacency, columns };
  const { id: dataset } = await as.datasetAdmin.createDataset({ file, declaration });
  const { id: ledger } = await as.datasetAdmin.openLedger({ dataset, epsilon: "40", delta: "1e-6", rule });
  const holder = { kind: "person", id: fixture.people.member } as const;
  const { id: account } = await as.datasetAdmin.createAccount({ ledger, holder, epsilon: "30" });
  return { as, name, dataset, ledger, account };
}

test.each([
  ["addition", "addRemove", { epsilon: "6" }],
  ["addition", "replace", { epsilon: "6" }],
  ["tight", "addRemove", { rho: "2" }],
  ["tight", "replace", { rho: "2" }],
] as const)("%s, %s: a set of tables is quoted, paid once, adds up and is verified", async (rule, adjacency, price) => {
  const { as, name, dataset, ledger, account } = await opened(rule, adjacency);
  const totals = { statistic: "tableSums", column: "age", tables: "region+sex", ...price };
  const counts = { statistic: "tables", tables: "region+sex, age", ...price };
  const plan = { statistics: [counts, totals] } as unknown as Plan;
  const quoted = await as.member.quotePlan({ dataset, account, plan });
  expect(quoted.refusal).toBeNull();
  const tables = quoted.statistics[0]?.accuracy.tables ?? [];
  expect(tables.map(({ table, cells }) => [table.join(), cells])).toEqual([
    ["", 1],
    ["region", 2],
    ["sex", 2],
    ["age", 4],
    ["region,sex", 4],
  ]);
  const made = await as.member.releaseAndWait({ dataset, account, plan });
  const [answer, ages] = made.answers ?? [];
  const cellOf = (count: number) => (ages?.cells ?? []).filter(({ group }) => Object.keys(group).length === count);
  expect(ages?.cells).toHaveLength(9);
  expect(cellOf(2).reduce((total, { value }) => total + value, 0)).toBeCloseTo(cellOf(0)[0]?.value ?? 0, 3);
  expect(answer?.groupBy).toEqual(["region", "sex", "age"]);
  expect(answer?.cells).toHaveLength(13);
  const sum = (of: readonly string[]): number =>
    (answer?.cells ?? [])
      .filter(({ group }) => Object.keys(group).join() === of.join())
      .reduce((total, { value }) => total + value, 0);
  for (const of of [["region"], ["sex"], ["age"], ["region", "sex"]]) expect(sum(of)).toBeCloseTo(sum([]), 4);
  // Wider than the noise ever is but once in 10⁹ draws: five times the half-width of 95 %.
  expect(Math.abs(sum([]) - 240)).toBeLessThan(3.2 * (tables[0]?.halfWidth ?? 0) + 1);
  const sql = `SELECT region, sex, COUNT(*) AS n FROM ${name} GROUP BY CUBE (region, sex)`;
  const shown = await as.member.releaseSqlAndWait({ account, sql, ...price });
  expect(shown.release.answers?.[0]?.statistic).toBe("tables");
  expect(shown.tables?.[0]?.rows).toHaveLength(9);
  expect(await checkExport(await (await as.datasetAdmin.exportLedger({ ledger })).text())).toMatchObject({ ok: true });
});
