export { type Check, checkExport, type Problem } from "./check.ts";
export { FORMAT, VERSION } from "./export.ts";
