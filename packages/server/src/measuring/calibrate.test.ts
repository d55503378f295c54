import { boundPlan } from "@dosimeter/query/bind";
import { expect, test } from "vitest";
import { foldsOf } from "../../../engines/src/sql/folded-table.ts";
import { referencePlans } from "./calibrate.ts";

test("[M361] what a row takes is measured on rows, never on what was counted of them", () => {
  for (const { part, plan, declaration } of referencePlans()) {
    if (declaration.mostRows === 1) continue;
    const bounded = boundPlan(plan, declaration);
    expect(foldsOf(bounded.statistics, bounded.declaration), part).toEqual([]);
  }
});
