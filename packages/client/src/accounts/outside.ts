import { z } from "zod";
import { decimal, id } from "../schema.ts";

/** What of a spend is as programs outside declared it. */
export const outside = z
  .object({
    charges: z.number().int(),
    epsilon: decimal.nullable().meta({ description: "null: something had no price in this sum" }),
    delta: decimal,
    mu2: decimal.nullable(),
    programs: z.array(
      z.object({
        name: z.string().meta({ description: "What is before the first slash of its charges' keys" }),
        person: id.meta({ description: "Who vouches that it did what it declared" }),
        personName: z.string(),
        charges: z.number().int(),
        tool: z.string().nullable(),
        published: z.string().nullable().meta({ description: "Declared after it had run: when and where" }),
      }),
    ),
  })
  .meta({ id: "Outside", description: "The rest was measured here" });
