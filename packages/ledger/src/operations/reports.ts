// The public operations. `LedgerDatabase` passes the context, the first argument of each.
export { spendHistory as history } from "../report/history.ts";
export { roomForMore } from "../report/more.ts";
export { outsideSpend as outside } from "../report/outside.ts";
