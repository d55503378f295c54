import type { Handlers } from "../http/call.ts";
import { accounts } from "./accounts.ts";
import { agents } from "./agents.ts";
import { amendments } from "./amendments.ts";
import { audit } from "./audit.ts";
import { catalog } from "./catalog.ts";
import { charges } from "./charges.ts";
import { dashboards } from "./dashboards.ts";
import { datasets } from "./datasets.ts";
import { drafts } from "./drafts.ts";
import { ledgers } from "./ledgers.ts";
import { notifications } from "./notifications.ts";
import { people } from "./people.ts";
import { publications } from "./publications.ts";
import { releases } from "./releases.ts";
import { requests } from "./requests.ts";
import { reuse } from "./reuse.ts";
import { schedules } from "./schedules.ts";
import { secondFactor } from "./second-factor.ts";
import { service } from "./service.ts";
import { session } from "./session.ts";
import { sql } from "./sql.ts";
import { teams } from "./teams.ts";
import { tokens } from "./tokens.ts";

/** Every row of the route table has its handler here; a row without one does not compile. */
export const handlers = {
  ...service,
  ...session,
  ...people,
  ...tokens,
  ...agents,
  ...secondFactor,
  ...teams,
  ...datasets,
  ...catalog,
  ...ledgers,
  ...amendments,
  ...accounts,
  ...drafts,
  ...releases,
  ...publications,
  ...dashboards,
  ...charges,
  ...schedules,
  ...sql,
  ...reuse,
  ...requests,
  ...notifications,
  ...audit,
} satisfies Handlers;
