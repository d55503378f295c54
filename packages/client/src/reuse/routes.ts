import { z } from "zod";
import type { RouteTable } from "../route.ts";
import { cursor, decimal, hash, id, page, time } from "../schema.ts";

const row = z.string().max(80);

export const reuseChoice = z
  .union([z.enum(["asAccurate", "free", "never"]), z.record(row, z.string().max(4000))])
  .meta({
    id: "ReuseChoice",
    description:
      "Nothing is reused unless asked: never (default) draws afresh, asAccurate takes free answers at least as accurate as the row asks, free takes the best free one; or for each row an offer's id, its kind, one of these words, or fresh",
  });

export const asOf = z
  .number()
  .int()
  .min(1)
  .meta({ description: "The version of the dataset that is asked about; the newest when absent" });

const origin = z.looseObject({ release: id, row });

const offerCost = z.union([z.object({ epsilon: decimal }), z.object({ rho: decimal, muSquared: decimal })]);

/** Another way to an answer than a fresh draw at full price. */
const offer = z
  .object({
    id: z.string().meta({ description: "Names the offer in `reuse`" }),
    kind: z.enum(["same", "pooled", "derived", "refined"]),
    cost: offerCost.meta({ description: "0, or what a top-up pays" }),
    halfWidth: z.number().nullable().meta({ description: "How far off at most; in rows for quantiles" }),
    asAccurate: z.boolean().meta({ description: "At least as accurate as the row asks" }),
    from: z.array(
      origin.extend({
        label: z.string(),
        at: time,
        by: z.string().meta({ description: "Whose release it was" }),
      }),
    ),
    sentence: z.string(),
    notes: z.array(z.string()),
  })
  .meta({ id: "Offer" });

/** What earlier answers offer to one row, and what would be taken. */
export const rowReuse = z
  .object({
    key: hash.meta({ description: "Names the question: equal questions have equal keys" }),
    offers: z.array(offer).meta({ description: "Free ones first" }),
    chosen: z.string().nullable().meta({ description: "The offer that releasing as quoted takes; null: a fresh draw" }),
    note: z
      .string()
      .nullable()
      .meta({ description: "Why an earlier answer that comes near is not offered, or not topped up" }),
  })
  .meta({ id: "RowReuse" });

const releasedStatistic = z
  .object({
    kind: z.literal("released"),
    release: id,
    row,
    version: z.number().int(),
    key: hash,
    statistic: z.string(),
    column: z.string().nullable(),
    label: z.string(),
    request: z.looseObject({}).meta({ description: "The row as it was drawn: asking it again is free" }),
    by: z.string(),
    at: time,
    derivable: z
      .array(z.string())
      .meta({ description: "What a quote offers for free from it, alone or with other answers of this list" }),
  })
  .meta({ id: "ReleasedStatistic" });

const madeOutside = z
  .object({
    kind: z.literal("outside"),
    charge: id.meta({ description: "Of the program, with its evidence" }),
    label: z.string(),
    citation: z.string(),
    by: z.string().meta({ description: "Who vouches for it" }),
    at: time,
  })
  .meta({
    id: "MadeOutside",
    description:
      "A result of a program outside, with evidence of it: to be cited. It names no release and no row, so no offer or combination takes it",
  });

const libraryQuery = z.strictObject({
  version: z.coerce.number().int().min(1).optional(),
  statistic: z.string().max(80).optional(),
  column: z.string().max(200).optional(),
  text: z.string().max(200).optional(),
});

const reusePolicy = z
  .object({
    visibility: z
      .enum(["dataset", "team", "member"])
      .meta({ description: "Whose answers are offered: one's own, one's teams', or everyone's on the dataset" }),
    price: z.enum(["free", "ownLevel"]).meta({
      description: "ownLevel: the share that reads an earlier answer pays what it cost; the ledger pays nothing",
    }),
  })
  .meta({ id: "ReusePolicy" });

const savings = z
  .object({
    policy: reusePolicy,
    answers: z.number().int(),
    epsilon: decimal.meta({ description: "That fresh Laplace draws would have cost" }),
    muSquared: decimal.meta({ description: "That fresh Gaussian draws would have cost" }),
    kinds: z.record(z.string(), z.number().int()),
  })
  .meta({ id: "Savings" });

const picked = z.strictObject({ release: id, row, cell: z.number().int().min(0).optional() });

const combinationInput = z.strictObject({
  operation: z.enum(["sum", "difference", "ratio"]),
  of: z.tuple([picked, picked]),
  confidence: z.number().gt(0).lt(1).optional().meta({ description: "0.95 when absent" }),
});

const combination = z
  .object({
    operation: z.enum(["sum", "difference", "ratio"]),
    value: z.number(),
    interval: z.tuple([z.number().nullable(), z.number().nullable()]),
    confidence: z.number(),
    cost: z.object({ epsilon: decimal }),
  })
  .meta({ id: "Combination" });

const datasetVersion = z
  .object({
    version: z.number().int(),
    createdAt: time,
    createdBy: id,
    createdByName: z.string(),
  })
  .meta({ id: "DatasetVersion" });

const versionInput = z.strictObject({
  file: id.optional().meta({ description: "An uploaded file: the new rows of the same people" }),
  declaration: z
    .looseObject({})
    .optional()
    .meta({ description: "How they are read; as before when absent. Unit and neighbours cannot change" }),
});

const appendInput = z.strictObject({
  file: id.meta({
    description: "An uploaded CSV file with the columns of the table. It is deleted: rows are appended once",
  }),
  block: z.string().min(1).max(40).meta({ description: "A period that has begun, such as 2024-01" }),
});

const closeInput = z.strictObject({
  block: z
    .string()
    .min(1)
    .max(40)
    .meta({ description: "The last block to close, such as 2024-01: it is over, and declared. None is opened again" }),
});

const appended = datasetVersion
  .extend({
    added: z.number().int().meta({ description: "Rows of the block in the file. Private: for the owner alone" }),
    dropped: z
      .number()
      .int()
      .meta({ description: "Rows of other blocks, which were left out, and rows without a date" }),
  })
  .meta({ id: "AppendedVersion" });

export const reuseRoutes = {
  listReleased: {
    route: "GET /v1/datasets/{dataset}/released",
    summary:
      "The library of released statistics whose answers I may be given again, newest first, then of results made outside, which may be cited",
    who: "datasetReader",
    scope: "read",
    query: cursor.extend(libraryQuery.shape),
    response: page(z.union([releasedStatistic, madeOutside])),
  },
  showReuse: {
    route: "GET /v1/datasets/{dataset}/reuse",
    summary: "Whose answers are offered to whom, and what was saved by not drawing them again",
    who: "datasetReader",
    scope: "read",
    response: savings,
  },
  setReusePolicy: {
    route: "POST /v1/datasets/{dataset}/reuse",
    summary: "Decide whose answers are offered to whom, and whether a share pays for them",
    who: "datasetAdmin",
    scope: "manage",
    body: reusePolicy,
    response: savings,
  },
  combineReleased: {
    route: "POST /v1/datasets/{dataset}/combinations",
    summary: "The sum, difference or ratio of two released cells, with the interval of what was computed; free",
    who: "datasetReader",
    scope: "read",
    body: combinationInput,
    response: combination,
  },
  listVersions: {
    route: "GET /v1/datasets/{dataset}/versions",
    summary: "When the rows of a dataset or their declaration were replaced, and by whom",
    who: "datasetReader",
    scope: "read",
    response: z.object({ items: z.array(datasetVersion) }),
  },
  createVersion: {
    route: "POST /v1/datasets/{dataset}/versions",
    summary:
      "New rows of the same people, or another declaration of them: same ledger, and nothing is reused across versions",
    who: "datasetAdmin",
    scope: "manage",
    body: versionInput,
    response: datasetVersion,
    status: 201,
    errors: ["DATA_UNREADABLE", "ADJACENCY_MISMATCH", "CONFLICT"],
  },
  appendRows: {
    route: "POST /v1/datasets/{dataset}/rows",
    summary: "More rows of one block: a new version, in which answers about other blocks are reused as before",
    who: "datasetAdmin",
    scope: "manage",
    body: appendInput,
    response: appended,
    status: 201,
    errors: ["DATA_UNREADABLE", "CONFLICT"],
  },
  closeBlocks: {
    route: "POST /v1/datasets/{dataset}/closed-blocks",
    summary:
      "Close a block and all before it by hand: a new version, with the same rows and answers, or the present one where they are closed already; reports that waited for it are made",
    who: "datasetAdmin",
    scope: "manage",
    body: closeInput,
    response: datasetVersion,
    status: 201,
    errors: ["DATA_UNREADABLE", "CONFLICT"],
  },
} as const satisfies RouteTable;
