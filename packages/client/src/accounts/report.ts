import { z } from "zod";
import { decimal, decimalInput, hash, id, time } from "../schema.ts";

/** What of a spend is as programs outside declared it. */
export const outside = z
  .object({
    charges: z.number().int(),
    epsilon: decimal.nullable().meta({ description: "null: something had no price in this sum" }),
    delta: decimal,
    mu2: decimal.nullable(),
    programs: z.array(
      z.object({
        name: z.string().meta({ description: "What is before the first slash of its charges' keys" }),
        person: id.meta({ description: "Who vouches that it did what it declared" }),
        personName: z.string(),
        charges: z.number().int(),
        tool: z.string().nullable(),
        published: z.string().nullable().meta({ description: "Declared after it had run: when and where" }),
      }),
    ),
  })
  .meta({ id: "Outside", description: "The rest was measured here" });

export const reportQuery = z.strictObject({
  delta: decimalInput.optional().meta({ description: "δ of every total; the node's own δ when absent" }),
  threshold: z.coerce
    .number()
    .min(0)
    .max(1e6)
    .optional()
    .meta({ description: "ε of one query above which AGENT composes by addition; that of the ledger when absent" }),
});

const bound = z.number().nullable().meta({ description: "An upper bound; null where nothing finite can be promised" });

const agent = z
  .object({
    epsilon: bound,
    delta: z.number(),
    method: z.enum(["basic", "advanced", "zcdp"]),
    basic: bound,
    advanced: bound,
    zcdp: bound,
    slack: z.number().meta({ description: "δ′: what is left of δ, or the floor of 1e-12" }),
    isFloored: z.boolean(),
    overshoot: z.number().meta({ description: "By how much the reported δ exceeds the budget's" }),
    tightest: bound.meta({ description: "True of this list at the reported δ, had it been fixed in advance" }),
    remarks: z.array(z.string()),
    curve: z
      .array(z.object({ deltaLeft: z.number(), epsilon: bound, delta: z.number() }))
      .meta({ description: "Reported ε against the δ that is left" }),
  })
  .meta({ id: "AgentReport" });

/** Every accountant side by side, now and over time. Reports: nothing here admits a charge. */
export const report = z
  .object({
    ledger: id,
    account: id.nullable().meta({ description: "null: the report is about the whole ledger" }),
    head: z.object({ number: z.number().int(), hash }).meta({ description: "The newest line that is in it" }),
    statement: z
      .object({
        sentence: z.string().meta({ description: "What has been promised and what has been spent, in one sentence" }),
        promised: z.object({ sentence: z.string(), certificate: z.string(), claim: z.string() }),
        spent: z.object({ epsilon: bound, delta: decimal, certificate: z.string(), claim: z.string() }),
      })
      .meta({ id: "Statement" }),
    outside,
    charges: z.number().int(),
    spends: z.number().int().meta({ description: "Events in them" }),
    delta: decimal,
    threshold: z.number(),
    accountants: z.array(
      z.object({
        method: z.string(),
        label: z.string(),
        assumes: z.string(),
        epsilon: bound,
        lower: z.number().nullable().meta({ description: "A certified lower bound, where the accountant has one" }),
        unavailable: z.string().nullable().meta({ description: "Why it has no total" }),
        isLeast: z.boolean(),
      }),
    ),
    adaptive: bound.meta({ description: "Holds at every moment at once, however the questions were chosen" }),
    agent: agent.nullable().meta({ description: "null where a charge has no (ε, δ) to list" }),
    series: z.array(
      z.object({
        name: z.string(),
        label: z.string(),
        points: z.array(z.object({ charges: z.number().int(), at: time, epsilon: bound })),
      }),
    ),
    unit: z.enum(["epsilon", "mu2"]).meta({ description: "What `left` counts: the rule in force" }),
    left: z
      .array(z.object({ charges: z.number().int(), at: time.nullable(), left: decimal.nullable() }))
      .meta({ description: "Empty where the ledger has blocks: each of them has its own" }),
    more: z
      .object({
        count: z.number().int(),
        isAtLeast: z.boolean(),
        isDelta: z.boolean().meta({ description: "The next one would be refused for δ alone" }),
        like: z.number().int().meta({ description: "How many of the newest charges are the pattern" }),
      })
      .nullable()
      .meta({
        description:
          "How many more like the last ones the ledger would admit; null before the first, and where the ledger has blocks",
      }),
  })
  .meta({ id: "Report" });
