// The public operations of this folder. `LedgerDatabase` passes the context, the first argument of each.
export { agentCharges, spentThisHour } from "./charges.ts";
export { askConfirmation, confirmation, decideConfirmation, openConfirmations } from "./confirmation.ts";
export { agentLimits, quoteAgent, setAgentLimits } from "./limits.ts";
export { moveShare, sharesOf } from "./share.ts";
