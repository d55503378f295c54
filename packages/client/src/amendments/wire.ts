import { z } from "zod";
import { quota } from "../accounts/wire.ts";
import { decimal, decimalInput, id, name, time } from "../schema.ts";
import type { WireOf } from "../wire-row.ts";
import type { amendmentsRoutes } from "./routes.ts";

/** A higher lifetime. Nothing may fall. */
const raiseInput = z.strictObject({
  epsilon: decimalInput,
  delta: decimalInput,
  deltaSelection: decimalInput.optional().meta({ description: "The room for Σδ; grows with delta when absent" }),
});

const amendmentInput = raiseInput.extend({ reason: name.meta({ description: "Stands in the new version" }) });

const amendmentPreview = z
  .object({
    sentence: z.string().meta({ description: "What would be true" }),
    isUnconditional: z.boolean().meta({
      description: "Whether something holds until a further raise, or a raise past the ceiling, whatever else happens",
    }),
    answersSeen: z.boolean(),
    needsSecond: z.boolean().meta({ description: "Whether someone else must agree" }),
    epsilon: decimal,
    delta: decimal,
    deltaFilter: decimal,
    deltaSelection: decimal,
    muSquared: decimal,
    ceiling: quota,
  })
  .meta({ id: "AmendmentPreview" });

const amendment = z
  .object({
    id,
    ledger: id,
    base: z.number().int().meta({ description: "The version that it raises" }),
    epsilon: decimal,
    delta: decimal,
    deltaSelection: decimal,
    reason: z.string(),
    status: z.enum(["proposed", "effective", "rejected", "withdrawn"]),
    proposedBy: id,
    proposedByName: z.string(),
    proposedAt: time,
    decidedBy: id.nullable(),
    decidedByName: z.string().nullable(),
    decidedAt: time.nullable(),
    note: z.string(),
    version: z.number().int().nullable().meta({ description: "The version it became" }),
    mine: z.object({ mayDecide: z.boolean(), mayWithdraw: z.boolean() }),
  })
  .meta({ id: "Amendment" });

const amendments = z
  .object({
    items: z.array(amendment),
    versions: z.array(
      z.object({
        version: z.number().int(),
        sentence: z.string(),
        epsilon: decimal,
        delta: decimal,
        reason: z.string(),
        decidedByName: z.string(),
        secondedByName: z.string().nullable().meta({ description: "null: no one else could have agreed" }),
        at: time,
      }),
    ),
  })
  .meta({ id: "Amendments" });

const decisionInput = z.strictObject({ note: z.string().trim().max(2000).optional() });

/** What travels on the routes of this tag. */
export const amendmentsWire = {
  listAmendments: { response: amendments },
  previewAmendment: { body: raiseInput, response: amendmentPreview },
  proposeAmendment: { body: amendmentInput, response: amendment },
  secondAmendment: { body: decisionInput, response: amendment },
  rejectAmendment: { body: decisionInput, response: amendment },
  withdrawAmendment: { body: decisionInput, response: amendment },
} as const satisfies WireOf<typeof amendmentsRoutes>;
