import { z } from "zod";
import { id, name, time } from "./basic.ts";

export const scope = z.enum(["read", "release", "manage", "admin"]).meta({ id: "Scope" });

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
  })
  .meta({ id: "Person" });

export const personInput = z.strictObject({
  name,
  kind: z.enum(["user", "service", "agent"]).optional(),
  email: z.email().max(254).optional(),
  onBehalfOf: id
    .optional()
    .meta({ description: "Of a service or an agent: the person it acts for; its maker when absent" }),
});

export const personChange = z.strictObject({
  name: name.optional(),
  email: z.email().max(254).nullable().optional(),
});

export const team = z
  .object({
    id,
    name: z.string(),
    myRole: z.enum(["teamAdmin", "member"]).nullable(),
    createdAt: time,
    closedAt: time.nullable(),
  })
  .meta({ id: "Team" });

export const teamInput = z.strictObject({ name });

const teamRole = z.enum(["member", "teamAdmin"]);

export const member = z
  .object({ person: id, name: z.string(), role: teamRole, since: time, until: time.nullable() })
  .meta({ id: "Member" });

export const memberInput = z.strictObject({ person: id, role: teamRole.optional() });

const roleObject = z.object({ kind: z.enum(["platform", "dataset", "team"]), id: id.nullable() });
const roleName = z.enum(["platformAdmin", "auditor", "datasetAdmin", "teamAdmin"]).meta({ id: "RoleName" });

export const role = z
  .object({ id, person: id, name: z.string(), role: roleName, object: roleObject, since: time })
  .meta({ id: "Role" });

export const roleInput = z.strictObject({
  person: id,
  role: z.enum(["platformAdmin", "auditor", "datasetAdmin"]),
  object: z
    .strictObject({ kind: z.enum(["platform", "dataset"]), id: id.optional() })
    .meta({ description: "auditor of the platform or of one dataset; datasetAdmin of one dataset" }),
});

export const token = z
  .object({
    id,
    name: z.string(),
    scopes: z.array(scope),
    createdAt: time,
    expiresAt: time,
    endedAt: time.nullable().meta({ description: "When it was revoked" }),
  })
  .meta({ id: "Token" });

export const MAX_TOKEN_DAYS = 366;

export const tokenInput = z.strictObject({
  name,
  scopes: z.array(scope).min(1).max(4),
  days: z
    .number()
    .int()
    .min(1)
    .max(MAX_TOKEN_DAYS)
    .optional()
    .meta({ description: "Valid for so many days; 90 when absent" }),
});

export const tokenWithSecret = token
  .extend({ secret: z.string().meta({ description: "Shown this once; send it as `Authorization: Bearer …`" }) })
  .meta({ id: "TokenWithSecret" });

export const signInInput = z.union([
  z.strictObject({ link: z.string().min(1).max(200).meta({ description: "The secret part of a sign-in link" }) }),
  z.strictObject({ token: z.string().min(1).max(200) }),
  z.strictObject({ email: z.email().max(254), password: z.string().min(1).max(200) }),
  z
    .strictObject({ invitation: z.string().min(1).max(200), name })
    .meta({ description: "A mailed invitation to someone who is not here yet: makes them, and lets them in" }),
]);

const demoPerson = z
  .object({ id, name: z.string(), description: z.string(), current: z.boolean() })
  .meta({ id: "DemoPerson" });

export const me = z
  .object({
    person,
    roles: z.array(z.object({ role: roleName, object: roleObject, objectName: z.string().nullable() })),
    scopes: z.array(scope),
    hasPassword: z.boolean(),
    viaDemo: z.boolean().meta({ description: "This session came from a demo link" }),
    demoPeople: z.array(demoPerson).nullable().meta({ description: "Whom I can view as; null when this is no demo" }),
  })
  .meta({ id: "Me" });

export const session = me.extend({ expiresAt: time }).meta({ id: "Session" });

export const signInLink = z
  .object({ person: id, name: z.string(), url: z.string(), expiresAt: time })
  .meta({ id: "SignInLink", description: "Works once" });

export const demoLink = signInLink.extend({ description: z.string() }).meta({ id: "DemoLink" });
