import { z } from "zod";
import { quota } from "../accounts/routes.ts";
import { plan } from "../releases/plan.ts";
import type { RouteTable } from "../route.ts";
import { cursor, decimal, decimalInput, id, page, time } from "../schema.ts";

const note = z.string().max(2000);

const request = z
  .object({
    id,
    dataset: z.object({ id, name: z.string() }),
    ledger: id,
    account: id.nullable().meta({ description: "null: access is asked for; the account once it is given" }),
    parent: id.nullable().meta({ description: "Where the quota would come from; null: the ledger itself" }),
    holder: z.object({ kind: z.enum(["team", "person"]), id, name: z.string() }),
    from: z.string().meta({ description: "Name of what the quota would come from" }),
    requester: z.object({ id, name: z.string() }),
    asked: quota,
    note: z.string(),
    plan: plan.nullable().meta({ description: "What the quota is for; quote it to see what it buys" }),
    status: z
      .enum([
        "submitted",
        "counterOffered",
        "approved",
        "partlyApproved",
        "rejected",
        "withdrawn",
        "expired",
        "superseded",
        "infoRequested",
        "escalated",
      ])
      .meta({ id: "RequestStatus" }),
    version: z.number().int().meta({ description: "Every transition names the version it read" }),
    offered: quota.nullable(),
    granted: quota.nullable(),
    decision: z
      .object({
        by: z.object({ id, name: z.string() }),
        note: z.string(),
        self: z.boolean().meta({ description: "The one who asked decided, as the policy of this server allows" }),
      })
      .nullable(),
    supersededBy: id.nullable(),
    answer: z.string().meta({ description: "To what the decider asked back, which is the note of the decision" }),
    origin: id.nullable().meta({ description: "The request that could not be paid for and led to this one" }),
    mine: z.object({
      mayDecide: z.boolean(),
      mayEscalate: z.boolean().meta({ description: "I decide, and another account funds the one that pays" }),
      mayAnswer: z.boolean().meta({ description: "I asked: I may withdraw it, or accept or decline an offer" }),
    }),
    createdAt: time,
    changedAt: time,
    expiresAt: time,
  })
  .meta({ id: "Request" });

const requestInput = z.strictObject({
  dataset: id.meta({ description: "Its id; knowing it is enough to ask for access" }),
  account: id.optional().meta({ description: "More quota for this account" }),
  team: id.optional().meta({ description: "Access for this team, which I administer" }),
  parent: id.optional().meta({ description: "Access for myself below this account of a team of mine" }),
  epsilon: decimalInput,
  delta: decimalInput.optional().meta({ description: "In proportion to epsilon when absent" }),
  note: note.optional(),
  plan: plan.optional(),
  supersede: z.boolean().optional().meta({ description: "Takes the place of my open request for the same account" }),
  days: z.number().int().min(1).max(366).optional().meta({ description: "Days until it expires; 30 when absent" }),
});

const version = z.number().int().min(1).meta({ description: "The version that was read; 409 when it has changed" });

const answerInput = z.strictObject({ version });

const approvalInput = z.strictObject({
  version,
  epsilon: decimalInput.optional().meta({ description: "Less than was asked approves in part; all when absent" }),
  delta: decimalInput.optional(),
  note: note.optional(),
});

const rejectionInput = z.strictObject({ version, note: note.min(1).meta({ description: "The reason" }) });

const offerInput = z.strictObject({
  version,
  epsilon: decimalInput,
  delta: decimalInput.optional().meta({ description: "In proportion to epsilon when absent" }),
  note: note.optional(),
});

const standingApproval = z
  .object({
    id,
    ledger: id,
    parent: id.nullable().meta({ description: "Whose quota it gives out; null: the ledger itself" }),
    most: decimal.meta({ description: "The largest ε that is approved at once" }),
    room: decimal.meta({ description: "ε that it may still give out in all" }),
    by: z.string(),
    createdAt: time,
    endedAt: time.nullable(),
  })
  .meta({ id: "StandingApproval" });

export const requestsRoutes = {
  listRequests: {
    route: "GET /v1/requests",
    summary: "Requests that wait for me or that I made, newest first",
    who: "signedIn",
    scope: "read",
    query: cursor.extend({
      box: z.enum(["received", "submitted"]).meta({ description: "Those I may decide, or those I made" }),
    }),
    response: page(request),
  },
  createRequest: {
    route: "POST /v1/requests",
    summary: "Ask for access, or for more quota, for myself or a team that I administer; with a note and a plan",
    who: "signedIn",
    scope: "release",
    body: requestInput,
    response: request,
    status: 201,
    errors: ["CONFLICT", "ACCOUNT_CLOSED"],
  },
  showRequest: {
    route: "GET /v1/requests/{request}",
    summary: "One request: what was asked, where it stands, who decided and why",
    who: "requestReader",
    scope: "read",
    response: request,
  },
  approveRequest: {
    route: "POST /v1/requests/{request}/approve",
    summary: "Grant all of it or a part; decision and quota move together, or neither",
    who: "requestDecider",
    scope: "manage",
    body: approvalInput,
    response: request,
    errors: ["CONFLICT", "QUOTA_UNAVAILABLE", "ACCOUNT_CLOSED"],
  },
  rejectRequest: {
    route: "POST /v1/requests/{request}/reject",
    summary: "Refuse it, with the reason",
    who: "requestDecider",
    scope: "manage",
    body: rejectionInput,
    response: request,
    errors: ["CONFLICT"],
  },
  offerRequest: {
    route: "POST /v1/requests/{request}/offer",
    summary: "Offer another amount; nothing is set aside until it is accepted",
    who: "requestDecider",
    scope: "manage",
    body: offerInput,
    response: request,
    errors: ["CONFLICT"],
  },
  acceptOffer: {
    route: "POST /v1/requests/{request}/accept",
    summary: "Take the offered amount; the funds are looked at again",
    who: "requester",
    scope: "release",
    body: answerInput,
    response: request,
    errors: ["CONFLICT", "QUOTA_UNAVAILABLE", "ACCOUNT_CLOSED"],
  },
  declineOffer: {
    route: "POST /v1/requests/{request}/decline",
    summary: "Decline the offer, which ends the request",
    who: "requester",
    scope: "release",
    body: answerInput,
    response: request,
    errors: ["CONFLICT"],
  },
  withdrawRequest: {
    route: "POST /v1/requests/{request}/withdraw",
    summary: "Take the request back",
    who: "requester",
    scope: "release",
    body: answerInput,
    response: request,
    errors: ["CONFLICT"],
  },
  askRequest: {
    route: "POST /v1/requests/{request}/ask",
    summary: "Ask for information before deciding",
    who: "requestDecider",
    scope: "manage",
    body: z.strictObject({ version, note: note.min(1).meta({ description: "The question" }) }),
    response: request,
    errors: ["CONFLICT"],
  },
  answerRequest: {
    route: "POST /v1/requests/{request}/answer",
    summary: "Answer what was asked back",
    who: "requester",
    scope: "release",
    body: z.strictObject({ version, note: note.min(1).meta({ description: "The answer" }) }),
    response: request,
    errors: ["CONFLICT"],
  },
  escalateRequest: {
    route: "POST /v1/requests/{request}/escalate",
    summary: "The paying account has too little: ask the account that funds it, with the same plan",
    who: "requestDecider",
    scope: "manage",
    body: z.strictObject({
      version,
      epsilon: decimalInput.optional().meta({ description: "How much to ask for above; what was asked when absent" }),
      note: note.optional(),
    }),
    response: request,
    errors: ["CONFLICT", "ACCOUNT_CLOSED"],
  },
  listStandingApprovals: {
    route: "GET /v1/ledgers/{ledger}/approvals",
    summary: "What is approved in advance on this ledger",
    who: "ledgerReader",
    scope: "read",
    query: cursor,
    response: page(standingApproval),
  },
  createStandingApproval: {
    route: "POST /v1/ledgers/{ledger}/approvals",
    summary: "Approve small requests in advance: each up to `most`, together up to `room`",
    who: "accountGrantor",
    scope: "manage",
    body: z.strictObject({ parent: id.optional(), most: decimalInput, room: decimalInput }),
    response: standingApproval,
    status: 201,
  },
  endStandingApproval: {
    route: "DELETE /v1/approvals/{approval}",
    summary: "Stop approving in advance",
    who: "approvalManager",
    scope: "manage",
  },
} as const satisfies RouteTable;
