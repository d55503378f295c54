// The public operations. `LedgerDatabase` passes the context, the first argument of each.

export { account, accounts, accountsOf, freeze, ledgersHeld as held, unfreeze } from "../accounts/account.ts";
export { namesOfAccounts } from "../accounts/account-names.ts";
export { balance, blockBalances, maySpend, quote, whyNotSpend } from "../accounts/balance.ts";
export { readUnderCaps, refuseUnreadable, unreadUnderCaps } from "../accounts/cap-reading.ts";
export { closeAccount, expireDue } from "../accounts/close.ts";
export { openAccount } from "../accounts/open-account.ts";
export { allocate, freeQuota as free, withdraw } from "../accounts/quota.ts";
export { setAccount, setLedger } from "../accounts/settings.ts";
export { recall, transfer } from "../accounts/transfer.ts";
export { charge } from "../charges/plan.ts";
export { previewSwitch, switchRule } from "../charges/switch.ts";
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
} from "../guarantee/amendment.ts";
export { isMigrationAsked, migrateLedger } from "../guarantee/migrate.ts";
export { entries } from "../ledger/entry.ts";
export { ledger, ledgerOf, ledgers, openLedger as open, previewLedger as preview } from "../ledger/ledger.ts";
export { reportThreshold } from "../ledger/report-threshold.ts";
export { frozen } from "../restore/frozen.ts";
export { importLedger as import } from "../restore/import-ledger.ts";
export { freezeLedger, isReopenAsked } from "../restore/restore-gap.ts";
export { reopenLedger } from "../verify/reopen.ts";
