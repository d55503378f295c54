import { z } from "zod";
import { cursor, hash, id, page, time } from "../schema.ts";
import type { WireOf } from "../wire-row.ts";
import type { auditRoutes } from "./routes.ts";

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

/** What travels on the routes of this tag. */
export const auditWire = {
  listLedgerAudit: { query: cursor, response: page(auditLine) },
  listAudit: {
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
  exportLedger: {},
  verify: { response: verification },
  listActivity: { query: cursor, response: page(auditLine) },
} as const satisfies WireOf<typeof auditRoutes>;
