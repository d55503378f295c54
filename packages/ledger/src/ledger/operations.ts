// The public operations of this folder. `LedgerDatabase` passes the context, the first argument of each.

export { account, accounts, accountsOf, freeze, ledgersHeld as held, unfreeze } from "./account.ts";
export { namesOfAccounts } from "./account-names.ts";
export {
  amendment,
  amendments,
  guaranteeVersions as versions,
  peopleWhoMaySecond,
  previewAmendment,
  proposeAmendment,
  rejectAmendment,
  secondAmendment,
  withdrawAmendment,
} from "./amendment.ts";
export { balance, blockBalances, maySpend, quote, whyNotSpend } from "./balance.ts";
export { readUnderCaps, refuseUnreadable, unreadUnderCaps } from "./cap-reading.ts";
export { charge } from "./charge-plan.ts";
export { closeAccount, expireDue } from "./close.ts";
export { entries } from "./entry.ts";
export { frozen } from "./frozen.ts";
export { importLedger as import } from "./import-ledger.ts";
export { ledger, ledgerOf, ledgers, openLedger as open, previewLedger as preview } from "./ledger.ts";
export { isMigrationAsked, migrateLedger } from "./migrate.ts";
export { openAccount } from "./open-account.ts";
export { allocate, freeQuota as free, withdraw } from "./quota.ts";
export { freezeLedger, isReopenAsked, reopenLedger } from "./restore-gap.ts";
export { reportThreshold, setAccount, setLedger } from "./settings.ts";
export { previewSwitch, switchRule } from "./switch.ts";
export { recall, transfer } from "./transfer.ts";
