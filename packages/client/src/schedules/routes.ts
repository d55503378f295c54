import { PAGE, type RouteTable } from "../route.ts";

export const schedulesRoutes = {
  listSchedules: {
    method: "GET",
    path: "/v1/datasets/{dataset}/schedules",
    who: "datasetReader",
    scope: "read",
    query: PAGE,
    status: 200,
    summary: "The scheduled reports on a dataset that I may read, newest first",
  },
  quoteSchedule: {
    method: "POST",
    path: "/v1/schedules/quote",
    who: "accountHolder",
    scope: "release",
    status: 200,
    errors: ["BUDGET_EXHAUSTED", "QUOTA_EXHAUSTED", "QUOTA_UNAVAILABLE", "UNSUPPORTED_QUERY"],
    summary:
      "What each block would pay for a scheduled report over its life, and when the first one would come; changes nothing",
  },
  createSchedule: {
    method: "POST",
    path: "/v1/schedules",
    who: "accountHolder",
    scope: "manage",
    status: 201,
    errors: ["BUDGET_EXHAUSTED", "QUOTA_EXHAUSTED", "QUOTA_UNAVAILABLE", "UNSUPPORTED_QUERY", "CONFLICT"],
    summary:
      "Release a plan whenever a block is over, over the latest ones or all so far, from an account of its own below mine; its plan cannot be changed later",
  },
  showSchedule: {
    method: "GET",
    path: "/v1/schedules/{schedule}",
    who: "scheduleReader",
    scope: "read",
    status: 200,
    summary: "One scheduled report with the answers that are there, the next date and what it waits for",
  },
  setSchedule: {
    method: "POST",
    path: "/v1/schedules/{schedule}",
    who: "scheduleOwner",
    scope: "manage",
    status: 200,
    errors: ["CONFLICT"],
    summary: "Pause a scheduled report, or take it up again: then what was missed is made, in order",
  },
  endSchedule: {
    method: "POST",
    path: "/v1/schedules/{schedule}/end",
    who: "scheduleOwner",
    body: "none",
    scope: "manage",
    status: 200,
    summary: "End a scheduled report; what it did not spend goes back to the account that it came from",
  },
  retryReport: {
    method: "POST",
    path: "/v1/schedules/{schedule}/points/{block}/retry",
    who: "scheduleOwner",
    body: "none",
    scope: "release",
    status: 200,
    errors: ["CONFLICT"],
    summary:
      "Make the report of a block that was refused; a refusal comes back in the answer, and one that was made stays as it is",
  },
} as const satisfies RouteTable;
