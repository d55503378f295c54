import type { DeepReadonly } from "@dosimeter/client";
import { routeTables } from "@dosimeter/client/routes";
import { z } from "zod";
import { key } from "./tool.ts";
import { WAIT_SECONDS } from "./wait-for-release.ts";

const { epsilon, rho, delta, sql } = routeTables.sql.quoteSql.body.shape;
const { people } = routeTables.releases.quotePlan.body.shape;
const name = z.string().max(200);
const page = z.number().int().min(1).optional().meta({ description: "Of a list that goes on" });
const account = name.optional().meta({ description: "Who pays, by id; needed where I hold several" });

const question = {
  sql: sql.optional().meta({
    description: "SELECT sex, AVG(income) FROM adults WHERE age >= 30 GROUP BY sex. Free: HAVING, ORDER BY, LIMIT",
  }),
  // A plan is described once, at dosimeter://tools/quote_plan, and checked whole by the route.
  plan: z
    .looseObject({ statistics: z.array(z.looseObject({})) })
    .optional()
    .meta({ description: "Instead of sql: the rows of dosimeter://tools/quote_plan, with `dataset`" }),
  dataset: name.optional(),
  account,
  epsilon: epsilon.meta({ description: "The whole price, shared evenly by the answers" }),
  rho: rho.meta({ description: "The same for Gaussian noise" }),
  delta,
  reuse: z.enum(["never", "free", "asAccurate"]).optional().meta({ description: "Earlier answers, which are free" }),
};

/** What the listed tools take: short, since every agent pays for them in each conversation. */
export const schemas = {
  find: z.strictObject({
    text: z.string().max(200).optional(),
    dataset: name.optional(),
    statistic: z.string().max(80).optional(),
    release: name.optional(),
    wait: z.number().int().min(0).max(WAIT_SECONDS).optional(),
    tool: z.string().max(80).optional(),
    arguments: z.looseObject({}).optional(),
    page,
  }),
  quote: z.strictObject({
    ...question,
    people,
    within: z
      .number()
      .gt(0)
      .optional()
      .meta({ description: "Of a plan: the least price at which each answer is at most this far off" }),
  }),
  release: z.strictObject({
    ...question,
    key,
    purpose: z.string().max(500).optional().meta({ description: "What it is for: a person reads it" }),
  }),
  budget: z.strictObject({
    dataset: name.optional(),
    account,
    epsilon: epsilon.meta({ description: "How much more" }),
    note: z.string().max(2000).optional(),
    page,
  }),
} as const;

export type Arguments<Name extends keyof typeof schemas> = DeepReadonly<z.output<(typeof schemas)[Name]>>;
