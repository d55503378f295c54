import { z } from "zod";
import type { RouteTable } from "../route.ts";
import { cursor, id, name, page, time } from "../schema.ts";

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

export const peopleRoutes = {
  listPeople: {
    route: "GET /v1/people",
    summary: "The directory: names of people, services and agents",
    who: "signedIn",
    scope: "read",
    query: cursor,
    response: page(person),
  },
  createPerson: {
    route: "POST /v1/people",
    summary: "Add a person, a service or an agent",
    who: "platformAdmin",
    scope: "admin",
    body: personInput,
    response: person,
    status: 201,
    errors: ["CONFLICT"],
  },
  showPerson: {
    route: "GET /v1/people/{person}",
    summary: "One person of the directory",
    who: "signedIn",
    scope: "read",
    response: person,
  },
  setPerson: {
    route: "POST /v1/people/{person}/settings",
    summary: "Another name or address for a person; null takes the address away",
    who: "platformAdmin",
    scope: "admin",
    body: personChange,
    response: person,
    errors: ["CONFLICT"],
  },
  removePerson: {
    route: "DELETE /v1/people/{person}",
    summary: "Remove a person: sign-in, tokens and accounts stop, what was spent stays spent",
    who: "platformAdmin",
    scope: "admin",
    errors: ["CONFLICT"],
  },
  restorePerson: {
    route: "POST /v1/people/{person}/restore",
    summary: "Let a removed person back in: the same history; roles, teams and accounts are given again",
    who: "platformAdmin",
    scope: "admin",
    response: person,
    errors: ["CONFLICT"],
  },
  erasePerson: {
    route: "POST /v1/people/{person}/erase",
    summary:
      "Take the name and address of a removed person away for good; what they spent and did stays, under their id",
    who: "platformAdmin",
    scope: "admin",
    response: person,
    errors: ["CONFLICT"],
  },
  createSignInLink: {
    route: "POST /v1/people/{person}/links",
    summary: "A one-time sign-in link for this person",
    who: "platformAdmin",
    scope: "admin",
    response: signInLink,
    status: 201,
  },
  createPasswordLink: {
    route: "POST /v1/people/{person}/password-links",
    summary: "A one-time link to set a new password, mailed to this person where mail is set up",
    who: "platformAdmin",
    scope: "admin",
    response: passwordLink,
    status: 201,
    errors: ["CONFLICT"],
  },
  listRoles: {
    route: "GET /v1/roles",
    summary: "Every role in force: who, on what, which",
    who: "auditReader",
    scope: "read",
    query: cursor,
    response: page(role),
  },
  grantRole: {
    route: "POST /v1/roles",
    summary: "Give a person a role on the platform, a dataset or a team",
    who: "platformAdmin",
    scope: "admin",
    body: roleInput,
    response: role,
    status: 201,
    errors: ["CONFLICT"],
  },
  revokeRole: {
    route: "DELETE /v1/roles/{role}",
    summary: "Take a role away again",
    who: "platformAdmin",
    scope: "admin",
    errors: ["CONFLICT"],
  },
} as const satisfies RouteTable;
