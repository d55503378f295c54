import { accountsRoutes } from "./accounts/routes.ts";
import { agentsRoutes } from "./agents/routes.ts";
import { amendmentsRoutes } from "./amendments/routes.ts";
import { auditRoutes } from "./audit/routes.ts";
import { catalogRoutes } from "./catalog/routes.ts";
import { datasetsRoutes } from "./datasets/routes.ts";
import { draftsRoutes } from "./drafts/routes.ts";
import { ledgersRoutes } from "./ledgers/routes.ts";
import { notificationsRoutes } from "./notifications/routes.ts";
import { peopleRoutes } from "./people/routes.ts";
import { releasesRoutes } from "./releases/routes.ts";
import { requestsRoutes } from "./requests/routes.ts";
import { reuseRoutes } from "./reuse/routes.ts";
import { schedulesRoutes } from "./schedules/routes.ts";
import { secondFactorRoutes } from "./second-factor/routes.ts";
import { serviceRoutes } from "./service/routes.ts";
import { sessionRoutes } from "./session/routes.ts";
import { sqlRoutes } from "./sql/routes.ts";
import { teamsRoutes } from "./teams/routes.ts";
import { tokensRoutes } from "./tokens/routes.ts";

/** Every route, by tag. A tag is a folder: its routes, and what travels on them. */
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
  schedules: schedulesRoutes,
  sql: sqlRoutes,
  reuse: reuseRoutes,
  requests: requestsRoutes,
  notifications: notificationsRoutes,
} as const;

export const routes = {
  ...serviceRoutes,
  ...sessionRoutes,
  ...peopleRoutes,
  ...tokensRoutes,
  ...agentsRoutes,
  ...secondFactorRoutes,
  ...teamsRoutes,
  ...datasetsRoutes,
  ...catalogRoutes,
  ...ledgersRoutes,
  ...amendmentsRoutes,
  ...accountsRoutes,
  ...auditRoutes,
  ...draftsRoutes,
  ...releasesRoutes,
  ...schedulesRoutes,
  ...sqlRoutes,
  ...reuseRoutes,
  ...requestsRoutes,
  ...notificationsRoutes,
} as const;

export type Routes = typeof routes;
export type RouteName = keyof Routes;
export type Tag = keyof typeof routeTables;

export const routeNames = Object.keys(routes) as readonly RouteName[];
