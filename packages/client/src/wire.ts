import { z } from "zod";
import { accountsWire } from "./accounts/wire.ts";
import { agentsWire } from "./agents/wire.ts";
import { amendmentsWire } from "./amendments/wire.ts";
import { auditWire } from "./audit/wire.ts";
import { catalogWire } from "./catalog/wire.ts";
import { datasetsWire } from "./datasets/wire.ts";
import { draftsWire } from "./drafts/wire.ts";
import { ledgersWire } from "./ledgers/wire.ts";
import { notificationsWire } from "./notifications/wire.ts";
import { peopleWire } from "./people/wire.ts";
import { releasesWire } from "./releases/wire.ts";
import { requestsWire } from "./requests/wire.ts";
import { reuseWire } from "./reuse/wire.ts";
import { type RouteName, type Routes, routeNames, routes } from "./routes.ts";
import { schedulesWire } from "./schedules/wire.ts";
import { id, none } from "./schema.ts";
import { secondFactorWire } from "./second-factor/wire.ts";
import { serviceWire } from "./service/wire.ts";
import { sessionWire } from "./session/wire.ts";
import { sqlWire } from "./sql/wire.ts";
import { teamsWire } from "./teams/wire.ts";
import { tokensWire } from "./tokens/wire.ts";
import type { ParamName } from "./wire-row.ts";

export { answer } from "./releases/answer.ts";
export { decimal, problem } from "./schema.ts";
export { secretFieldsOf } from "./secret.ts";

const rows = {
  ...serviceWire,
  ...sessionWire,
  ...peopleWire,
  ...tokensWire,
  ...agentsWire,
  ...secondFactorWire,
  ...teamsWire,
  ...datasetsWire,
  ...catalogWire,
  ...ledgersWire,
  ...amendmentsWire,
  ...accountsWire,
  ...auditWire,
  ...draftsWire,
  ...releasesWire,
  ...schedulesWire,
  ...sqlWire,
  ...reuseWire,
  ...requestsWire,
  ...notificationsWire,
} as const satisfies Record<RouteName, object>;

type Rows = typeof rows;
type Part<Row, Key extends string, Absent> = Row extends { readonly [K in Key]: infer Schema extends z.ZodType }
  ? Schema
  : Absent;

/** The schemas of every route. An input is the union of params, query and body: the three never share a name. */
export type Wire = {
  readonly [Name in RouteName]: {
    readonly params: z.ZodObject<Record<ParamName<Routes[Name]["path"]>, typeof id>>;
    readonly query: Part<Rows[Name], "query", typeof none>;
    /** `null`: no JSON body. */
    readonly body: Part<Rows[Name], "body", null>;
    /** `null`: nothing comes back. For server-sent events, the schema of one event's data. */
    readonly response: Part<Rows[Name], "response", null>;
  };
};

/** The schemas of one route. */
export interface RouteWire {
  readonly params: z.ZodObject;
  readonly query: z.ZodObject;
  readonly body: z.ZodType | null;
  readonly response: z.ZodType | null;
}

type Row = { readonly query?: z.ZodObject; readonly body?: z.ZodType; readonly response?: z.ZodType };

export const wire = Object.fromEntries(
  routeNames.map((name): [RouteName, RouteWire] => {
    const { query = none, body, response }: Row = rows[name];
    return [name, { params: paramsOf(routes[name].path), query, body: body ?? null, response: response ?? null }];
  }),
) as Wire;

/** Every part of a path in braces is an id. */
function paramsOf(path: string): z.ZodObject {
  return z.strictObject(Object.fromEntries([...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => [name, id])));
}
