import { z } from "zod";
import { quota } from "./account.ts";
import { decimal, decimalInput, id, name, time } from "./basic.ts";

/** A higher lifetime. Nothing may fall. */
export const raiseInput = z.strictObject({
  epsilon: decimalInput,
  delta: decimalInput,
  deltaSelection: decimalInput.optional().meta({ description: "The room for Σδ; grows with delta when absent" }),
});

export const amendmentInput = raiseInput.extend({ reason: name.meta({ description: "Stands in the new version" }) });

export const amendmentPreview = z
  .object({
    sentence: z.string().meta({ description: "What would be true" }),
    isUnconditional: z.boolean().meta({ description: "Whether something holds whatever happens" }),
    answersSeen: z.boolean(),
    needsSecond: z.boolean().meta({ description: "Whether there is somebody else who must agree" }),
    epsilon: decimal,
    delta: decimal,
    deltaFilter: decimal,
    deltaSelection: decimal,
    muSquared: decimal,
    ceiling: quota,
  })
  .meta({ id: "AmendmentPreview" });

export const amendment = z
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

export const amendments = z
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
        secondedByName: z.string().nullable().meta({ description: "null: nobody else could have agreed" }),
        at: time,
      }),
    ),
  })
  .meta({ id: "Amendments" });

export const decisionInput = z.strictObject({ note: z.string().trim().max(2000).optional() });
