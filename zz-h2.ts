import { duckdbUnderTest } from "./packages/engines/src/duckdb/under-test.kit.ts";
import { measure } from "./packages/engines/src/engine/under-test.kit.ts";
import { checkDeclaration } from "./packages/query/src/declaration/check-declaration.ts";
const u = await duckdbUnderTest("parquet", 1);
const types = { id: "BIGINT", w: "DOUBLE", k0: "BIGINT", k1: "BIGINT", rows: "BIGINT", b: "BOOLEAN", f: "BIGINT" } as const;
const rows = Array.from({ length: 60 }, (_, id) => ({ id, w: [0, 0.5, 1.5, 2.5, 3.7, null][id % 6]!, k0: id % 5, k1: id % 7, rows: id % 3, b: [true, false, null][id % 3]!, f: id % 4 }));
const source = await u.store(types, rows as any);
const int = { type: "integer", lower: 0, upper: 6, missing: [] };
const cols: any = { id: { type: "integer" }, w: { type: "number", lower: 0, upper: 4, granularity: 0.25 }, k0: { type: "integer", lower: 0, upper: 3 }, k1: { type: "integer", lower: 0, upper: 6 }, rows: { type: "integer", lower: 0, upper: 1 }, b: { type: "boolean" }, f: { type: "integer", lower: 0, upper: 2 } };
const E = { epsilon: 1 };
const S = (a: any[]) => ({ statistics: a.map((x) => ({ ...x, ...E })) });
const plans: any[] = [
  S([{ statistic: "histogram", column: "w", bins: [0, 1, 3, 4], groupBy: ["b"], where: "k0 > 1 and w > 0.4 and rows > 0" }, { statistic: "histogram", column: "k1", bins: 3, where: "k0 > 1 and w > 0.4 and rows > 0" }, { statistic: "histogram", column: "k0", bins: 3, groupBy: ["rows"], where: "k0 > 1 and w > 0.4 and rows > 0" }]),
  S([{ statistic: "histogram", column: "k1", bins: 3, groupBy: ["k0"] }, { statistic: "histogram", column: "rows", bins: 2, groupBy: ["b"] }, { statistic: "histogram", column: "f", bins: 2, groupBy: ["k0", "rows"] }, { statistic: "mean", column: "w" }, { statistic: "variance", column: "w" }, { statistic: "median", column: "w" }, { statistic: "cdf", column: "w" }]),
];
const show = (v: any) => JSON.stringify(v, (_, x) => typeof x === "bigint" ? Number(x) : x);
for (const req of [[], ["w"], ["k0", "b"]]) for (const miss of [false, true]) for (const [i, plan] of plans.entries()) {
  const columns = Object.fromEntries(Object.entries(cols).map(([n, c]: any) => [n, { ...c, ...(req.includes(n as never) ? { required: true } : {}), ...(miss && ["k1", "w", "k0"].includes(n) ? { missing: [n === "k0" ? 4 : 0] } : {}) }]));
  const run = async (extra: any) => { try { return show(await measure(u.engine, plan, checkDeclaration({ name: "t", source, columns, ...extra } as any))); } catch (e: any) { return "ERR " + e.code + " " + String(e.message).slice(0, 160); } };
  const [a, b] = [await run({ privacyUnit: "row" }), await run({ privacyUnit: { column: "id" }, contribution: { rows: 1 } })];
  console.log(req.join("+"), miss, i, a === b ? "SAME" : "DIFF", a.startsWith("ERR") || a !== b ? `\n ${a.slice(0, 300)}\n ${b.slice(0, 300)}` : "");
}
await u.close();
