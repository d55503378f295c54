import type { RouteTable } from "../route.ts";

export const sqlRoutes = {
  quoteSql: {
    method: "POST",
    path: "/v1/sql/quote",
    who: "accountReader",
    scope: "read",
    status: 200,
    errors: [
      "UNKNOWN_COLUMN",
      "UNSUPPORTED_QUERY",
      "UNSUPPORTED_EVENT",
      "ADJACENCY_MISMATCH",
      "ACCOUNT_CLOSED",
      "CONFLICT",
    ],
    summary:
      "The plan that SQL asks for, and its quote; a refusal says line and column. Reads no data and changes nothing",
  },
  releaseSql: {
    method: "POST",
    path: "/v1/sql/release",
    who: "accountSpender",
    scope: "release",
    query: ["wait"],
    status: 202,
    idempotent: true,
    errors: [
      "UNKNOWN_COLUMN",
      "UNSUPPORTED_QUERY",
      "UNSUPPORTED_EVENT",
      "ADJACENCY_MISMATCH",
      "ACCOUNT_CLOSED",
      "BUDGET_EXHAUSTED",
      "QUOTA_EXHAUSTED",
      "PRICE_TOO_SMALL",
      "IDEMPOTENCY_CONFLICT",
      "CONFLICT",
    ],
    summary: "Charge and release the plan that SQL asks for, as createRelease does; its answers come as tables too",
  },
} as const satisfies RouteTable;
