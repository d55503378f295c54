import { z } from "zod";
import { accountsRoutes } from "./accounts/routes.ts";
import { agentsRoutes } from "./agents/routes.ts";
import { amendmentsRoutes } from "./amendments/routes.ts";
import { auditRoutes } from "./audit/routes.ts";
import { catalogRoutes } from "./catalog/routes.ts";
import { chargesRoutes } from "./charges/routes.ts";
import { dashboardsRoutes } from "./dashboards/routes.ts";
import { datasetsRoutes } from "./datasets/routes.ts";
import { draftsRoutes } from "./drafts/routes.ts";
import { ledgersRoutes } from "./ledgers/routes.ts";
import { notificationsRoutes } from "./notifications/routes.ts";
import { peopleRoutes } from "./people/routes.ts";
import { publicationsRoutes } from "./publications/routes.ts";
import { releasesRoutes } from "./releases/routes.ts";
import { requestsRoutes } from "./requests/routes.ts";
import { reuseRoutes } from "./reuse/routes.ts";
import type { Route, RouteRow } from "./route.ts";
import { schedulesRoutes } from "./schedules/routes.ts";
import { id } from "./schema.ts";
import { secondFactorRoutes } from "./second-factor/routes.ts";
import { serviceRoutes } from "./service/routes.ts";
import { sessionRoutes } from "./session/routes.ts";
import { sqlRoutes } from "./sql/routes.ts";
import { teamsRoutes } from "./teams/routes.ts";
import { tokensRoutes } from "./tokens/routes.ts";

export { answer } from "./releases/answer.ts";
export { reportMedia } from "./releases/routes.ts";
export type { Route } from "./route.ts";
export { decimal, problem } from "./schema.ts";
export { secretFieldsOf } from "./secret.ts";

/** Every route, by tag. A tag is a folder with its routes and the schemas of what travels on them. */
export const routeTables = {
  service: serviceRoutes,
  session: sessionRoutes,
  people: peopleRoutes,
  tokens: tokensRoutes,
  agents: agentsRoutes,
  secondFactor: secondFactorRoutes,
  teams: teamsRoutes,
  datasets: datasetsRoutes,
  catalog: catalogRoutes,
  ledgers: ledgersRoutes,
  amendments: amendmentsRoutes,
  accounts: accountsRoutes,
  audit: auditRoutes,
  drafts: draftsRoutes,
  releases: releasesRoutes,
  publications: publicationsRoutes,
  dashboards: dashboardsRoutes,
  charges: chargesRoutes,
  schedules: schedulesRoutes,
  sql: sqlRoutes,
  reuse: reuseRoutes,
  requests: requestsRoutes,
  notifications: notificationsRoutes,
} as const;

type Tables = typeof routeTables;
export type Tag = keyof Tables;
type Both<Union> = (Union extends unknown ? (one: Union) => void : never) extends (all: infer All) => void
  ? All
  : never;

export type Routes = Both<Tables[Tag]>;
export type RouteName = keyof Routes;

function routeOf({ route, query = z.strictObject({}), body, response, status, ...row }: RouteRow): Route {
  const [method, path] = route.split(" ") as [Route["method"], Route["path"]];
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
  return {
    ...row,
    ...{ method, path, query, body: body ?? null, response: response ?? null },
    params: z.strictObject(Object.fromEntries(names.map((name) => [name, id]))),
    status: status ?? (response === undefined && row.media === undefined ? 204 : 200),
  };
}

export const routes = Object.fromEntries(
  Object.values<Record<string, RouteRow>>(routeTables)
    .flatMap((table) => Object.entries(table))
    .map(([name, row]) => [name, routeOf(row)]),
) as Readonly<Record<RouteName, Route>>;

export const routeNames = Object.keys(routes) as readonly RouteName[];
