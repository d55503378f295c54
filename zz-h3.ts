import { duckdbUnderTest } from "./packages/engines/src/duckdb/under-test.kit.ts";
import { measure } from "./packages/engines/src/engine/under-test.kit.ts";
import { checkDeclaration } from "./packages/query/src/declaration/check-declaration.ts";
import { boundPlan } from "./packages/query/src/bind/bound-plan.ts";
const u = await duckdbUnderTest("parquet", 1);
const types = { x: "BIGINT", sex: "VARCHAR" } as const;
const show = (v: any) => JSON.stringify(v, (_, x) => typeof x === "bigint" ? Number(x) : x);
for (const rows of [[[110, "f"], [120, "m"], [115, "f"]], [[110, "f"], [120, "unknown"], [115, "f"]], [[110, "f"], [null, "m"], [115, "f"]]]) {
  const source = await u.store(types, rows.map(([x, sex]) => ({ x, sex })) as any);
  const d = checkDeclaration({ name: "t", source, privacyUnit: "row", adjacency: "replace", size: { public: 3 }, columns: { x: { type: "integer", lower: 100, upper: 120, required: true }, sex: { type: "category", categories: ["f", "m"], required: true } } } as any);
  const plan: any = { statistics: [{ statistic: "sum", column: "x", epsilon: 1 }, { statistic: "mean", column: "x", epsilon: 1 }, { statistic: "variance", column: "x", epsilon: 1 },{ statistic: "standardDeviation", column: "x", epsilon: 1 }] };
  console.log(show(rows), show(await measure(u.engine, plan, d)), show(boundPlan(plan, d).statistics.map((s) => [s.statistic, s.sensitivity, (s.task as any).publicRows, (s.task as any).ticks])));
}
await u.close();
