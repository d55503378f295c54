import { z } from "zod";
import { decimal, id } from "../schema.ts";

const key = z.union([z.string(), z.number(), z.boolean()]);
export const interval = z.tuple([z.number(), z.number()]);

const answerCell = z
  .looseObject({
    group: z
      .record(z.string(), key.nullable())
      .meta({ description: "Values of the grouping columns; {} when nothing is grouped" }),
    bin: z.looseObject({ label: z.string() }).optional(),
    value: z.number(),
    interval: interval.meta({ description: "Holds the bounded answer without noise, with the stated confidence" }),
    noisy: z.array(z.string()).meta({ description: "The released integers themselves, in ticks" }),
    rows: z.object({ value: z.number(), interval }).optional(),
    rank: z.number().optional().meta({
      description:
        "The largest number of rows between the value and the truth, or beyond it; of values in order, of people between it and any left out",
    }),
    standardError: z
      .number()
      .optional()
      .meta({ description: "Regression: of the noise and of drawing these people from a larger population" }),
    unreliable: z.literal(true).optional(),
    consistent: z.object({ value: z.number(), interval }).optional().meta({
      description:
        "Made to agree with the other answers of the release; of tables with numbers: whole, a whole number from 0 up that agrees with those of the other tables; free",
    }),
  })
  .meta({ id: "AnswerCell" });

const count = z.number();
/** Everything that was released of a synthetic table: noisy counts, from which any number of rows is made up for free. */
const table = z
  .looseObject({
    columns: z.array(
      z.looseObject({
        name: z.string(),
        type: z.string(),
        bins: z.array(z.looseObject({ label: z.string() })),
        hasMissing: z.boolean().meta({ description: "Its last count is that of missing values" }),
        counts: z.array(count),
      }),
    ),
    pairs: z
      .array(z.looseObject({ columns: z.tuple([z.number().int(), z.number().int()]), counts: z.array(count) }))
      .meta({ description: "The pairs that were measured, by the places of their columns; the second runs fastest" }),
    noise: z
      .object({ columns: z.number(), pairs: z.number() })
      .meta({ description: "Mean size of the noise of one count" }),
    impossible: z
      .array(
        z.looseObject({
          columns: z.tuple([z.number().int(), z.number().int()]),
          cells: z.array(z.number().int()),
          says: z.string(),
        }),
      )
      .optional()
      .meta({
        description: "Cells of pairs that no made-up row is in, as the plan said; the second column runs fastest",
      }),
  })
  .meta({ id: "SyntheticTable" });

/** One noisy statistic as @dosimeter/query made it. */
export const answer = z
  .looseObject({
    id: z.string(),
    statistic: z.string(),
    label: z.string(),
    column: z.string().nullable(),
    groupBy: z.array(z.string()),
    cost: z.union([
      z.object({ epsilon: decimal, delta: decimal.optional() }),
      z.object({ rho: decimal, muSquared: decimal, delta: decimal.optional() }),
    ]),
    confidence: z.number(),
    noise: z.object({ kind: z.enum(["laplace", "gaussian", "selection"]), spread: z.string() }),
    tick: z.string().nullable(),
    cells: z.array(answerCell),
    simultaneous: z
      .number()
      .optional()
      .meta({ description: "Cumulative counts: rows that the whole curve is off by at most, everywhere at once" }),
    origin: z
      .object({
        kind: z.enum(["same", "pooled", "derived", "refined"]),
        from: z.array(z.object({ release: id, row: z.string() })),
      })
      .optional()
      .meta({
        description: "Earlier answers that this one is, or was worked out from; absent: drawn for this release",
      }),
    table: table.optional(),
    raw: z.array(answerCell).optional().meta({ description: "The fresh draw of a topped-up answer" }),
    notes: z.array(z.string()),
  })
  .meta({ id: "Answer" });
