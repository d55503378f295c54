import { z } from "zod";
import { cursor, decimal, hash, id, page, problem, time, wait } from "../schema.ts";
import type { WireOf } from "../wire-row.ts";
import { answer } from "./answer.ts";
import { plan, planRequest, quote, quoteRequest } from "./plan.ts";
import type { releasesRoutes } from "./routes.ts";

export const stage = z.enum(["queued", "measuring", "done"]).meta({ id: "Stage" });

const receipt = z
  .object({
    release: id,
    entry: z.number().int().meta({ description: "Line of the ledger that holds the charge" }),
    entryHash: hash,
    answersHash: hash,
    epsilon: decimal.nullable(),
    delta: decimal,
    guarantee: z.string().meta({ description: "The sentence in force" }),
    guaranteeVersion: z.number().int(),
    at: time,
  })
  .meta({ id: "Receipt" });

const releaseSummary = z
  .object({
    id,
    dataset: id,
    ledger: id,
    account: id,
    by: id,
    byName: z.string(),
    datasetName: z.string(),
    state: z.enum(["charged", "released"]),
    stage,
    statistics: z.array(z.string()).meta({ description: "What was asked, one word each" }),
    entry: z.number().int().meta({ description: "Line of the ledger that holds the charge" }),
    tries: z.number().int(),
    chargedAt: time,
    releasedAt: time.nullable(),
  })
  .meta({ id: "ReleaseSummary" });

const release = releaseSummary
  .extend({
    version: z.number().int().meta({ description: "The version of the dataset that it is about" }),
    plan,
    answers: z.array(answer).nullable().meta({ description: "null until done" }),
    failure: problem.nullable().meta({
      description:
        "ENGINE_FAILED after the public number of tries: the charge stands, the same key or retryRelease runs it again. ANSWER_LOST after a restore: the charge stands, and it is not answered again",
    }),
    receipt: receipt.nullable().meta({ description: "null until done" }),
  })
  .meta({ id: "Release" });

const releaseEvent = z.object({ release: id, stage, failed: z.boolean() }).meta({ id: "ReleaseEvent" });

/** What travels on the routes of this tag. */
export const releasesWire = {
  quotePlan: { body: quoteRequest, response: quote },
  createRelease: { query: wait, body: planRequest, response: release },
  listReleases: {
    query: cursor.extend({ dataset: id.optional(), account: id.optional() }),
    response: page(releaseSummary),
  },
  showRelease: { query: wait, response: release },
  releaseReport: {},
  retryRelease: { response: release },
  watchRelease: { response: releaseEvent },
} as const satisfies WireOf<typeof releasesRoutes>;
