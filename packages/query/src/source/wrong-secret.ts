import type { ConnectionKind } from "./kinds.ts";

/** Why a connection cannot be used whose server refuses its secret, and may lock the account when it is tried again and again. */
export const wrongSecret = {
  postgres: "its password is wrong",
  trino: "its password or token is wrong, or has expired",
} as const satisfies Record<ConnectionKind, string>;
