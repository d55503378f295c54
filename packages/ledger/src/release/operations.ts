// The public operations on releases. `LedgerDatabase` passes the context, the first argument of each.
export { chargeByKey, chargeOf, pendingCharges as pending } from "../ledger/charge.ts";
export { labelRelease, labelsOf, shortAnswers } from "./label.ts";
export { claim, renew } from "./lease.ts";
export { releases } from "./list.ts";
export { complete, releaseOf } from "./release.ts";
