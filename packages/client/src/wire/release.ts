import { z } from "zod";
import { answer } from "./answer.ts";
import { decimal, hash, id, problem, time } from "./basic.ts";
import { plan } from "./plan.ts";

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

export const releaseSummary = z
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

export const release = releaseSummary
  .extend({
    version: z.number().int().meta({ description: "The version of the dataset that it is about" }),
    plan,
    answers: z.array(answer).nullable().meta({ description: "null until done" }),
    failure: problem.nullable().meta({
      description: "ENGINE_FAILED after the public number of tries: the charge stands, the same key runs it again",
    }),
    receipt: receipt.nullable().meta({ description: "null until done" }),
  })
  .meta({ id: "Release" });

export const releaseEvent = z.object({ release: id, stage, failed: z.boolean() }).meta({ id: "ReleaseEvent" });
