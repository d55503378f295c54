import { errorsOfQuote, errorsOfRelease } from "../releases/routes.ts";
import type { RouteTable } from "../route.ts";

export const sqlRoutes = {
  quoteSql: {
    method: "POST",
    path: "/v1/sql/quote",
    who: "accountReader",
    scope: "read",
    status: 200,
    errors: [...errorsOfQuote, "CONFLICT"],
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
    errors: errorsOfRelease,
    summary: "Charge and release the plan that SQL asks for, as createRelease does; its answers come as tables too",
  },
} as const satisfies RouteTable;
