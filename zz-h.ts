import { duckdbUnderTest } from "./packages/engines/src/duckdb/under-test.kit.ts";
import { measure } from "./packages/engines/src/engine/under-test.kit.ts";
import { checkDeclaration } from "./packages/query/src/declaration/check-declaration.ts";
const u = await duckdbUnderTest("parquet", 1);
const types = { id: "BIGINT", pay: "DOUBLE", age: "BIGINT", dec: "DECIMAL(18, 6)", seen: "DATE", ok: "BOOLEAN", cat: "VARCHAR" } as const;
let s = 7; const rnd = (n: number) => { s = (s * 1103515245 + 12345) % 2147483648; return Math.floor((s / 2147483648) * n); };
const pick = (a: any[]) => a[rnd(a.length)];
const rows = Array.from({ length: 300 }, (_, id) => ({ id, pay: pick([null, 0, 0.25, 1, 1.5, 2, 2.5, 3, 3.5, 3.9, 4, 7, -3, 1e300, -1e300, 5e-324, -5e-324]), age: pick([null, -1, 0, 3, 5, 9, 10, 11, 99, -99, 9e15, -9e15]), dec: pick([null, 0, 0.01, 0.0005, 0.001, 0.0055,0.00125, 0.00999, 12, -3, -1]), seen: pick(["2020-02-24", "2020-02-29", "2020-03-01", "2020-03-05", "0001-01-01", "9999-12-31", null]), ok: pick([true, false, null]), cat: pick(["a", "b", "zz", null]) }));
const source = await u.store(types, rows as any);
const base = { id: { type: "integer" }, pay: { type: "number", lower: 0, upper: 4, granularity: 0.25 }, age: { type: "integer", lower: 0, upper: 10 }, dec: { type: "decimal", scale: 6, lower: 0, upper: 0.01 }, seen: { type: "date", lower: "2020-02-24", upper: "2020-03-05" }, ok: { type: "boolean" }, cat: { type: "category", categories: ["a", "b"] } } as any;
const E = { epsilon: 1 };
const plans: [string, any][] = [
  ["hist pay by big", { let: { big: "pay > 3" }, statistics: [{ statistic: "histogram", column: "pay", bins: [0, 2, 4], groupBy: ["big"], ...E }] }],
  ["mean capped pay by big x2", { let: { big: "pay > 3" }, statistics: [{ statistic: "mean", column: "pay", upper: 2, lower: 0, groupBy: ["big"], ...E }, { statistic: "variance", column: "pay", upper: 2, lower: 0, groupBy: ["big"], ...E }] }],
  ["median pay by big", { let: { big: "pay > 3" }, statistics: [{ statistic: "median", column: "pay", granularity: 2, groupBy: ["big"], ...E }, { statistic: "mean", column: "pay", granularity: 2, groupBy: ["big"], ...E }] }],
  ["hist age/dec/ok", { statistics: [{ statistic: "histogram", column: "age", bins: 3, ...E }, { statistic: "histogram", column: "dec", bins: [0, 0.001, 0.0055, 0.01], groupBy: ["ok"], ...E }, { statistic: "sum", column: "dec", ...E }, { statistic: "variance", column: "dec", ...E }, { statistic: "count", groupBy: ["ok"], ...E }, { statistic: "histogram", column: "seen", bins: "month", ...E }, { statistic: "count", groupBy: ["age"], ...E }] }],
  ["missing age", { let: { m: "age == null", o: "age % 3" }, statistics: [{ statistic: "count", groupBy: ["m"], ...E }] }],
  ["rem", { let: { o: "age % 3" }, statistics: [{ statistic: "count", groupBy: ["o"], ...E }, {statistic: "sum", column: "age", lower: 2, upper: 5, groupBy: ["o"], ...E}] }],
  ["dec derived", { let: { o: "dec > 0.005" }, statistics: [{ statistic: "count", groupBy: ["o"], ...E }, { statistic: "sum", column: "dec", lower: 0, upper: 0.003, groupBy: ["o"], ...E }] }],
  ["dec mean caps", { statistics: [{ statistic: "histogram", column: "dec", bins: 4, ...E }, { statistic: "mean", column: "dec", lower: 0, upper: 0.004, ...E }, { statistic: "median", column: "dec", ...E }] }],
  ["where", { statistics: [{ statistic: "histogram", column: "age", bins: 3, where: "cat = 'a' and pay > 1", ...E }, { statistic: "mean", column: "age", where: "cat = 'a' and pay > 1", ...E }] }],
  ["date", { let: { m: "cut(seen, 'month')", w: "weekday(seen)" }, statistics: [{ statistic: "count", groupBy: ["m"], ...E }, { statistic: "count", groupBy: ["w"], ...E }, { statistic: "histogram", column: "seen", bins: "week", ...E }] }],
  ["many edges", { statistics: [{ statistic: "histogram", column: "pay", bins: [0, 0.3, 1.7, 4], ...E }, { statistic: "histogram", column: "pay", bins: [0, 0.5, 1, 4], ...E }] }],
];
const show = (v: any) => JSON.stringify(v, (_, x) => typeof x === "bigint" ? Number(x) : x);
for (const req of [[], ["pay"], ["cat"], ["age", "ok"]]) {
  const columns = Object.fromEntries(Object.entries(base).map(([n, c]: any) => [n, req.includes(n as never) ? { ...c, required: true } : c]));
  for (const [name, plan] of plans) {
    const run = async (extra: any) => { try { return show(await measure(u.engine, plan, checkDeclaration({ name: "t", source, columns, ...extra } as any))); } catch (e: any) { return "ERR " + e.code + " " + String(e.message).slice(0, 160); } };
    const [a, b] = [await run({ privacyUnit: "row" }), await run({ privacyUnit: { column: "id" }, contribution: { rows: 1 } })];
    if (a !== b || a.startsWith("ERR")) console.log(req.join("+"), name, a === b ? "SAME" : "DIFF", "\n  row ", a.slice(0, 300), "\n  unit", b.slice(0, 300));
  }
}
console.log("done");
await u.close();
