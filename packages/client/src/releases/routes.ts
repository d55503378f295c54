import { calendarUnits, clockUnits } from "@dosimeter/core";
import { z } from "zod";
import type { RouteTable } from "../route.ts";
import { cursor, decimal, hash, id, page, problem, time, wait } from "../schema.ts";
import { answer, interval } from "./answer.ts";
import { plan, planRequest, purpose, quote, quoteRequest } from "./plan.ts";

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

const calendar = z.union([
  z.enum(calendarUnits),
  z.templateLiteral([z.enum(clockUnits), " ", z.string()]).meta({
    description: "Instants, and the time zone in which they are shown: second Europe/Berlin",
  }),
]);

const releasedNumber = z
  .object({
    row: z.string(),
    label: z.string(),
    value: z.number(),
    interval: interval.nullable().meta({ description: "null: the error is in rows, not in values" }),
    unit: z.string().nullable().meta({ description: "That of its column; null: none" }),
    calendar: calendar.nullable().meta({
      description:
        "It is a date: value, interval and range count these periods from 1970-01-01 on. null: it is a number",
    }),
    confidence: z.number(),
    range: interval.nullable().meta({ description: "Where the declaration says that it can lie; null: nowhere said" }),
  })
  .meta({ id: "ReleasedNumber" });

const title = z.string().max(200);
const note = z.string().max(2000);

const releaseSummary = z
  .object({
    id,
    title: title.max(400).meta({ description: "What people call it, or what it asks and costs" }),
    isNamed: z.boolean().meta({ description: "Whether people gave it its title" }),
    note: note.nullable().meta({ description: "What people say about it; null: nothing" }),
    dataset: id,
    ledger: id,
    account: id,
    by: id,
    byName: z.string(),
    byKind: z
      .enum(["user", "service", "agent"])
      .meta({ description: "Whether a person asked, a program, or an AI agent" }),
    datasetName: z.string(),
    joined: z
      .object({ dataset: id, name: z.string(), version: z.number().int() })
      .nullable()
      .meta({ description: "The dataset of the same people that its plan joins; null: none" }),
    state: z.enum(["charged", "released"]),
    stage,
    statistics: z.array(z.string()).meta({ description: "What was asked, one word each" }),
    epsilon: decimal.nullable().meta({ description: "null: no price by addition (Gaussian noise)" }),
    delta: decimal,
    numbers: z.array(releasedNumber).nullable().meta({
      description:
        "Its answers of one number, where a list may show them: null when they are many, not there yet, or would first count against a cap of the reader, as opening the release does",
    }),
    entry: z.number().int().meta({ description: "Line of the ledger that holds the charge" }),
    tries: z.number().int(),
    chargedAt: time,
    releasedAt: time.nullable(),
  })
  .meta({ id: "ReleaseSummary" });

export const words = z
  .object({
    noun: z.object({ one: z.string(), many: z.string() }),
    protects: z.literal("person").optional().meta({
      description: "Each block of the plan holds people, in all their rows: a cohort; absent: a block is a period",
    }),
    columns: z.record(
      z.string(),
      z.object({
        label: z.string().optional(),
        unit: z.string().optional(),
        valueLabels: z.record(z.string(), z.string()).optional(),
        calendar: calendar.optional().meta({ description: "Its values are dates, counted in these periods" }),
      }),
    ),
    missing: z.record(z.string(), z.string()).optional().meta({
      description:
        "By the id of each count of the values of a column: what share of the rows has none, and whose number of rows that takes; of each answer by declared groups, what is known of rows in none of them. Absent: no such answer",
    }),
  })
  .meta({ description: "What the protected units, the columns of the plan and their values are called" });

export const release = releaseSummary
  .extend({
    version: z.number().int().meta({ description: "The version of the dataset that it is about" }),
    words,
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

/** What a quote answers, and a release, whether they were asked for as a plan or as SQL. */
export const errorsOfQuote = [
  "UNKNOWN_COLUMN",
  "UNSUPPORTED_QUERY",
  "UNSUPPORTED_EVENT",
  "ADJACENCY_MISMATCH",
  "ACCOUNT_CLOSED",
] as const;
export const errorsOfRelease = [
  ...errorsOfQuote,
  "BUDGET_EXHAUSTED",
  "QUOTA_EXHAUSTED",
  "PRICE_TOO_SMALL",
  "CONFIRMATION_NEEDED",
  "IDEMPOTENCY_CONFLICT",
  "CONFLICT",
] as const;

/** The files of a release, by the endings of their names, and what each says it is. */
export const reportMedia = {
  pdf: "application/pdf",
  html: "text/html",
  csv: "text/csv",
  sdmx: "application/vnd.sdmx.data+csv;version=2.0.0;labels=name",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  parquet: "application/vnd.apache.parquet",
} as const;

export const releasesRoutes = {
  quotePlan: {
    route: "POST /v1/quotes",
    summary: "Cost, error of every answer and what would be left; reads no data and changes nothing",
    who: "accountReader",
    scope: "read",
    body: quoteRequest,
    response: quote,
    errors: ["EMPTY_PLAN", ...errorsOfQuote],
  },
  createRelease: {
    route: "POST /v1/releases",
    summary:
      "Charge the plan durably, then measure and release it; the same key is charged once and answers the same bytes",
    who: "accountSpender",
    scope: "release",
    query: wait,
    body: planRequest.extend({ purpose: purpose.optional() }),
    response: release,
    status: 202,
    idempotent: true,
    errors: ["EMPTY_PLAN", ...errorsOfRelease],
  },
  listReleases: {
    route: "GET /v1/releases",
    summary: "The releases I can read, newest first",
    who: "signedIn",
    scope: "read",
    query: cursor.extend({ dataset: id.optional(), account: id.optional() }),
    response: page(releaseSummary),
  },
  showRelease: {
    route: "GET /v1/releases/{release}",
    summary: "One release: its stage, its cost and receipt, and, when done, its answers; reading is free",
    who: "releaseReader",
    scope: "read",
    query: wait,
    response: release,
  },
  labelRelease: {
    route: "POST /v1/releases/{release}/label",
    summary: "Call a release something and write a note next to it; its answers, receipt and hash stay as they are",
    who: "releaseKeeper",
    scope: "release",
    body: z.strictObject({
      title: title.nullish().meta({ description: "1 to 200 characters; null: what it asks and costs" }),
      note: note.nullish().meta({ description: "At most 2000 characters; null: none" }),
    }),
    response: releaseSummary,
  },
  releaseReport: {
    route: "GET /v1/releases/{release}/report",
    summary:
      "One finished release as a file: a PDF or page with every chart, interval, cost and the receipt, or its answers as CSV, SDMX-CSV, Excel or Parquet",
    who: "releaseReader",
    scope: "read",
    query: z.object({
      format: z
        .enum(["pdf", "html", "csv", "sdmx", "xlsx", "parquet"])
        .optional()
        .meta({ description: "pdf when absent" }),
      digits: z.enum(["meaningful", "all"]).optional().meta({
        description: "Of tables: those that the intervals tell, or all that were released; meaningful when absent",
      }),
    }),
    media: [
      reportMedia.pdf,
      reportMedia.html,
      reportMedia.csv,
      reportMedia.sdmx,
      reportMedia.xlsx,
      reportMedia.parquet,
    ],
  },
  syntheticRows: {
    route: "GET /v1/releases/{release}/rows",
    summary: "Made-up rows of a released synthetic table as CSV or Parquet: free, and the same for the same seed",
    who: "releaseReader",
    scope: "read",
    query: z.object({
      row: z.string().max(80).optional().meta({ description: "Which answer; the first synthetic table when absent" }),
      rows: z.coerce
        .number()
        .int()
        .min(1)
        .max(100_000)
        .optional()
        .meta({ description: "How many; as many as the table seems to have when absent, at most 100,000" }),
      seed: z.coerce.number().int().min(0).max(4_294_967_295).optional(),
      format: z.enum(["csv", "parquet"]).optional().meta({ description: "csv when absent" }),
    }),
    media: ["text/csv", "application/vnd.apache.parquet"],
    errors: ["PAYLOAD_TOO_LARGE", "RATE_LIMITED"],
  },
  askSyntheticRows: {
    route: "GET /v1/releases/{release}/rows/count",
    summary: "Made-up rows that match a condition, and the mean of a column over them: free, with what they are worth",
    who: "releaseReader",
    scope: "read",
    query: z.object({
      row: z.string().max(80).optional().meta({ description: "Which answer; the first synthetic table when absent" }),
      where: z.string().max(2000).optional().meta({
        description: 'Which made-up rows: "age < 30 and married = true"; all when absent, where mean is given',
      }),
      mean: z.string().max(200).optional().meta({ description: "A column of numbers, or of true and false" }),
      seed: z.coerce.number().int().min(0).max(4_294_967_295).optional(),
    }),
    response: z
      .object({
        rows: z.number().int().meta({ description: "As many as the table seems to have" }),
        read: z.number().int().meta({ description: "How many were made up; counts are scaled to rows" }),
        count: z.number().int(),
        mean: z.number().nullable().optional().meta({ description: "null: no row has a value" }),
        basis: z.enum(["measured", "linked", "independent", "assumed"]).meta({
          description:
            "measured: the columns it reads were measured, together where they are two. linked: they follow from measured pairs, or from what is impossible. independent: taken as independent. assumed: more than two columns",
        }),
        noise: z.object({ count: z.number().nullable(), mean: z.number().nullable() }).meta({
          description: "About how far the noise alone moves them; null where the noise is not all that decides",
        }),
        notes: z.array(z.string()),
      })
      .meta({ id: "SyntheticCount" }),
    errors: ["UNKNOWN_COLUMN", "RATE_LIMITED"],
  },
  retryRelease: {
    route: "POST /v1/releases/{release}/retry",
    summary: "Measure a release again that failed or was set aside: its charge stands, and nothing is charged",
    who: "releaseKeeper",
    scope: "release",
    response: release,
    errors: ["ANSWER_LOST"],
  },
  watchRelease: {
    route: "GET /v1/releases/{release}/events",
    summary: "Server-sent events: queued, measuring, done, in quantised time",
    who: "releaseReader",
    scope: "read",
    events: true,
    response: releaseEvent,
  },
} as const satisfies RouteTable;
