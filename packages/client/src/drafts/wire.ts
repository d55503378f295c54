import { z } from "zod";
import { plan } from "../releases/plan.ts";
import { cursor, id, name, page, time } from "../schema.ts";
import type { WireOf } from "../wire-row.ts";
import type { draftsRoutes } from "./routes.ts";

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

/** What travels on the routes of this tag. */
export const draftsWire = {
  listDrafts: { query: cursor, response: page(draftSummary) },
  saveDraft: {
    body: z.strictObject({ dataset: id, account: id, name, plan, team: team.optional() }),
    response: draft,
  },
  showDraft: { response: draft },
  changeDraft: {
    body: z.strictObject({ name: name.optional(), plan: plan.optional(), team: team.optional() }),
    response: draft,
  },
  deleteDraft: {},
  commentDraft: {
    body: z.strictObject({ text: z.string().min(1).max(2000) }),
    response: draft,
  },
} as const satisfies WireOf<typeof draftsRoutes>;
