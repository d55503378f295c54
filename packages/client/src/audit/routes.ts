import { PAGE, type RouteTable } from "../route.ts";

export const auditRoutes = {
  listLedgerAudit: {
    method: "GET",
    path: "/v1/ledgers/{ledger}/audit",
    who: "ledgerAuditor",
    scope: "read",
    query: PAGE,
    status: 200,
    summary: "Every change on this ledger and every refusal, newest first",
  },
  listAudit: {
    method: "GET",
    path: "/v1/audit",
    who: "auditReader",
    scope: "read",
    query: ["actor", "action", "subject", "since", "until", ...PAGE],
    status: 200,
    summary: "Every change, newest first: who, what, on which object",
  },
  exportLedger: {
    method: "GET",
    path: "/v1/ledgers/{ledger}/export",
    who: "ledgerAuditor",
    scope: "read",
    answer: "bytes",
    media: "application/x-ndjson",
    status: 200,
    summary: "The whole ledger as signed JSON Lines, for the independent verifier or for keeping elsewhere",
  },
  verify: {
    method: "GET",
    path: "/v1/verification",
    who: "verifier",
    scope: "read",
    status: 200,
    summary: "Recompute every chain of hashes and replay every charge: sums, remaining μ², caps",
  },
  listActivity: {
    method: "GET",
    path: "/v1/activity",
    who: "signedIn",
    scope: "read",
    query: PAGE,
    status: 200,
    summary: "What I did, and what happened on the ledgers that I administer or audit, newest first",
  },
} as const satisfies RouteTable;
