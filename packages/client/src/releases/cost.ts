import { z } from "zod";
import { decimal } from "../schema.ts";

/** What a plan takes from both sums of the ledger; the rule in force decides which one counts. */
export const cost = z
  .object({
    epsilon: decimal.nullable().meta({ description: "null: no price by addition (Gaussian noise)" }),
    delta: decimal,
    mu2: decimal.nullable().meta({ description: "What the ledger's remaining μ² falls by; null: no price there" }),
  })
  .meta({ id: "Cost" });
