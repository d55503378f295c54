// Reads the release: do its tables agree, and how far off is each next to the same tables released one by one at the same price?
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { boundPlan, checkDeclaration, quotePlan } from "dosimeter";

const here = dirname(process.argv[1]);
const given = JSON.parse(readFileSync(join(here, "declaration.json"), "utf8"));
const declaration = checkDeclaration({ ...given, source: { csv: "census.csv" } });
const { answers, release } = JSON.parse(readFileSync(process.argv[2], "utf8"));
const [{ cells }] = answers ?? release.answers;

const asked = ["state", "county", "age+sex", "age+married", "county+age+sex"];
const rho = 0.1;
const quoteOf = (row) => quotePlan(boundPlan({ statistics: [row] }, declaration))[0].accuracy;
const { tables } = quoteOf({ statistic: "tables", tables: asked.join(), weights: "largest", rho });
console.log("table                    cells   ±    released alone ±   ratio");
for (const name of asked) {
  const columns = name.split("+");
  const isSo = ({ table }) => [...table].sort().join() === [...columns].sort().join();
  const { cells: count, halfWidth } = tables.find(isSo);
  const alone = quoteOf({ statistic: "count", groupBy: columns, rho: rho / asked.length }).halfWidth;
  const ratio = (halfWidth / alone).toFixed(2);
  console.log(
    `${name.padEnd(24)} ${String(count).padStart(5)} ${halfWidth.toFixed(1).padStart(5)} ${alone.toFixed(1).padStart(10)} ${ratio.padStart(16)}`,
  );
}

/** The sums of the cells with all of these columns, by the values of some of them. */
const sumsOf = (columns, by, numberOf) => {
  const sums = new Map();
  for (const cell of cells)
    if (Object.keys(cell.group).sort().join() === [...columns].sort().join()) {
      const key = by.map((column) => cell.group[column]).join();
      sums.set(key, (sums.get(key) ?? 0) + numberOf(cell));
    }
  return sums;
};
const finest = ["state", "county", "age", "sex"];
let most = 0;
for (const by of [[], ["state"], ["state", "county"], ["age"], ["age", "sex"], ["state", "age"]])
  for (const numberOf of [({ value }) => value, ({ consistent }) => consistent.value]) {
    const [sums, own] = [sumsOf(finest, by, numberOf), sumsOf(by, by, numberOf)];
    for (const [key, sum] of sums) most = Math.max(most, Math.abs(sum - own.get(key)));
  }
console.log(`Every table agrees with the finest one to ${most < 0.001 ? "a thousandth of a resident" : most}.`);
const children = cells.filter(({ group }) => group.age === "0-14" && group.married === true);
console.log(
  `Married children: ${children.map(({ value }) => value).join(", ")}. Smallest whole number: ${Math.min(...cells.map(({ consistent }) => consistent.value))}.`,
);
