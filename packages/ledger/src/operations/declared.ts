// The public operations on programs outside. `LedgerDatabase` passes the context, the first argument of each.
export { declareRight as right, setDeclareRight as setRight } from "../accounts/declare-right.ts";
export { approveDeclared as approve, declare as charge, quoteDeclared as quote } from "../charges/declare.ts";
export {
  attachEvidence as attach,
  declaredCharges as charges,
  declaredFacts as facts,
  publishEvidence as publish,
  redeemPermit as redeem,
} from "../charges/evidence.ts";
export { importPublications as import, quotePublications as quoteImport } from "../charges/publications.ts";
export { decideWaiting as decide, isSecond, waitingCharges as waiting } from "../charges/wait.ts";
