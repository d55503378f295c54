import { z } from "zod";
import { hash, id, time } from "./basic.ts";

export const auditLine = z
  .object({
    sequence: z.number().int(),
    at: time,
    actor: id,
    actorName: z.string(),
    action: z.string().meta({ description: "Noun and verb: account.allocate, charge.refuse" }),
    subject: z.string().meta({ description: "Id of what it happened to" }),
    subjectName: z.string().nullable().meta({ description: "Its name, or whose account or dataset it is about" }),
    ledger: id.nullable(),
    detail: z.unknown(),
    hash,
  })
  .meta({ id: "AuditLine" });

export const verification = z
  .object({
    ok: z.boolean(),
    problems: z.array(z.object({ table: z.string(), id: z.string(), problem: z.string() })),
    lines: z.number().int().meta({ description: "Audit lines recomputed" }),
    entries: z.number().int().meta({ description: "Ledger entries replayed" }),
    releases: z.number().int(),
    head: hash.meta({ description: "Of the newest audit line: keep it elsewhere to notice a lost tail" }),
  })
  .meta({ id: "Verification" });
