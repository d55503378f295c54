import { z } from "zod";
import type { RouteTable } from "../route.ts";
import { id, name, time } from "../schema.ts";
import { tokenDays, tokenWithSecret } from "../tokens/routes.ts";

const found = z
  .object({
    kind: z.enum(["dataset", "listing", "column", "team", "person", "release", "request"]),
    id: id.meta({ description: "Of the thing; of its dataset for a column" }),
    name: z.string(),
    hint: z.string(),
    path: z.string(),
  })
  .meta({ id: "Found" });

const problem = z.string().nullable().meta({ description: "What is wrong and what to do; null where it works" });
const tried = z.object({ problem }).meta({ id: "Tried" });

const diagnosis = z
  .object({
    problems: z.array(z.string()).meta({ description: "Settings that are wrong as they are written" }),
    findings: z.array(
      z.object({
        what: z.string(),
        problem,
        isAdvice: z.literal(true).optional().meta({ description: "A server works all the same" }),
      }),
    ),
    elsewhere: z
      .array(z.object({ where: z.string(), text: z.string() }))
      .meta({ description: "Lines to paste into the settings of other programs" }),
  })
  .meta({ id: "Diagnosis" });

const knownSecret = z
  .object({
    name: z.string(),
    replacedAt: time.nullable().meta({ description: "When it was last written; null where this server cannot know" }),
    command: z.string().meta({ description: "What replaces it" }),
    servers: z
      .enum(["running", "restarted", "stopped"])
      .meta({ description: "Whether servers may run meanwhile, need a start afterwards, or must be stopped" }),
  })
  .meta({ id: "KnownSecret" });

export const serviceRoutes = {
  health: {
    route: "GET /v1/health",
    summary: "Whether the service is up, its version, and whether it is a demo",
    who: "anyone",
    scope: null,
    response: z.object({ status: z.literal("ok"), version: z.string(), demo: z.boolean() }),
  },
  ready: {
    route: "GET /v1/ready",
    summary:
      "Whether the database answers and releases are taken: for a load balancer, which otherwise sends no requests here. Who reads the audit also reads which sources fail, and which ledgers are frozen and why",
    who: "visitor",
    scope: null,
    response: z.object({
      ready: z.literal(true),
      sources: z
        .array(z.object({ name: z.string(), problem: z.string().nullable() }))
        .optional()
        .meta({ description: "Connections to databases that hold tables, and why one cannot be used" }),
      frozen: z
        .array(z.object({ ledger: id, since: time, reason: z.string() }))
        .optional()
        .meta({ description: "Ledgers that accept no charges, and why" }),
    }),
  },
  testMail: {
    route: "POST /v1/service/mail/test",
    summary: "Send a letter to my own address now, and say what to do where it cannot be sent",
    who: "platformAdmin",
    scope: "admin",
    response: tried,
    errors: ["CONFLICT"],
  },
  diagnose: {
    route: "POST /v1/service/diagnosis",
    summary:
      "Try everything that this server needs, as `dosimeter doctor` does: folders, disks, port, memory, database, mail, providers, connections, witness, audit lines, certificate and clocks. Nothing is sent or kept",
    who: "platformAdmin",
    scope: "admin",
    response: diagnosis,
  },
  listSecrets: {
    route: "GET /v1/service/secrets",
    summary:
      "The keys and secrets of this installation: when each was last replaced, and the command that replaces it; never a value",
    who: "platformAdmin",
    scope: "admin",
    response: z.object({ items: z.array(knownSecret) }),
  },
  createProviderToken: {
    route: "POST /v1/service/providers/{provider}/tokens",
    summary:
      "A token with which a provider keeps its people and groups here by SCIM 2.0; the secret is shown this once",
    who: "platformAdmin",
    scope: "admin",
    body: z.strictObject({ days: tokenDays }),
    response: tokenWithSecret
      .extend({ url: z.string().meta({ description: "The address of SCIM here, for the provider" }), service: id })
      .meta({ id: "ProviderToken" }),
    status: 201,
    errors: ["CONFLICT"],
  },
  search: {
    route: "GET /v1/search",
    summary: "Datasets, their columns, teams, people, releases and requests that I can see, by name or id",
    who: "signedIn",
    scope: "read",
    query: z.strictObject({ text: name.meta({ description: "Part of a name, or an id" }) }),
    response: z.object({ items: z.array(found) }),
  },
} as const satisfies RouteTable;
