// The public operations of this room. Each function takes the context first; `LedgerDatabase` binds it.
export { checkpoint, compareCheckpoint } from "./checkpoint.ts";
export { exportLedger as export } from "./export.ts";
export { auditLines as lines } from "./line.ts";
export { verify } from "./verify.ts";
