import { z } from "zod";
import { cursor, id, name, page, time } from "../schema.ts";
import type { WireOf } from "../wire-row.ts";
import type { peopleRoutes } from "./routes.ts";

export const person = z
  .object({
    id,
    name: z.string(),
    kind: z.enum(["user", "service", "agent"]),
    email: z.string().nullable().meta({ description: "Only for platform admins and for oneself" }),
    demo: z.boolean(),
    onBehalfOf: id.nullable().meta({ description: "Whom a service or an agent acts for: one analyst with it" }),
    createdAt: time,
    removedAt: time.nullable(),
    hasSecondFactor: z.boolean().optional().meta({ description: "Of the password; in the list, for platform admins" }),
  })
  .meta({ id: "Person" });

const personInput = z.strictObject({
  name,
  kind: z.enum(["user", "service", "agent"]).optional(),
  email: z.email().max(254).optional(),
  onBehalfOf: id
    .optional()
    .meta({ description: "Of a service or an agent: the person it acts for; its maker when absent" }),
});

const personChange = z.strictObject({
  name: name.optional(),
  email: z.email().max(254).nullable().optional(),
});

export const roleObject = z.object({ kind: z.enum(["platform", "dataset", "team"]), id: id.nullable() });
export const roleName = z.enum(["platformAdmin", "auditor", "datasetAdmin", "teamAdmin"]).meta({ id: "RoleName" });

const role = z
  .object({ id, person: id, name: z.string(), role: roleName, object: roleObject, since: time })
  .meta({ id: "Role" });

const roleInput = z.strictObject({
  person: id,
  role: z.enum(["platformAdmin", "auditor", "datasetAdmin"]),
  object: z
    .strictObject({ kind: z.enum(["platform", "dataset"]), id: id.optional() })
    .meta({ description: "auditor of the platform or of one dataset; datasetAdmin of one dataset" }),
});

export const signInLink = z
  .object({ person: id, name: z.string(), url: z.string(), expiresAt: time })
  .meta({ id: "SignInLink", description: "Works once" });

const passwordLink = z
  .object({
    person: id,
    name: z.string(),
    url: z.string().nullable().meta({ description: "null: it was mailed to the person, and no one else sees it" }),
    expiresAt: time,
  })
  .meta({ id: "PasswordLink", description: "Works once; the one before it no longer works" });

/** What travels on the routes of this tag. */
export const peopleWire = {
  listPeople: { query: cursor, response: page(person) },
  createPerson: { body: personInput, response: person },
  showPerson: { response: person },
  setPerson: { body: personChange, response: person },
  removePerson: {},
  restorePerson: { response: person },
  erasePerson: { response: person },
  createSignInLink: { response: signInLink },
  createPasswordLink: { response: passwordLink },
  listRoles: { query: cursor, response: page(role) },
  grantRole: { body: roleInput, response: role },
  revokeRole: {},
} as const satisfies WireOf<typeof peopleRoutes>;
