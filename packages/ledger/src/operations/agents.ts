// The public operations. `LedgerDatabase` passes the context, the first argument of each.

export { moveShare, sharesOf } from "../accounts/agent-share.ts";
export { agentCharges, spentThisHour } from "../agents/charges.ts";
export { askConfirmation, confirmation, decideConfirmation, openConfirmations } from "../agents/confirmation.ts";
export { agentLimits, quoteAgent, setAgentLimits } from "../agents/limits.ts";
