import { expect, test } from "vitest";
import { plan, statisticRequest } from "../packages/client/src/releases/plan.ts";
import { REQUEST_KEYS } from "../packages/query/src/bind/bound-row.ts";
import type { Plan } from "../packages/query/src/statistics/request.ts";

const planKeys = {
  join: 1,
  let: 1,
  window: 1,
  horizon: 1,
  statistics: 1,
  sample: 1,
  confidence: 1,
  adjacency: 1,
} as const satisfies Record<keyof Plan, 1>;

test("the interface describes every field of a plan and of a statistic that the program reads, and no other", () => {
  expect(Object.keys(statisticRequest.shape).toSorted()).toEqual(REQUEST_KEYS.toSorted());
  expect(Object.keys(plan.shape).toSorted()).toEqual(Object.keys(planKeys).toSorted());
});
