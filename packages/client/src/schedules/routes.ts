import { calendarUnits, errorCodes } from "@dosimeter/core";
import { z } from "zod";
import { answer } from "../releases/answer.ts";
import { plan } from "../releases/plan.ts";
import { words } from "../releases/routes.ts";
import type { RouteTable } from "../route.ts";
import { cursor, decimal, id, name, page, time } from "../schema.ts";

const block = z.string().meta({ description: "The name of a block: 2024-03" });

const next = z
  .object({
    block,
    at: time.meta({ description: "When the block is over, with the declared lag" }),
    waitsFor: z.enum(["calendar", "version", "closing", "report", "nothing"]).meta({
      description:
        "Its date; or a version of the dataset that declares the block and was published after its end; or that its admin closes the block, where that is done by hand; or, of a running total, the answers of the report before; or nothing more: it is made within a minute. Never for whether there are rows",
    }),
  })
  .meta({ id: "NextReport" });

const quota = z.object({ epsilon: decimal, delta: decimal });

const terms = {
  latest: z.number().int().meta({
    description:
      "How many blocks each report covers, and how often each block pays; 1 for a running total, of which each block pays once",
  }),
  horizon: z.number().int().nullable().meta({
    description:
      "Of a running total: how many reports there will be, each over all blocks from the first on; null for other reports",
  }),
  every: z.enum(calendarUnits),
  protects: z.literal("person").optional().meta({
    description: "Each block holds people, in all their rows: a cohort; absent: a block is a period",
  }),
  zone: z.string(),
  first: block.meta({ description: "The block whose end brings the first report" }),
  price: z.object({ epsilon: decimal.nullable().meta({ description: "null: paid in μ²" }), delta: decimal }).meta({
    description: "Of one report, from every block that it covers",
  }),
  earmark: quota.meta({ description: "What each block pays over its life, set aside in every block" }),
};

const errors = z
  .array(
    z.object({
      row: z.string(),
      label: z.string(),
      first: z.number().meta({ description: "Half-width of the interval in the first report" }),
      last: z.number().meta({ description: "Half-width of the interval of the total in the last report" }),
    }),
  )
  .meta({ description: "Of running totals, before anything is paid; empty for other reports" });

const point = z
  .object({
    block,
    state: z.enum(["released", "pending", "failed", "refused"]).meta({
      description: "failed: it is paid for and could not be measured; making it again is free",
    }),
    release: id.nullable(),
    at: time,
    refusal: z
      .object({ code: z.enum(Object.keys(errorCodes) as [keyof typeof errorCodes]), detail: z.string() })
      .nullable()
      .meta({ description: "Why nothing was released; nothing was charged" }),
    answers: z.array(answer).nullable().meta({
      description:
        "null: not there yet, many, or they would first count against a cap of the reader, as opening the release does",
    }),
  })
  .meta({ id: "ReportPoint" });

const summary = z
  .object({
    id,
    dataset: id,
    datasetName: z.string(),
    ledger: id,
    account: id.meta({ description: "Its own, which pays" }),
    name: z.string(),
    owner: id,
    ownerName: z.string(),
    isMine: z.boolean(),
    status: z.enum(["active", "paused", "ended"]),
    ...terms,
    next: next.nullable().meta({ description: "null: it has ended" }),
    createdAt: time,
  })
  .meta({ id: "ScheduleSummary" });

const schedule = summary
  .extend({
    plan,
    words,
    recipients: z.array(z.object({ id, name: z.string() })),
    points: z.array(point).meta({ description: "The newest 120, in order" }),
  })
  .meta({ id: "Schedule" });

const request = z.strictObject({
  dataset: id,
  account: id.meta({ description: "My own account: what is set aside comes from it" }),
  plan: plan.meta({ description: "Without a window: `latest` or `horizon` says it" }),
  latest: z.number().int().optional().meta({
    description: "How many blocks each report covers: 1 to 60. Either this or `horizon`",
  }),
  horizon: z.number().int().optional().meta({
    description:
      "Of running counts and totals that are paid in rho: for how many blocks they will go on, 2 to 120. Each report covers all blocks from the first on, and only its newest one pays, once for all reports to come",
  }),
  from: z.string().max(40).optional().meta({
    description:
      "The block whose end brings the first report; the next one to be over when absent. Reports of earlier ones are made at once",
  }),
});

export const schedulesRoutes = {
  listSchedules: {
    route: "GET /v1/datasets/{dataset}/schedules",
    summary: "The scheduled reports on a dataset that I may read, newest first",
    who: "datasetReader",
    scope: "read",
    query: cursor,
    response: page(summary),
  },
  quoteSchedule: {
    route: "POST /v1/schedules/quote",
    summary:
      "What each block would pay for a scheduled report over its life, and when the first one would come; changes nothing",
    who: "accountHolder",
    scope: "release",
    body: request,
    response: z.object({ ...terms, next, errors }).meta({ id: "ScheduleQuote" }),
    errors: ["BUDGET_EXHAUSTED", "QUOTA_EXHAUSTED", "QUOTA_UNAVAILABLE", "UNSUPPORTED_QUERY"],
  },
  createSchedule: {
    route: "POST /v1/schedules",
    summary:
      "Release a plan whenever a block is over, over the latest ones or all so far, from an account of its own below mine; its plan cannot be changed later",
    who: "accountHolder",
    scope: "manage",
    body: request.extend({
      name,
      recipients: z.array(id).max(20).optional().meta({
        description: "People who are notified of new answers next to me, and who may read my account",
      }),
    }),
    response: schedule,
    status: 201,
    errors: ["BUDGET_EXHAUSTED", "QUOTA_EXHAUSTED", "QUOTA_UNAVAILABLE", "UNSUPPORTED_QUERY", "CONFLICT"],
  },
  showSchedule: {
    route: "GET /v1/schedules/{schedule}",
    summary: "One scheduled report with the answers that are there, the next date and what it waits for",
    who: "scheduleReader",
    scope: "read",
    response: schedule,
  },
  setSchedule: {
    route: "POST /v1/schedules/{schedule}",
    summary: "Pause a scheduled report, or take it up again: then what was missed is made, in order",
    who: "scheduleOwner",
    scope: "manage",
    body: z.strictObject({ status: z.enum(["active", "paused"]) }),
    response: schedule,
    errors: ["CONFLICT"],
  },
  endSchedule: {
    route: "POST /v1/schedules/{schedule}/end",
    summary: "End a scheduled report; what it did not spend goes back to the account that it came from",
    who: "scheduleOwner",
    scope: "manage",
    response: schedule,
  },
  retryReport: {
    route: "POST /v1/schedules/{schedule}/points/{block}/retry",
    summary:
      "Make the report of a block that was refused; a refusal comes back in the answer, and one that was made stays as it is",
    who: "scheduleOwner",
    scope: "release",
    response: schedule,
    errors: ["CONFLICT"],
  },
} as const satisfies RouteTable;
