import { readFileSync } from "node:fs";
import { Exact } from "@dosimeter/core";
import { seededRandom } from "@dosimeter/core/testing";
import { expect, test } from "vitest";
import { addNoise } from "../../answer/add-noise.ts";
import { boundPlan } from "../../bind/bound-plan.ts";
import { checkDeclaration } from "../../declaration/check-declaration.ts";
import type { BoundedStatistic } from "../../plan/bounded.ts";
import type { TablesTask } from "../../plan/task.ts";
import { tableTrialsOf } from "../table-trials.ts";
import { partIntegers, tablesFrom } from "./estimate.ts";

const file = new URL("../../../../../examples/census-tables/declaration.json", import.meta.url);

test.each([0.1, 2])(
  "of 2,000 draws of the census example each cell's interval holds in 95 of 100, at ρ = %s",
  (rho) => {
    const census = checkDeclaration({ ...JSON.parse(readFileSync(file, "utf8")), source: { csv: "census.csv" } });
    const tables = "state, county, age+sex, age+married, county+age+sex";
    const plan = boundPlan({ statistics: [{ statistic: "tables", tables, weights: "largest", rho }] }, census);
    const statistic = plan.statistics[0] as BoundedStatistic<TablesTask>;
    const { task } = statistic;
    const counties = census.columns.county?.categories ?? [];
    const ages = census.columns.age?.categories ?? [];
    const rows = Array.from({ length: 3000 }, (_, at) => {
      const age = (at * 7) % 4;
      return {
        county: counties[Math.floor(11 * ((at % 97) / 97) ** 3)] ?? null,
        age: ages[age] ?? null,
        sex: at % 3 === 0 ? "f" : "m",
        married: age > 0 && at % 5 < age,
      };
    });
    const counts = tableTrialsOf(statistic)?.practice(statistic, rows) ?? [];
    const truth = tablesFrom(partIntegers(counts, task), task).flat();
    const random = seededRandom(520_420);
    const DRAWS = 2000;
    const missed = truth.map(() => 0);
    for (let draw = 0; draw < DRAWS; draw++)
      addNoise(plan, new Exact([counts]), random)[0]?.cells.forEach(({ interval: [low, high] }, at) => {
        const count = truth[at] ?? 0;
        if (low > count || high < count) missed[at] = (missed[at] ?? 0) + 1;
      });
    // Binomial(2000, 0.05) is above 165 with a chance of 10⁻⁹; of 120 cells and two prices together 3·10⁻⁷.
    expect(Math.max(...missed)).toBeLessThanOrEqual(165);
    const all = missed.reduce((sum, each) => sum + each, 0) / (DRAWS * truth.length);
    expect(all).toBeLessThan(0.055);
    // Cells of other columns than the facts' are as sure as they say, and no surer: the intervals are not too wide.
    expect(missed[0]).toBeGreaterThan(40);
  },
  300_000,
);
