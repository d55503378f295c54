import { z } from "zod";
import type { RouteTable } from "../route.ts";
import { cursor, hash, id, page, time } from "../schema.ts";

const auditLine = z
  .object({
    sequence: z.number().int(),
    at: time,
    actor: id,
    actorName: z.string(),
    action: z.string().meta({ description: "Noun and verb: account.allocate, charge.refuse" }),
    subject: z.string().meta({ description: "Id of what it happened to" }),
    subjectName: z
      .string()
      .nullable()
      .meta({ description: "Its name, the title of a release, or whose account or dataset it is about" }),
    page: z
      .string()
      .nullable()
      .meta({ description: "Path of the page about it, where the reader may open one: /releases/chg_…" }),
    ledger: id.nullable(),
    detail: z.unknown(),
    hash,
  })
  .meta({ id: "AuditLine" });

const verification = z
  .object({
    ok: z.boolean(),
    problems: z.array(z.object({ table: z.string(), id: z.string(), problem: z.string() })),
    lines: z.number().int().meta({ description: "Audit lines recomputed" }),
    entries: z.number().int().meta({ description: "Ledger entries replayed" }),
    releases: z.number().int(),
    head: hash.meta({ description: "Of the newest audit line: keep it elsewhere to notice a lost tail" }),
  })
  .meta({ id: "Verification" });

export const auditRoutes = {
  listLedgerAudit: {
    route: "GET /v1/ledgers/{ledger}/audit",
    summary: "Every change on this ledger and every refusal, newest first",
    who: "ledgerAuditor",
    scope: "read",
    query: cursor,
    response: page(auditLine),
  },
  listAudit: {
    route: "GET /v1/audit",
    summary: "Every change, newest first: who, what, on which object",
    who: "auditReader",
    scope: "read",
    query: cursor.extend({
      actor: id.optional().meta({ description: "Only by this person" }),
      action: z
        .string()
        .regex(/^[a-zA-Z.]{1,60}$/, "a noun, or a noun and a verb")
        .optional()
        .meta({ description: "Only this action (request.approve), or all of one noun (request)" }),
      subject: id.optional().meta({ description: "Only what happened to this" }),
      since: z.iso.datetime().optional(),
      until: z.iso.datetime().optional(),
    }),
    response: page(auditLine),
  },
  exportLedger: {
    route: "GET /v1/ledgers/{ledger}/export",
    summary: "The whole ledger as signed JSON Lines, for the independent verifier or for keeping elsewhere",
    who: "ledgerAuditor",
    scope: "read",
    media: "application/x-ndjson",
  },
  verify: {
    route: "GET /v1/verification",
    summary: "Recompute every chain of hashes and replay every charge: sums, remaining μ², caps",
    who: "verifier",
    scope: "read",
    response: verification,
  },
  listActivity: {
    route: "GET /v1/activity",
    summary: "What I did, and what happened on the ledgers that I administer or audit, newest first",
    who: "signedIn",
    scope: "read",
    query: cursor,
    response: page(auditLine),
  },
} as const satisfies RouteTable;
