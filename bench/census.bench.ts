// A census of two states as one release: the error of each table against tables that are released one by one at the same price, and how often intervals hold.
// Run: npx node --conditions=@dosimeter/source bench/census.bench.ts CALIFORNIA.csv FULTON.csv [DRAWS]
import { readFileSync } from "node:fs";
import { loadavg } from "node:os";
import { Exact, secureRandom } from "@dosimeter/core";
import { addNoise } from "@dosimeter/query/answer";
import { boundPlan } from "@dosimeter/query/bind";
import { checkDeclaration } from "@dosimeter/query/declaration";
import type { BoundedStatistic } from "@dosimeter/query/plan";
import { quotePlan } from "@dosimeter/query/quote";
import { tableTrialsOf } from "@dosimeter/query/statistics";
import type { TablesTask } from "../packages/query/src/plan/task.ts";
import { partIntegers, tablesFrom } from "../packages/query/src/statistics/tables/estimate.ts";

const [california = "", fulton = "", given = "2000"] = process.argv.slice(2);
const rows = [california, fulton].flatMap((path) => {
  const [head = "", ...lines] = readFileSync(path, "utf8")
    .trim()
    .split(/\r\n|\r|\n/);
  const names = head.split(",").map((name) => name.replaceAll('"', ""));
  return lines.map((line) => {
    const row = Object.fromEntries(line.split(",").map((text, at) => [names[at] ?? "", text]));
    const [state, puma] = [row.state ?? "", Number(row.puma)];
    // Two digits of five are about a county; of Fulton there is one.
    const county = state === "6" ? `6-${Math.floor(puma / 100)}` : `${state}-${row.fips}`;
    return { state, county, age: Number(row.age), sex: row.sex === "1" ? "f" : "m", income: Number(row.income) };
  });
});
const distinct = (values: readonly string[]): readonly string[] => [...new Set(values)].sort();
const states = distinct(rows.map(({ state }) => state));
const within = Object.fromEntries(
  states.map((state) => [state, distinct(rows.flatMap((row) => (row.state === state ? [row.county] : [])))]),
);
const category = (categories: readonly string[]) => ({ type: "category", categories, required: true });
const census = checkDeclaration({
  ...{ name: "census", source: { csv: "census.csv" }, privacyUnit: "row" },
  columns: {
    state: category(states),
    county: { ...category(Object.values(within).flat()), within: { column: "state", of: within } },
    age: { type: "integer", lower: 10, upper: 99, required: true },
    sex: category(["f", "m"]),
    income: { type: "integer", lower: 0, upper: 100_000, granularity: 1000, required: true },
  },
});
const asked = ["state", "county", "age", "age+sex", "county+age+sex"];
const bins = { age: Array.from({ length: 10 }, (_, at) => 10 * (at + 1)) };
const random = secureRandom((words) => crypto.getRandomValues(words));
const sorted = (names: readonly string[]): string => names.toSorted().join("+");

function planOf(statistic: object, price: object) {
  return boundPlan({ statistics: [{ ...statistic, ...price }] } as unknown as Parameters<typeof boundPlan>[0], census);
}
const ours = (price: object, more: object = {}) =>
  planOf({ statistic: "tables", tables: asked.join(), bins, weights: "largest", ...more }, price);
const halfWidth = (share: object): number =>
  quotePlan(planOf({ statistic: "count" }, share))[0]?.accuracy.halfWidth ?? Number.NaN;
const cellsOf: Readonly<Record<string, number>> = {
  state: states.length,
  county: Object.values(within).flat().length,
  age: 9,
  "age+sex": 18,
};

console.log(`${rows.length} rows, load ${loadavg()[0]?.toFixed(1)}`);
for (const [name, amount] of [
  ["rho", 0.005],
  ["rho", 0.1],
  ["rho", 2],
  ["epsilon", 1],
] as const) {
  const tables =
    quotePlan(ours({ [name]: amount }, name === "epsilon" ? {} : { weights: "largest" }))[0]?.accuracy.tables ?? [];
  console.log(`${name} ${amount}: table, cells, ± ours, ± a table each (ratio), ± a level each (ratio)`);
  const each = halfWidth({ [name]: amount / asked.length });
  const level = halfWidth({ [name]: amount / 3 });
  for (const table of asked) {
    const found = tables.find((one) => sorted(one.table) === sorted(table.split("+")));
    const half = found?.halfWidth ?? Number.NaN;
    // Levels are state, county and the finest; a table of ages is a sum of all cells of all counties, and then its error grows with the root of their number.
    const summed = table.startsWith("age") ? Math.sqrt(((cellsOf.county ?? 1) * 18) / (cellsOf[table] ?? 1)) : 1;
    const shown = (other: number): string => `${other.toFixed(1)} (${(half / other).toFixed(2)})`;
    console.log(`  ${table}, ${found?.cells}, ${half.toFixed(1)}, ${shown(each)}, ${shown(level * summed)}`);
  }
}

const DRAWS = Number(given);
for (const statistic of ["tables", "tableSums"] as const) {
  const plan = ours({ rho: 0.1 }, statistic === "tables" ? {} : { statistic, column: "income" });
  const bound = plan.statistics[0] as BoundedStatistic<TablesTask>;
  const counts = tableTrialsOf(bound)?.practice(bound, rows) ?? [];
  const step = statistic === "tables" ? 1 : 1000;
  const truth = tablesFrom(partIntegers(counts, bound.task), bound.task).flat();
  const missed = truth.map(() => 0);
  for (let draw = 0; draw < DRAWS; draw++)
    addNoise(plan, new Exact([counts]), random)[0]?.cells.forEach(({ interval: [low, high] }, at) => {
      const value = step * Math.round(truth[at] ?? 0);
      if (low > value || high < value) missed[at] = (missed[at] ?? 0) + 1;
    });
  const all = missed.reduce((sum, each) => sum + each, 0) / (DRAWS * truth.length);
  const held = (share: number): string => (100 * (1 - share)).toFixed(2);
  console.log(
    `${statistic}: in ${DRAWS} draws intervals of ${truth.length} cells held in ${held(all)} % of cases, those of the worst cell in ${held(Math.max(...missed) / DRAWS)} %`,
  );
}
