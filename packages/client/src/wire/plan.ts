import { z } from "zod";
import { balance } from "./account.ts";
import { decimal, decimalInput, id, lane } from "./basic.ts";
import { cost } from "./cost.ts";
import { asOf, reuseChoice, rowReuse } from "./reuse.ts";

/** One row of the table of statistics, asked for. Checked in full, with a path for every fault, by @dosimeter/query. */
export const statisticRequest = z
  .looseObject({
    id: z.string().max(80).optional(),
    statistic: z.string().max(80),
    column: z.string().max(200).optional(),
    epsilon: decimalInput.optional(),
    rho: decimalInput.optional(),
  })
  .meta({
    id: "StatisticRequest",
    description: "One row of the table of statistics: count, sum, mean, variance, median, quantiles, histogram …",
  });

export const plan = z
  .looseObject({
    statistics: z.array(statisticRequest).max(1000),
    let: z
      .record(z.string(), z.unknown())
      .optional()
      .meta({ description: 'Derived columns by name, as text or JSON: {"age10": "cut(age, 10)"}' }),
    confidence: z.number().optional().meta({ description: "Of the stated errors; 0.95 when absent" }),
  })
  .meta({ id: "Plan" });

export const planRequest = z.strictObject({
  dataset: id,
  account: id.meta({ description: "Who pays: always named, never guessed" }),
  plan,
  reuse: reuseChoice.optional(),
  asOf: asOf.optional(),
});

export const refusal = z
  .object({
    code: z.enum(["BUDGET_EXHAUSTED", "QUOTA_EXHAUSTED", "UNSUPPORTED_EVENT"]),
    detail: z.string(),
    reasons: z.array(
      z.object({
        account: id.nullable().meta({ description: "null: the ledger itself" }),
        name: z.string(),
        dimension: z.enum(["epsilon", "delta", "residue", "unpriced", "query"]),
        available: decimal.nullable(),
        requested: decimal.nullable(),
      }),
    ),
    largestEpsilon: decimal.meta({ description: "The largest pure epsilon that would still fit; 0: none" }),
  })
  .meta({ id: "Refusal" });

export const quoteRequest = planRequest.extend({
  people: z
    .number()
    .int()
    .min(1)
    .optional()
    .meta({ description: "About how many people there are, as you assume; never read from the data" }),
});

/** One row of the plan: its price, and how far its answers will be off. */
const quotedStatistic = z
  .looseObject({
    id: z.string(),
    statistic: z.string(),
    label: z.string(),
    noise: z.enum(["laplace", "gaussian", "selection"]),
    cost: z.union([
      z.object({ epsilon: decimal, delta: decimal.optional() }),
      z.object({ rho: decimal, muSquared: decimal, delta: decimal.optional() }),
    ]),
    events: z.array(z.looseObject({ kind: z.string() })),
    cells: z.number().int().meta({ description: "How many answers: groups times bins" }),
    accuracy: z.object({
      halfWidth: z
        .number()
        .nullable()
        .meta({ description: "In rows where noise is selection. null: it needs a number of people that nobody gave" }),
      confidence: z.number(),
      assumes: z.string().nullable(),
      useless: z.boolean(),
      remedy: z
        .object({ epsilon: decimal.optional(), rho: decimal.optional(), cells: z.number().int().optional() })
        .nullable()
        .meta({
          description: "What would make a useless answer say something: the least price, or at most so many answers",
        }),
    }),
    sentence: z.string(),
    reuse: rowReuse,
  })
  .meta({ id: "QuotedStatistic" });

export const quote = z
  .object({
    admitted: z.boolean(),
    version: z.number().int().meta({ description: "The version of the dataset that this is about" }),
    confidence: z.number(),
    statistics: z.array(quotedStatistic),
    cost: cost.nullable(),
    path: z.array(
      z.object({
        account: id.nullable().meta({ description: "null: the ledger itself" }),
        name: z.string(),
        before: balance,
        after: balance.nullable(),
      }),
    ),
    lane: lane.meta({ description: "The rule that would pay" }),
    refusal: refusal.nullable(),
    switches: z.boolean().meta({ description: "Paying this would switch the ledger to the tight rule" }),
  })
  .meta({ id: "Quote" });
