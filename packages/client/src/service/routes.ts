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
  testMail: {
    method: "POST",
    path: "/v1/service/mail/test",
    who: "platformAdmin",
    scope: "admin",
    body: "none",
    status: 200,
    errors: ["CONFLICT"],
    summary: "Send a letter to my own address now, and say what to do where it cannot be sent",
  },
  testProvider: {
    method: "POST",
    path: "/v1/service/providers/{provider}/test",
    who: "platformAdmin",
    scope: "admin",
    body: "none",
    status: 200,
    summary: "Ask a provider whether sign-ins can work: address, certificate, issuer, clock, client and secret",
  },
  listSecrets: {
    method: "GET",
    path: "/v1/service/secrets",
    who: "platformAdmin",
    scope: "admin",
    status: 200,
    summary:
      "The keys and secrets of this installation: when each was last replaced, and the command that replaces it; never a value",
  },
  createProviderToken: {
    method: "POST",
    path: "/v1/service/providers/{provider}/tokens",
    who: "platformAdmin",
    scope: "admin",
    status: 201,
    errors: ["CONFLICT"],
    summary:
      "A token with which a provider keeps its people and groups here by SCIM 2.0; the secret is shown this once",
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
