// The public operations. `LedgerDatabase` passes the context, the first argument of each.

export { auditLines as lines, auditLinesAfter as linesAfter } from "../audit/line.ts";
export { addStreamed, checkStreamed } from "../verify/audit-stream.ts";
export {
  checkpoint,
  compareCheckpoint,
  continues,
  freezeUnvouched,
  isItsWitness,
  nameWitness,
} from "../verify/checkpoint.ts";
export { exportLedger as export } from "../verify/export.ts";
export { verify } from "../verify/verify.ts";
