// The public operations of this room. Each function takes the context first; `LedgerDatabase` binds it.
export { spendHistory as history } from "./history.ts";
