import { z } from "zod";
import { decimal, decimalInput, id, lane, time } from "./basic.ts";

const gauge = z
  .object({
    cap: decimal,
    spent: decimal.nullable().meta({ description: "null: something had no price in this sum" }),
    left: decimal.nullable(),
  })
  .meta({ id: "Gauge" });

/** Both sums are kept from the first event; `lane` says which one admits. */
export const balance = z
  .object({
    lane,
    epsilon: gauge,
    delta: gauge,
    residue: gauge.meta({ description: "Remaining squared Gaussian parameter; an account that holds none has cap 0" }),
    usedDelta: z.number(),
    used: z.number().meta({ description: "Headline in [0, 1]: spent over cap of the rule in force" }),
  })
  .meta({ id: "Balance" });

export const quota = z.object({ epsilon: decimal, delta: decimal }).meta({ id: "Quota" });

export const account = z
  .object({
    id,
    ledger: id,
    parent: id.nullable().meta({ description: "null: funded by the ledger itself" }),
    name: z.string().meta({ description: "The holder's name" }),
    path: z.array(z.string()).meta({ description: "Names from the top of the tree to this account" }),
    holder: z.object({ kind: z.enum(["dataset", "team", "person"]), id, name: z.string() }),
    kind: z
      .enum(["share", "cap"])
      .meta({ description: "A share of the guarantee, or a cap on what its holder learns" }),
    mode: z.enum(["funded", "overbooked"]),
    status: z.enum(["active", "frozen", "closed"]),
    quota,
    allocated: quota.meta({ description: "Promised to accounts below" }),
    free: quota.meta({ description: "Can be withdrawn or allocated further" }),
    balance,
    datasets: z.array(id),
    mine: z.object({
      mayRelease: z.boolean(),
      mayGrant: z.boolean().meta({ description: "open accounts below" }),
      mayManage: z.boolean().meta({ description: "change the quota" }),
    }),
    openedAt: time,
  })
  .meta({ id: "Account" });

export const accountInput = z.strictObject({
  holder: z.strictObject({ kind: z.enum(["team", "person"]), id }),
  parent: id.optional().meta({ description: "The account to open it below; directly below the ledger when absent" }),
  kind: z.enum(["share", "cap"]).optional().meta({ description: "share when absent" }),
  mode: z.enum(["funded", "overbooked"]).optional().meta({ description: "funded when absent" }),
  epsilon: decimalInput,
  delta: decimalInput.optional().meta({ description: "In proportion to epsilon when absent" }),
});

export const moveInput = z.strictObject({
  epsilon: decimalInput,
  delta: decimalInput.optional().meta({ description: "In proportion to epsilon when absent" }),
});

export const moveResult = z
  .object({ account, parent: account.nullable().meta({ description: "null when I may not see it" }) })
  .meta({ id: "MoveResult" });
