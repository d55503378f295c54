import { z } from "zod";
import { plan } from "../releases/plan.ts";
import type { RouteTable } from "../route.ts";
import { cursor, id, name, page, time } from "../schema.ts";

const team = id.nullable().meta({ description: "Whose members read it too; null: only its owner does" });

const draftSummary = z
  .object({
    id,
    dataset: id,
    account: id.meta({ description: "The one that it was made on" }),
    name: z.string(),
    owner: id,
    ownerName: z.string(),
    isMine: z.boolean(),
    mayDelete: z.boolean().meta({ description: "I made it, or am an admin of the team that it is shared with" }),
    team,
    teamName: z.string().nullable(),
    comments: z.number().int(),
    changedAt: time,
  })
  .meta({ id: "DraftSummary" });

const draft = draftSummary
  .extend({
    plan,
    said: z.array(z.object({ id, by: id, byName: z.string(), text: z.string(), at: time })).meta({
      description: "The comments, oldest first",
    }),
  })
  .meta({ id: "Draft" });

export const draftsRoutes = {
  listDrafts: {
    route: "GET /v1/datasets/{dataset}/drafts",
    summary: "Plans on a dataset that I keep as drafts, and those shared with a team of mine, newest first",
    who: "datasetReader",
    scope: "read",
    query: cursor,
    response: page(draftSummary),
  },
  saveDraft: {
    route: "POST /v1/drafts",
    summary: "Keep a plan under a name; at most 100 on one dataset",
    who: "accountReader",
    scope: "release",
    body: z.strictObject({ dataset: id, account: id, name, plan, team: team.optional() }),
    response: draft,
    status: 201,
    errors: ["CONFLICT"],
  },
  showDraft: {
    route: "GET /v1/drafts/{draft}",
    summary: "One draft with its plan and what people said about it",
    who: "draftReader",
    scope: "read",
    response: draft,
  },
  changeDraft: {
    route: "POST /v1/drafts/{draft}",
    summary: "Rename a draft, replace its plan, or share it with a team of mine; what is absent stays",
    who: "draftOwner",
    scope: "release",
    body: z.strictObject({ name: name.optional(), plan: plan.optional(), team: team.optional() }),
    response: draft,
  },
  deleteDraft: {
    route: "DELETE /v1/drafts/{draft}",
    summary: "Delete a draft with its comments",
    who: "draftKeeper",
    scope: "release",
  },
  commentDraft: {
    route: "POST /v1/drafts/{draft}/comments",
    summary: "Say something about a draft; at most 200 times for one draft",
    who: "draftReader",
    scope: "release",
    body: z.strictObject({ text: z.string().min(1).max(2000) }),
    response: draft,
    errors: ["CONFLICT"],
  },
} as const satisfies RouteTable;
