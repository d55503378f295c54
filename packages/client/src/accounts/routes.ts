import { z } from "zod";
import type { RouteTable } from "../route.ts";
import { activeRule, blocks, cursor, decimal, decimalInput, id, name, page, searched, time } from "../schema.ts";
import { report, reportQuery } from "./report.ts";

const gauge = z
  .object({
    cap: decimal,
    spent: decimal.nullable().meta({ description: "null: something had no price in this sum" }),
    left: decimal.nullable(),
  })
  .meta({ id: "Gauge" });

/** Both sums are kept from the first event; `activeRule` says which one admits. */
export const balance = z
  .object({
    activeRule,
    epsilon: gauge,
    delta: gauge,
    mu2: gauge.meta({ description: "Remaining squared Gaussian parameter; an account that holds none has cap 0" }),
    usedDelta: z.number(),
    used: z.number().meta({ description: "Headline in [0, 1]: spent over cap of the rule in force" }),
  })
  .meta({ id: "Balance" });

export const quota = z.object({ epsilon: decimal, delta: decimal }).meta({ id: "Quota" });

/** What of a budget is not spent. */
export const room = {
  promised: decimal
    .nullable()
    .meta({ description: "ε given to accounts below and not spent there: spent + promised + free is the budget" }),
  free: quota.meta({ description: "Neither spent nor promised: can be spent, withdrawn or allocated further" }),
};

/** Whether a ledger accepts charges. */
export const ledgerStatus = {
  status: z.enum(["open", "frozen"]),
  over: z
    .string()
    .nullable()
    .meta({ description: "Frozen since what was published before does not fit: the sentence that says so" }),
};

export const account = z
  .object({
    id,
    ledger: id,
    blocks,
    parent: id.nullable().meta({ description: "null: funded by the ledger itself" }),
    name: z.string().meta({ description: "The holder's name" }),
    path: z.array(z.string()).meta({ description: "Names from the top of the tree to this account" }),
    holder: z.object({
      kind: z.enum(["dataset", "team", "person", "purpose"]),
      id: z.string().meta({ description: "Of a purpose: its name" }),
      name: z.string(),
    }),
    kind: z
      .enum(["share", "cap"])
      .meta({ description: "A share of the guarantee, or a cap on what its holder learns" }),
    mode: z.enum(["funded", "overbooked"]),
    status: z.enum(["active", "frozen", "closed"]),
    quota,
    allocated: quota.meta({ description: "Given to accounts below, with what they spent of it" }),
    ...room,
    balance,
    more: z
      .object({
        count: z.number().int(),
        isAtLeast: z.boolean(),
        isDelta: z.boolean().meta({ description: "The next one would be refused for δ alone" }),
      })
      .nullable()
      .meta({
        description:
          "How many more charges like its last one fit under the rule in force; null before the first, and where I may not spend",
      }),
    datasets: z.array(id),
    datasetNames: z.array(z.string()).meta({ description: "Their names, in the same order" }),
    tables: z
      .number()
      .int()
      .meta({ description: "How many tables its ledger pays for, with those that I may not see" }),
    mine: z.object({
      mayRelease: z.boolean(),
      mayGrant: z.boolean().meta({ description: "open accounts below" }),
      maySetAside: z.boolean().meta({ description: "open purposes below: the account is mine" }),
      mayManage: z.boolean().meta({ description: "change the quota" }),
    }),
    openedAt: time,
    expiresAt: time.nullable().meta({ description: "When it closes by itself" }),
    queryEpsilon: decimal.nullable().meta({ description: "The most one charge may take, as a pure epsilon" }),
    sentence: z
      .string()
      .nullable()
      .meta({ description: "What a cap promises, and of whom it does not; null for a share" }),
  })
  .meta({ id: "Account" });

const limits = {
  expiresAt: time
    .nullable()
    .optional()
    .meta({ description: "When it closes by itself, with all below it; null: never" }),
  queryEpsilon: decimalInput
    .nullable()
    .optional()
    .meta({ description: "The most one charge may take, as a pure epsilon; null: no such limit" }),
};

const accountInput = z.strictObject({
  holder: z.union([
    z.strictObject({ kind: z.enum(["team", "person"]), id }),
    z.strictObject({ kind: z.literal("purpose"), name }),
  ]),
  parent: id.optional().meta({ description: "The account to open it below; directly below the ledger when absent" }),
  kind: z.enum(["share", "cap"]).optional().meta({ description: "share when absent" }),
  mode: z.enum(["funded", "overbooked"]).optional().meta({ description: "funded when absent" }),
  epsilon: decimalInput,
  delta: decimalInput.optional().meta({ description: "In proportion to epsilon when absent" }),
  ...limits,
});

/** What an account may promise on, when it ends, how much one charge may take; absent: as it is. */
const accountSettings = z.strictObject({
  mode: z.enum(["funded", "overbooked"]).optional(),
  ...limits,
});

const transferInput = z.strictObject({
  to: id.meta({ description: "Another account of the same ledger" }),
  epsilon: decimalInput,
  delta: decimalInput.optional().meta({ description: "In proportion to epsilon when absent" }),
});

const recallInput = z.strictObject({
  epsilon: decimalInput,
  delta: decimalInput.optional().meta({ description: "In proportion to epsilon when absent" }),
  cascade: z.boolean().optional().meta({ description: "Take from the accounts below too; false when absent" }),
});

const moveInput = z.strictObject({
  epsilon: decimalInput,
  delta: decimalInput.optional().meta({ description: "In proportion to epsilon when absent" }),
});

const moveResult = z
  .object({ account, parent: account.nullable().meta({ description: "null when I may not see it" }) })
  .meta({ id: "MoveResult" });

const transferResult = z.object({ from: account, to: account }).meta({ id: "TransferResult" });

const recallResult = z
  .object({
    account,
    parent: account.nullable().meta({ description: "null when I may not see it" }),
    recalled: quota,
    shortfall: quota.meta({ description: "Asked for and not taken: it is spent, or promised below" }),
  })
  .meta({ id: "RecallResult" });

export const accountsRoutes = {
  listAccounts: {
    route: "GET /v1/ledgers/{ledger}/accounts",
    summary: "The account tree of a ledger, as far as I can see it",
    who: "ledgerReader",
    scope: "read",
    query: cursor,
    response: page(account),
  },
  listMyAccounts: {
    route: "GET /v1/accounts",
    summary: "The accounts I can spend from; those of a dataset, or below a name, that holds a text",
    who: "signedIn",
    scope: "read",
    query: searched,
    response: page(account),
  },
  createAccount: {
    route: "POST /v1/ledgers/{ledger}/accounts",
    summary: "Open an account for a team or a person, below the ledger or below another account, with a first quota",
    who: "accountGrantor",
    scope: "manage",
    body: accountInput,
    response: account,
    status: 201,
    errors: ["CONFLICT", "QUOTA_UNAVAILABLE", "ACCOUNT_CLOSED"],
  },
  showAccount: {
    route: "GET /v1/accounts/{account}",
    summary: "One account: quota, balance, what is free, its place in the tree",
    who: "accountReader",
    scope: "read",
    response: account,
  },
  reportAccount: {
    route: "GET /v1/accounts/{account}/report",
    summary:
      "The same reports for one account and all below it, as if they shared nothing, its burn-down, and how many more would fit",
    who: "accountReader",
    scope: "read",
    query: reportQuery,
    response: report,
  },
  allocateQuota: {
    route: "POST /v1/accounts/{account}/allocations",
    summary: "Move free quota from the parent into this account",
    who: "accountManager",
    scope: "manage",
    body: moveInput,
    response: moveResult,
    status: 201,
    errors: ["QUOTA_UNAVAILABLE", "ACCOUNT_CLOSED"],
  },
  withdrawQuota: {
    route: "POST /v1/accounts/{account}/withdrawals",
    summary: "Move free quota of this account back to its parent; what is spent or promised below stays",
    who: "accountManager",
    scope: "manage",
    body: moveInput,
    response: moveResult,
    status: 201,
    errors: ["QUOTA_UNAVAILABLE", "ACCOUNT_CLOSED"],
  },
  transferQuota: {
    route: "POST /v1/accounts/{account}/transfers",
    summary: "Move free quota of this account to another one of the same ledger, in one transaction",
    who: "quotaMover",
    scope: "manage",
    body: transferInput,
    response: transferResult,
    status: 201,
    errors: ["QUOTA_UNAVAILABLE", "ACCOUNT_CLOSED"],
  },
  recallQuota: {
    route: "POST /v1/accounts/{account}/recalls",
    summary: "Take back as much as is free, from the accounts below too if asked; the answer names the shortfall",
    who: "accountManager",
    scope: "manage",
    body: recallInput,
    response: recallResult,
    status: 201,
    errors: ["QUOTA_UNAVAILABLE", "ACCOUNT_CLOSED"],
  },
  setAccount: {
    route: "POST /v1/accounts/{account}/settings",
    summary: "Funded or overbooked, when it closes by itself, and how much one charge may take",
    who: "accountManager",
    scope: "manage",
    body: accountSettings,
    response: account,
    errors: ["CONFLICT", "ACCOUNT_CLOSED"],
  },
  freezeAccount: {
    route: "POST /v1/accounts/{account}/freeze",
    summary: "Refuse new charges on this account and everything below it",
    who: "accountManager",
    scope: "manage",
    response: account,
    errors: ["ACCOUNT_CLOSED"],
  },
  unfreezeAccount: {
    route: "POST /v1/accounts/{account}/unfreeze",
    summary: "Allow charges again",
    who: "accountManager",
    scope: "manage",
    response: account,
    errors: ["ACCOUNT_CLOSED"],
  },
  closeAccount: {
    route: "POST /v1/accounts/{account}/close",
    summary: "Close an account for good: free quota returns to the parent, what was spent stays",
    who: "accountManager",
    scope: "manage",
    response: account,
    errors: ["ACCOUNT_CLOSED", "CONFLICT"],
  },
} as const satisfies RouteTable;
