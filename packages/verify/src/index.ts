export { type Check, checkExport, type Problem } from "./check.ts";
export type { PlanAccountant } from "./derive.ts";
export { type Exported, type Row, readExport } from "./export.ts";
export { checkPermit, PERMIT, type Permit, type PermitCheck, permitBody } from "./permit.ts";
export type { Program } from "./programs.ts";
