export { type Check, checkExport, type Problem } from "./check.ts";
export { type Exported, type Row, readExport } from "./export.ts";
