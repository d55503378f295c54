import { z } from "zod";
import { file } from "../datasets/routes.ts";
import { plan } from "../releases/plan.ts";
import type { RouteTable } from "../route.ts";
import { cursor, id, name, page, time } from "../schema.ts";

const team = id.nullable().meta({ description: "Whose members read it too; null: only its owner does" });

const form = z.looseObject({}).meta({
  description:
    "What the page of a new dataset, or of a plan, holds, as it is typed, which that page alone reads: at most 500,000 characters of JSON. What a check showed is no part of it",
});
const upload = id.optional().meta({
  description: "A file of mine. Absent for a table of a connection, which platform admins declare",
});

const draftSummary = z
  .object({
    id,
    kind: z.enum(["plan", "unfinishedPlan", "declaration"]).meta({
      description: "plan: kept under a name. The others are what I typed and have not finished",
    }),
    dataset: id.nullable().meta({ description: "null of a declaration" }),
    account: id.nullable().meta({ description: "The one that a plan was made on" }),
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
    plan: plan.nullable().meta({ description: "null for what is not finished" }),
    form: form.nullable().meta({ description: "null for a plan with a name" }),
    file: file.nullable().meta({ description: "The upload that is declared, while it is there" }),
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
  listUnfinished: {
    route: "GET /v1/unfinished",
    summary: "What I have typed and not finished: plans, and declarations, mine and those handed to me, newest first",
    who: "signedIn",
    scope: "manage",
    query: cursor.extend({ dataset: id.optional().meta({ description: "The plan on this dataset alone" }) }),
    response: page(draftSummary),
  },
  saveUnfinished: {
    route: "POST /v1/unfinished",
    summary:
      "Keep a declaration that is not finished, at most 20, or, with dataset and account, the plan that I type there: one. `showDraft` and `deleteDraft` are for them too",
    who: "signedIn",
    scope: "manage",
    body: z.strictObject({ name, form, file: upload, dataset: id.optional(), account: id.optional() }),
    response: draft,
    status: 201,
    errors: ["CONFLICT"],
  },
  changeUnfinished: {
    route: "POST /v1/unfinished/{draft}",
    summary: "Keep what was typed since; what is absent stays",
    who: "draftOwner",
    scope: "manage",
    body: z.strictObject({
      name: name.optional(),
      form: form.optional(),
      file: upload,
      seen: time.optional().meta({ description: "Its changedAt as I know it: refused where it was changed since" }),
    }),
    response: draft,
    errors: ["CONFLICT"],
  },
  handDeclaration: {
    route: "POST /v1/unfinished/{draft}/owner",
    summary: "Give a declaration that is not finished to a colleague, who finishes it over the same upload",
    who: "draftOwner",
    scope: "manage",
    body: z.strictObject({ person: id }),
    errors: ["CONFLICT"],
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
