export { isAggregate } from "./aggregates.ts";
export { meantAggregate } from "./expressions.ts";
export { joinOf } from "./joined.ts";
export { sqlName } from "./language.ts";
export { planOfSql, type SqlPlan, sqlPlanSteps } from "./plan-of-sql.ts";
export { type Currency, unpriced, withTotal } from "./price.ts";
export { sqlOfPlan } from "./print.ts";
export { readSql, readSqlAbout } from "./read.ts";
export { tableSteps } from "./table-rows.ts";
