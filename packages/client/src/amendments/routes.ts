import { z } from "zod";
import { quota } from "../accounts/routes.ts";
import { promise } from "../ledgers/routes.ts";
import type { RouteTable } from "../route.ts";
import { decimal, decimalInput, id, name, time } from "../schema.ts";

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
    ...promise,
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

export const amendmentsRoutes = {
  listAmendments: {
    route: "GET /v1/ledgers/{ledger}/amendments",
    summary: "Every version of the guarantee, and every raise that was asked for",
    who: "ledgerReader",
    scope: "read",
    response: amendments,
  },
  previewAmendment: {
    route: "POST /v1/ledgers/{ledger}/amendments/preview",
    summary: "The sentence that a higher lifetime would make true; changes nothing",
    who: "ledgerAdmin",
    scope: "manage",
    body: raiseInput,
    response: amendmentPreview,
    errors: ["CONFLICT"],
  },
  proposeAmendment: {
    route: "POST /v1/ledgers/{ledger}/amendments",
    summary: "Ask for a higher lifetime, with a reason; it takes effect when a second person agrees",
    who: "ledgerAdmin",
    scope: "manage",
    body: amendmentInput,
    response: amendment,
    status: 201,
    errors: ["CONFLICT"],
  },
  secondAmendment: {
    route: "POST /v1/amendments/{amendment}/second",
    summary: "Agree to a raise that someone else asked for: everything is replayed under the new caps",
    who: "amendmentDecider",
    scope: "manage",
    body: decisionInput,
    response: amendment,
    errors: ["CONFLICT"],
  },
  rejectAmendment: {
    route: "POST /v1/amendments/{amendment}/reject",
    summary: "Refuse a raise that someone else asked for",
    who: "amendmentDecider",
    scope: "manage",
    body: decisionInput,
    response: amendment,
    errors: ["CONFLICT"],
  },
  withdrawAmendment: {
    route: "POST /v1/amendments/{amendment}/withdraw",
    summary: "Take back a raise that I asked for",
    who: "amendmentProposer",
    scope: "manage",
    body: decisionInput,
    response: amendment,
    errors: ["CONFLICT"],
  },
} as const satisfies RouteTable;
