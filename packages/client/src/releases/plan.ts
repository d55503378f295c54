import { isPrintable } from "@dosimeter/core/internal";
import { z } from "zod";
import { balance } from "../accounts/routes.ts";
import { asOf, reuseChoice, rowReuse } from "../reuse/routes.ts";
import { activeRule, cost, decimal, decimalInput, id } from "../schema.ts";

/** A field whose values @dosimeter/query checks, with a path for every fault; the schema is for readers of the interface. */
const described = (schema: object, description: string) =>
  z
    .unknown()
    .optional()
    .meta({ ...schema, description });
const number = { type: "number" };
const whole = { type: "integer" };
const texts = { type: "array", items: { type: "string" } };
const amount = { type: ["string", "number"] };

/** One row of the table of statistics, asked for. */
export const statisticRequest = z
  .looseObject({
    id: z
      .string()
      .max(80)
      .refine(isPrintable, "printable characters")
      .optional()
      .meta({ description: "Names the row in answers and receipts; s1, s2, … when absent" }),
    statistic: z.string().max(80),
    column: z.string().max(200).optional(),
    with: described({ type: ["string", "array"], items: { type: "string" } }, "The other column, or all predictors"),
    valuesPerUnit: described(
      whole,
      "Distinct values: how many different ones of each privacy unit count; 1 when absent",
    ),
    lower: described(
      { type: ["number", "string"] },
      "Clamping bound, of dates as text; the column's own when absent. Choose it without looking at the data",
    ),
    upper: described({ type: ["number", "string"] }, "As lower"),
    granularity: described(number, "Width of the steps in which values are counted"),
    unitLower: described(number, "Sum by unit: least total of one privacy unit in one group"),
    unitUpper: described(number, "Sum by unit: largest total of one privacy unit in one group"),
    bins: described(
      { type: ["integer", "string", "array", "object"], items: { type: ["number", "string"] } },
      'How many bins of equal width, or their edges in rising order; of dates also month, quarter or year, of instants also hour, or dates as edges. Synthetic table: also by column, {"income": [0, 20000, 50000], "city": ["Oslo", "Bergen"]}, or the same as text; of a text column the values that count',
    ),
    quantiles: described({ type: "array", items: number }, "Shares from 0 to 1; the quartiles when absent"),
    groupBy: described(texts, "Columns whose declared values are the groups; every combination gets an answer"),
    keys: described({ type: "string", enum: ["select"] }, "select: groups are those values that enough people share"),
    keysFrom: described({ type: "string" }, "Id of an earlier row whose selected groups are used, at no further cost"),
    keyShare: described(amount, "Share of the price that selects the groups; a quarter when absent"),
    delta: described(amount, "Probability, over everything, that a value of too few people is published"),
    atLeast: described(whole, "Values shared by fewer people than this are never published"),
    k: described(whole, "Most frequent values: how many"),
    where: described(
      { type: ["string", "object"] },
      'Which rows count: "age >= 18 and married = true", or the same as JSON',
    ),
    weights: described(
      { type: ["string", "object"], additionalProperties: whole },
      'Synthetic table: how much columns and pairs matter, whole numbers from 0 to 100: {"age": 3, "age+sex": 5}, or the same as text. 1 when absent; a pair has the product of its columns. Set of tables: how much the error of a table matters, from 1, or largest',
    ),
    tables: described(
      { type: ["string", "array"], items: { type: ["string", "array"], items: { type: "string" } } },
      'Set of tables: which ones: ["region", ["region", "sex"], "2-way"], or the same as text: "region, region+sex, 2-way", or "all"; all of one and of two columns when absent',
    ),
    numbers: described(
      { type: "string", enum: ["whole"] },
      "Set of tables: whole puts whole numbers from 0 up next to the answers, as consistent; they agree, and intervals stay",
    ),
    impossible: described(
      { type: ["string", "object"] },
      'Synthetic table, set of tables: what no row can be, about two columns, several joined by or: "age < 15 and married = true"',
    ),
    noise: described(
      { type: "string", enum: ["laplace", "gaussian", "auto"] },
      "laplace is paid in epsilon, gaussian in rho; auto takes the one with the smaller error",
    ),
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
    join: described(
      {
        type: "object",
        properties: {
          dataset: { type: "string" },
          version: whole,
          on: { type: "string" },
          columns: { type: "object", additionalProperties: { type: ["string", "object"] } },
        },
        required: ["dataset", "columns"],
      },
      'Columns of one other dataset of the same people, by name: {"dataset": "…", "columns": {"age": "age", "visits": {"take": "count", "where": "year = 2024"}}}. take is one, count, sum, min, max, first, last or any',
    ),
    let: z
      .record(z.string(), z.unknown())
      .optional()
      .meta({ description: 'Derived columns by name, as text or JSON: {"age10": "cut(age, 10)"}' }),
    window: described(
      { type: ["string", "object"] },
      'Of a population with blocks, those that are measured and pay: "latest 12", "2024-01 to 2024-12", "2024-01, 2024-03", "all closed", or {"blocks": ["2024-01 to 2024-12"]}. Given there, and only there',
    ),
    horizon: described(whole, "Of a report of a running total that goes on: for how many blocks. Its schedule sets it"),
    sample: described(
      { type: "object", properties: { rate: amount, size: whole }, minProperties: 1, maxProperties: 1 },
      "Measure each statistic on a secret sample: each privacy unit with a chance (rate), or a fixed number of rows (size)",
    ),
    confidence: z.number().optional().meta({ description: "Of the stated errors; 0.95 when absent" }),
    adjacency: described(
      { type: "string", enum: ["addRemove", "replace"] },
      "Refuse the plan unless the dataset has these neighbours",
    ),
  })
  .meta({ id: "Plan" });

export const planRequest = z.strictObject({
  dataset: id,
  account: id.meta({ description: "Who pays: always named, never guessed" }),
  plan,
  reuse: reuseChoice.optional(),
  asOf: asOf.optional(),
});

export const purpose = z.string().max(500).meta({
  description:
    "Why an AI agent asks, for the person for whom it acts: at most 500 characters. Only for agents; it changes neither price nor answer",
});

export const refusal = z
  .object({
    code: z.enum(["BUDGET_EXHAUSTED", "QUOTA_EXHAUSTED", "PRICE_TOO_SMALL", "UNSUPPORTED_EVENT"]),
    detail: z.string(),
    reasons: z.array(
      z.object({
        account: id.nullable().meta({ description: "null: the ledger itself" }),
        name: z.string(),
        dimension: z.enum(["epsilon", "delta", "mu2", "unpriced", "query", "least"]),
        available: decimal.nullable(),
        requested: decimal.nullable(),
      }),
    ),
    largestEpsilon: decimal.meta({ description: "The largest pure epsilon that would still fit; 0: none" }),
    blocks: z
      .object({
        first: z.string().meta({ description: "The first block of the window without room" }),
        fits: z
          .array(z.string())
          .meta({ description: "Those of the window that have it: 2024-02, 2024-04 to 2024-12" }),
      })
      .optional()
      .meta({ description: "Of a ledger with blocks" }),
  })
  .meta({ id: "Refusal" });

const total = decimalInput.optional();

export const quoteRequest = planRequest.extend({
  epsilon: total.meta({
    description: "A total, split evenly between the rows that state no price; without one, each row states its own",
  }),
  rho: total.meta({ description: "The same for Gaussian noise" }),
  people: z
    .number()
    .int()
    .min(1)
    .optional()
    .meta({ description: "About how many people there are, as you assume; never read from the data" }),
});

const bound = z.union([z.number(), z.string()]);
const ends = z.tuple([z.number(), z.number()]).readonly();

/** One row of the plan: its price, and how far its answers will be off. */
const quotedStatistic = z
  .looseObject({
    id: z.string(),
    statistic: z.string(),
    label: z.string(),
    caps: z.string().nullable().meta({
      description:
        "How tighter bounds than those of the column change the question: capped at 10,800; null where none are",
    }),
    noise: z.enum(["laplace", "gaussian", "selection"]),
    cost: z.union([
      z.object({ epsilon: decimal, delta: decimal.optional() }),
      z.object({ rho: decimal, muSquared: decimal, delta: decimal.optional() }),
    ]),
    events: z.array(z.looseObject({ kind: z.string() })),
    cells: z.number().int().meta({ description: "How many answers: groups times bins" }),
    accuracy: z.object({
      halfWidth: z.number().nullable().meta({
        description: "In rows where noise is selection. null: it needs a number of people, which is not given",
      }),
      confidence: z.number(),
      tables: z
        .array(z.object({ table: z.array(z.string()).readonly(), cells: z.number().int(), halfWidth: z.number() }))
        .readonly()
        .optional()
        .meta({
          description:
            "Of a set of tables: the half-width of each cell of each table by these columns, none for all rows; halfWidth is the largest of those asked for",
        }),
      assumes: z.string().nullable(),
      groupSize: z
        .object({ rows: z.number(), from: z.enum(["release", "declared", "assumed"]), by: z.string().nullable() })
        .nullable()
        .meta({
          description:
            "The rows of a group that the error is of. release: the least of the smallest one, by the earlier count `by`; declared, assumed: all rows ÷ groups, by the owner or by you. null: it does not depend on them, or no one says",
        }),
      bias: ends.nullable().meta({
        description:
          "What the caps change, at least and at most: no part of halfWidth. null: not known, or nothing is capped",
      }),
      bestBounds: z
        .object({ lower: bound, upper: bound, noise: z.number(), bias: ends, error: z.number() })
        .nullable()
        .meta({
          description:
            "Bounds with the least error in all, noise and capping, by an earlier answer. null: none are much better, or nothing tells",
        }),
      scale: z
        .object({ useless: z.number(), by: z.string() })
        .nullable()
        .meta({ description: "The error from which on the answer is useless, and what that is measured by" }),
      useless: z.boolean(),
      lost: z.number().int().meta({
        description:
          "How many of the answers cannot be distinguished from nothing, as far as it is known: all of a useless row",
      }),
      remedy: z
        .object({ epsilon: decimal.optional(), rho: decimal.optional(), cells: z.number().int().optional() })
        .nullable()
        .meta({
          description: "What would make a useless answer useful: the least price, or the largest number of answers",
        }),
    }),
    sentence: z.string(),
    known: z
      .object({
        tails: z
          .object({
            from: z.string(),
            points: z.array(z.object({ at: z.number(), least: z.number(), most: z.number() })).readonly(),
            rows: ends,
            failureProbability: z.number(),
          })
          .optional()
          .meta({ description: "Which shares of the rows lie above places of the column" }),
        cut: z
          .object({ people: ends, from: z.string() })
          .optional()
          .meta({ description: "How many people have rows that the bounds on rows of a person leave out" }),
        group: z
          .object({ rows: z.number(), from: z.string() })
          .optional()
          .meta({ description: "How many rows the smallest group has at least" }),
        expected: z
          .object({ size: z.number(), sizes: z.array(z.number()).readonly(), from: z.string() })
          .optional()
          .meta({ description: "How large the answers are, on average and each" }),
      })
      .meta({ description: "What earlier answers tell that the caller's caps have counted" }),
    reuse: rowReuse,
  })
  .meta({ id: "QuotedStatistic" });

export const quote = z
  .object({
    admitted: z.boolean(),
    version: z.number().int().meta({ description: "The version of the dataset that this is about" }),
    confidence: z.number(),
    window: z
      .object({ blocks: z.array(z.string()) })
      .optional()
      .meta({ description: "Of a population with blocks, those that the plan's window means now; each of them pays" }),
    plan: plan.optional().meta({ description: "With the split of the total, where one was stated: release this plan" }),
    statistics: z.array(quotedStatistic),
    warnings: z.array(z.string()).meta({ description: "What of it would be paid for in vain; refuses nothing" }),
    cost: cost.nullable(),
    path: z.array(
      z.object({
        account: id.nullable().meta({ description: "null: the ledger itself" }),
        name: z.string(),
        before: balance,
        after: balance.nullable(),
      }),
    ),
    activeRule: activeRule.meta({ description: "The rule that would pay" }),
    refusal: refusal.nullable(),
    switches: z.boolean().meta({ description: "Paying this would switch the ledger to the tight rule" }),
    agent: z
      .object({
        hourLeft: decimal.nullable().meta({ description: "What is left of this hour; null: no such limit" }),
        confirmAbove: decimal.nullable().meta({ description: "The most without a click of its person; null: any" }),
        outcome: z
          .enum(["charged", "waits", "refused"])
          .meta({ description: "waits: for a click of its person. refused: more than is left of this hour" }),
      })
      .nullable()
      .meta({
        description:
          "What the own limits of the AI agent that asks make of the plan; null for people and services, and where it is not admitted",
      }),
  })
  .meta({ id: "Quote" });
