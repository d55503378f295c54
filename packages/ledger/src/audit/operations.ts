// The public operations of this folder. `LedgerDatabase` passes the context, the first argument of each.
export { checkpoint, compareCheckpoint, continues, freezeUnvouched } from "./checkpoint.ts";
export { exportLedger as export } from "./export.ts";
export { auditLines as lines, auditLinesAfter as linesAfter } from "./line.ts";
export { verify } from "./verify.ts";
