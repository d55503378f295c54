import { Exact } from "@dosimeter/core";
import { seededRandom } from "@dosimeter/core/testing";
import { expect, test } from "vitest";
import { addNoise } from "../../query/src/answer/add-noise.ts";
import { boundPlan } from "../../query/src/bind/bound-plan.ts";
import { atOnce } from "../../query/src/plan/steps.ts";
import { mostMisses } from "../../query/src/statistics/choice/ranks.kit.ts";
import { planOfSql } from "./plan-of-sql.ts";
import { readSql } from "./read.ts";
import { declaration } from "./sql-text.kit.ts";
import { tableSteps } from "./table-rows.ts";

const DRAWS = 1500;
const MEAN = 30;

/** How often a mean was shown in a table, and how often its interval missed the mean of 30 that every group has. */
function tally(sql: string, rows: readonly number[]) {
  const { plan, tables } = planOfSql(readSql(sql), declaration, { epsilon: "0.2" });
  const bounded = boundPlan(plan, declaration);
  const [table] = tables;
  if (table === undefined) throw new Error("no table");
  // Ages from 0 to 100 are refined to at least 1,024 integers a row.
  const perRow = Number(bounded.statistics[0]?.sensitivity.l1 ?? 0n);
  const exact = rows.flatMap((count) =>
    [MEAN, 100 - MEAN].map((part) => BigInt(Math.round((count * perRow * part) / 100))),
  );
  const random = seededRandom(352);
  const found = { shown: 0, missed: 0 };
  for (let i = 0; i < DRAWS; i++) {
    const answers = addNoise(bounded, new Exact([exact]), random);
    for (const [, mean, low, high] of atOnce(tableSteps(table, answers, bounded)).rows) {
      if (mean === null) continue;
      found.shown += 1;
      if (!(Number(low) <= MEAN + 0.01 && MEAN - 0.01 <= Number(high))) found.missed += 1;
    }
  }
  return found;
}

const AGES = "SELECT region, AVG(age) AS m, DP_INTERVAL_LOW(m), DP_INTERVAL_HIGH(m) FROM survey GROUP BY region";

// False alarm: one run in 10⁷.
test.each(["", "HAVING m > 60", "ORDER BY m DESC LIMIT 1", "HAVING m < 90 ORDER BY m LIMIT 2"])(
  "marks, HAVING, ORDER BY and LIMIT together: what a table shows holds [M191, M352]: %s",
  (tail) => {
    for (const rows of [
      [2, 5, 10],
      [10, 20, 40],
      [30, 60, 90],
      [5, 50, 500],
    ]) {
      const { shown, missed } = tally(`${AGES} ${tail}`, rows);
      // What is hardly ever shown is wrong still less often.
      const allowed = Math.max(mostMisses(shown, 0.05, 1e-8), mostMisses(3 * DRAWS, 0.05 ** 2, 1e-8));
      expect(missed, `${rows.join(", ")} rows: shown ${shown} times`).toBeLessThanOrEqual(allowed);
    }
  },
);
