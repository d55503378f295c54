import { activeRuleNames, adjacencies, calendarUnits, type ErrorCode, errorCodes, ruleNames } from "@dosimeter/core";
import { z } from "zod";

export const id = z
  .string()
  .regex(/^[A-Za-z0-9_.-]{1,80}$/, "an id")
  .meta({ id: "Id", description: "An opaque identifier" });

export const name = z.string().trim().min(1).max(200);

export const time = z.string().meta({ id: "Time", format: "date-time", description: "UTC, ISO 8601" });

/** An exact amount. Never a JSON number in answers: a double cannot hold it. */
export const decimal = z
  .string()
  .meta({ id: "Decimal", description: 'An exact decimal, for example "0.3"', examples: ["0.3"] });

/** An amount as asked for: a decimal string, or a number meaning its shortest decimal. Ranges are checked by the core. */
export const decimalInput = z.union([z.string().max(400), z.number()]).meta({
  id: "DecimalInput",
  description: "A decimal string, or a number meaning its shortest decimal",
  examples: ["0.3", 0.3],
});

export const blocks = z
  .object({
    every: z.enum(calendarUnits),
    zone: z.string(),
    protects: z.literal("person").optional().meta({
      description:
        "Blocks are cohorts: one unit is one person in all their rows, in the period of their least date; absent: one person in one period",
    }),
    earlier: z.object({ through: z.string(), isClosed: z.boolean() }).optional().meta({
      description:
        "Of a ledger that had no blocks at first: what was spent then counts in each period through this one; isClosed: nothing more is asked about them",
    }),
  })
  .optional()
  .meta({ description: "The periods of the population, each with the whole lifetime for itself; absent: it has none" });

export const hash = z.string().meta({ id: "Hash", description: "SHA-256, lower-case hexadecimal" });

const MAX_PAGE = 200;

export const cursor = z.strictObject({
  limit: z.coerce.number().int().min(1).max(MAX_PAGE).optional().meta({ description: "Items a page; 50 when absent" }),
  cursor: z.string().max(400).optional().meta({ description: "The `next` of the page before" }),
});

/** Exactly this name: how a readable address finds its id. */
export const named = {
  name: name.optional().meta({ description: "Only those with exactly this name" }),
};

/** A page of what a text narrows down. */
export const searched = cursor.extend({
  text: z.string().trim().max(200).optional().meta({ description: "Only those whose name holds it, in any case" }),
});

const MAX_WAIT_SECONDS = 60;

export const wait = z.strictObject({
  wait: z.coerce
    .number()
    .min(0)
    .max(MAX_WAIT_SECONDS)
    .optional()
    .meta({ description: "Seconds to wait for the answer before replying" }),
});

export const page = <Item extends z.ZodType>(item: Item) =>
  z.object({
    items: z.array(item),
    next: z.string().nullable().meta({ description: "Pass as `cursor`; null at the end" }),
  });

const codes = Object.keys(errorCodes) as [ErrorCode, ...ErrorCode[]];

/** RFC 9457, with the code of the closed table and the public facts of the refusal. */
export const problem = z
  .looseObject({
    type: z.string(),
    title: z.string(),
    status: z.number().int(),
    code: z.enum(codes),
    detail: z.string(),
    name: z.string().optional().meta({ description: "Where it is wrong: body.plan.statistics[2].lower" }),
    request: z.string().optional().meta({ description: "The id of the request, in x-request-id and in the log too" }),
  })
  .meta({ id: "Problem" });

export const rule = z.enum(ruleNames).meta({ id: "Rule" });
export const activeRule = z.enum(activeRuleNames).meta({ id: "ActiveRule", description: "The rule in force" });
export const adjacency = z.enum(adjacencies).meta({ id: "Adjacency" });

/** What a plan takes from both sums of the ledger; the rule in force decides which one counts. */
export const cost = z
  .object({
    epsilon: decimal.nullable().meta({ description: "null: no price by addition (Gaussian noise)" }),
    delta: decimal,
    mu2: decimal.nullable().meta({ description: "What the ledger's remaining μ² falls by; null: no price there" }),
  })
  .meta({ id: "Cost" });
