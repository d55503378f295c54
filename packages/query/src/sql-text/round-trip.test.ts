import { PrivacyError } from "@dosimeter/core";
import fc from "fast-check";
import { loadModule, parseSync } from "libpg-query";
import { beforeAll, expect, test } from "vitest";
import { boundPlan } from "../bind/bound-plan.ts";
import type { Plan } from "../statistics/request.ts";
import { planOfSql } from "./plan-of-sql.ts";
import { sqlOfPlan } from "./print.ts";
import { readSql } from "./read.ts";
import { declaration, plans } from "./sql-text.kit.ts";
import { standard } from "./standard.kit.ts";

beforeAll(() => loadModule());

const boundOrNull = (plan: Plan) => {
  try {
    return boundPlan(plan, declaration);
  } catch (error) {
    if (error instanceof PrivacyError) return null;
    throw error;
  }
};

test("every plan is SQL that PostgreSQL parses, and the SQL is the same plan", () => {
  let count = 0;
  fc.assert(
    fc.property(plans, (plan) => {
      const bound = boundOrNull(plan);
      if (bound === null) return;
      count += 1;
      const sql = sqlOfPlan(plan, declaration);
      const first = planOfSql(readSql(sql), declaration).plan;
      expect(boundPlan(first, declaration)).toEqual(bound);
      const again = sqlOfPlan(first, declaration);
      expect(again).toBe(sql);
      expect(planOfSql(readSql(again), declaration).plan).toEqual(first);
      expect(() => parseSync(standard(sql))).not.toThrow();
    }),
    { numRuns: 400 },
  );
  expect(count).toBeGreaterThan(100);
});

test("a plan that reads columns of another table is not SQL", () => {
  const join = { dataset: "d2", columns: { n: { take: "count" } } } as const;
  const plan: Plan = { join, statistics: [{ statistic: "mean", column: "n", epsilon: 1 }] };
  expect(() => sqlOfPlan(plan, declaration)).toThrow("SQL does not read columns of another table");
});
