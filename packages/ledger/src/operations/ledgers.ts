// The public operations. `LedgerDatabase` passes the context, the first argument of each.

export { account, accounts, accountsOf, freeze, ledgersHeld as held, unfreeze } from "../ledger/account.ts";
export { namesOfAccounts } from "../ledger/account-names.ts";
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
} from "../ledger/amendment.ts";
export { balance, blockBalances, maySpend, quote, whyNotSpend } from "../ledger/balance.ts";
export { readUnderCaps, refuseUnreadable, unreadUnderCaps } from "../ledger/cap-reading.ts";
export { charge } from "../ledger/charge-plan.ts";
export { closeAccount, expireDue } from "../ledger/close.ts";
export { entries } from "../ledger/entry.ts";
export { frozen } from "../ledger/frozen.ts";
export { importLedger as import } from "../ledger/import-ledger.ts";
export { ledger, ledgerOf, ledgers, openLedger as open, previewLedger as preview } from "../ledger/ledger.ts";
export { isMigrationAsked, migrateLedger } from "../ledger/migrate.ts";
export { openAccount } from "../ledger/open-account.ts";
export { allocate, freeQuota as free, withdraw } from "../ledger/quota.ts";
export { freezeLedger, isReopenAsked } from "../ledger/restore-gap.ts";
export { reportThreshold, setAccount, setLedger } from "../ledger/settings.ts";
export { previewSwitch, switchRule } from "../ledger/switch.ts";
export { recall, transfer } from "../ledger/transfer.ts";
export { reopenLedger } from "../verify/reopen.ts";
