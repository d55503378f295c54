import { z } from "zod";
import { release } from "../releases/routes.ts";
import type { RouteTable } from "../route.ts";
import { cursor, id, name, page, time } from "../schema.ts";

const chosen = z.strictObject({
  kind: z.enum(["release", "report"]).meta({ description: "report: the newest release of a scheduled report" }),
  id,
});

const summary = z
  .object({
    id,
    name: z.string(),
    owner: id,
    ownerName: z.string(),
    isMine: z.boolean(),
    team: id.nullable().meta({ description: "Whose members see it; null: no team's" }),
    teamName: z.string().nullable(),
    changedAt: time,
  })
  .meta({ id: "DashboardSummary" });

const part = z.object({
  kind: chosen.shape.kind,
  id: id.nullable().meta({ description: "null: it is not mine to read" }),
  state: z.enum(["shown", "waiting", "counts", "notYours"]).meta({
    description:
      "waiting: there are no answers yet. counts: they would first count against a cap of mine, as opening the release does. notYours: I may not read it",
  }),
  name: z.string().nullable().meta({ description: "Of the report, or of the release; null: it is not mine to read" }),
  from: id.nullable().meta({ description: "The release whose answers these are" }),
  release: release.nullable().meta({ description: "null unless it is shown" }),
});

const dashboard = summary
  .extend({
    readers: z.array(z.object({ id, name: z.string() })).meta({ description: "People who see it" }),
    parts: z.array(part),
  })
  .meta({ id: "Dashboard" });

const words = {
  team: id.nullable().optional(),
  readers: z
    .array(id)
    .max(100)
    .optional()
    .meta({ description: "People who see it: of each item what they may read anyway" }),
  parts: z.array(chosen).max(40).optional().meta({ description: "In order; those that are new are mine to read" }),
};

export const dashboardsRoutes = {
  listDashboards: {
    route: "GET /v1/dashboards",
    summary: "Pages of answers that I made, or that are shared with me or a team of mine, newest first",
    who: "signedIn",
    scope: "read",
    query: cursor,
    response: page(summary),
  },
  saveDashboard: {
    route: "POST /v1/dashboards",
    summary: "A page of released answers and scheduled reports, under a name",
    who: "signedIn",
    scope: "release",
    body: z.strictObject({ name, ...words }),
    response: dashboard,
    status: 201,
    errors: ["CONFLICT"],
  },
  showDashboard: {
    route: "GET /v1/dashboards/{dashboard}",
    summary: "A page of answers, each as far as I may read it; it never pays, and counts against no cap",
    who: "dashboardReader",
    scope: "read",
    response: dashboard,
  },
  changeDashboard: {
    route: "POST /v1/dashboards/{dashboard}",
    summary: "Change what a page of answers shows, in which order and to whom; what is absent stays",
    who: "dashboardOwner",
    scope: "release",
    body: z.strictObject({ name: name.optional(), ...words }),
    response: dashboard,
  },
  deleteDashboard: {
    route: "DELETE /v1/dashboards/{dashboard}",
    summary: "Delete a page of answers; the answers stay",
    who: "dashboardOwner",
    scope: "release",
  },
} as const satisfies RouteTable;
