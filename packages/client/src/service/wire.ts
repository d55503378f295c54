import { z } from "zod";
import { id, name, time } from "../schema.ts";
import { tokenDays, tokenWithSecret } from "../tokens/wire.ts";
import type { WireOf } from "../wire-row.ts";
import type { serviceRoutes } from "./routes.ts";

const found = z
  .object({
    kind: z.enum(["dataset", "listing", "column", "team", "person", "release", "request"]),
    id: id.meta({ description: "Of the thing; of its dataset for a column" }),
    name: z.string(),
    hint: z.string(),
    path: z.string(),
  })
  .meta({ id: "Found" });

const tried = z
  .object({ problem: z.string().nullable().meta({ description: "What to do; null where it works" }) })
  .meta({ id: "Tried" });

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

/** What travels on the routes of this tag. */
export const serviceWire = {
  health: { response: z.object({ status: z.literal("ok"), version: z.string(), demo: z.boolean() }) },
  ready: {
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
  testMail: { response: tried },
  testProvider: { response: tried },
  listSecrets: { response: z.object({ items: z.array(knownSecret) }) },
  createProviderToken: {
    body: z.strictObject({ days: tokenDays }),
    response: tokenWithSecret
      .extend({ url: z.string().meta({ description: "The address of SCIM here, for the provider" }), service: id })
      .meta({ id: "ProviderToken" }),
  },
  search: {
    query: z.strictObject({ text: name.meta({ description: "Part of a name, or an id" }) }),
    response: z.object({ items: z.array(found) }),
  },
} as const satisfies WireOf<typeof serviceRoutes>;
