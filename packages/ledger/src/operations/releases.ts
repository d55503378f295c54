// The public operations. `LedgerDatabase` passes the context, the first argument of each.

export { endPublicAnswer, linkOf, publicAnswer, publishAnswer } from "../accounts/public-answer.ts";
export { complete } from "../charges/complete.ts";
export { chargeByKey, chargeOf, pendingCharges as pending } from "../release/charge.ts";
export { labelRelease, labelsOf, shortAnswers } from "../release/label.ts";
export { claim, renew } from "../release/lease.ts";
export { releases } from "../release/list.ts";
export { releaseOf } from "../release/release.ts";
