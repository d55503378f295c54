import type { RouteTable } from "../route.ts";

export const serviceRoutes = {
  health: {
    method: "GET",
    path: "/v1/health",
    who: "anyone",
    scope: null,
    status: 200,
    summary: "Whether the service is up, its version, and whether it is a demo",
  },
  ready: {
    method: "GET",
    path: "/v1/ready",
    who: "visitor",
    scope: null,
    status: 200,
    summary:
      "Whether the database answers and releases are taken: for a load balancer, which otherwise sends no requests here. Who reads the audit also reads which sources fail, and which ledgers are frozen and why",
  },
  search: {
    method: "GET",
    path: "/v1/search",
    who: "signedIn",
    scope: "read",
    query: ["text"],
    status: 200,
    summary: "Datasets, their columns, teams, people, releases and requests that I can see, by name or id",
  },
} as const satisfies RouteTable;
