export { type Check, checkExport, type Problem } from "./check.ts";
export { type Exported, FORMAT, type Row, readExport, VERSION } from "./export.ts";
