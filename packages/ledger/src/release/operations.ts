// The public operations on releases. Each function takes the context first; `LedgerDatabase` binds it.
export { chargeByKey, chargeOf, pendingCharges as pending } from "../ledger/charge.ts";
export { claim, recover, renew } from "./lease.ts";
export { releases } from "./list.ts";
export { complete, release, releaseOf } from "./release.ts";
