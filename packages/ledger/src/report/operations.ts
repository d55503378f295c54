// The public operations of this folder. `LedgerDatabase` passes the context, the first argument of each.
export { spendHistory as history } from "./history.ts";
export { roomForMore } from "./more.ts";
