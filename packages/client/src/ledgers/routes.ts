import { calendarUnits } from "@dosimeter/core";
import { z } from "zod";
import { outside, report, reportQuery } from "../accounts/report.ts";
import { balance, ledgerStatus, quota, room } from "../accounts/routes.ts";
import type { RouteTable } from "../route.ts";
import {
  activeRule,
  adjacency,
  blocks,
  cost,
  cursor,
  decimal,
  decimalInput,
  hash,
  id,
  page,
  rule,
  time,
} from "../schema.ts";

const reason = z.string().min(1).max(200);
const freezeInput = z.strictObject({ reason });
const reopenInput = z.strictObject({
  epsilon: decimalInput.meta({
    description:
      "Written off as spent, at least what is known to be missing; where more may be missing, a second admin must give the same amounts, and the ledger stays frozen until then",
  }),
  delta: decimalInput,
  reason,
});

const migrateInput = z.strictObject({
  every: z.enum(calendarUnits),
  zone: z.string().max(60).meta({ description: "By whose clocks a period ends, such as Europe/Berlin" }),
  through: z.string().max(10).optional().meta({
    description:
      "The last period of which rows may have been measured, such as 2026-12; the one that has begun when absent. Needed where a version declares dates after that one",
  }),
  isClosed: z
    .boolean()
    .optional()
    .meta({ description: "Nothing more is asked about the periods through that one; false when absent" }),
  reason,
});

const ledgerInput = z.strictObject({
  epsilon: decimalInput,
  delta: decimalInput,
  rule: rule
    .optional()
    .meta({ description: "When absent: addition for a population with blocks, else additionThenTight" }),
  deltaSelection: decimalInput
    .optional()
    .meta({ description: "The part of delta kept for selections and approximate events; a tenth when absent" }),
  ceiling: z
    .strictObject({ epsilon: decimalInput, delta: decimalInput })
    .optional()
    .meta({ description: "Promised too, through every raise up to it; the lifetime when absent" }),
  policy: z
    .enum(["ask", "auto"])
    .optional()
    .meta({ description: "auto: the first charge that fits only the tight rule switches the ledger; ask when absent" }),
  mode: z.enum(["funded", "overbooked"]).optional().meta({ description: "funded when absent" }),
});

const warnings = z.array(z.string()).meta({
  description:
    "What is unwise about these terms, such as a delta above 1/n; nothing is refused for it. Said before and when a ledger opens",
});

/** What is promised over a lifetime, and how the filter divides it. */
export const promise = {
  epsilon: decimal,
  delta: decimal,
  deltaFilter: decimal.meta({ description: "The part of delta that pays for composition" }),
  deltaSelection: decimal.meta({ description: "The room for the sum of deltas" }),
  muSquared: decimal.meta({ description: "The remaining μ² at opening" }),
};

/** What opening would promise; nothing is opened. */
const ledgerPreview = z
  .object({
    sentence: z.string(),
    blocks,
    ...promise,
    ceiling: quota,
    warnings,
  })
  .meta({ id: "LedgerPreview" });

const threshold = decimal.meta({
  description: "ε of one query above which AGENT composes by addition in every report; 1 when absent",
});

const fitted = z.string().nullable().meta({
  description: "What is to be known where a declaration was fitted to the data by its owner; null where none was",
});

const ledger = z
  .object({
    id,
    population: id,
    blocks,
    datasets: z.array(z.object({ id, name: z.string() })),
    privacyUnit: z.string(),
    adjacency,
    rule,
    activeRule,
    policy: z
      .enum(["ask", "auto"])
      .meta({ description: "Who switches: the dataset admin, or the first charge that fits only tight" }),
    guarantee: z.object({
      version: z.number().int(),
      sentence: z.string(),
      fitted,
      ...promise,
    }),
    outside,
    balance,
    quota,
    allocated: quota.meta({ description: "Given to the accounts directly below, with what they spent of it" }),
    ...room,
    ceiling: quota.meta({ description: "Declared at opening: it holds until the lifetime is raised past it" }),
    ...ledgerStatus,
    frozen: z
      .object({ since: time, reason: z.string().nullable() })
      .optional()
      .meta({ description: "Since when and why it accepts no charges; the reason is for those who audit it" }),
    mode: z.enum(["funded", "overbooked"]),
    head: z.object({ number: z.number().int(), hash }),
    warnings: warnings.optional(),
    threshold: threshold.optional(),
    openedAt: time,
    openedBy: id,
    isPublic: z
      .boolean()
      .meta({ description: "Whether its promise is shown without sign-in, at its population's page" }),
    mine: z.object({
      mayGrant: z.boolean().meta({ description: "open accounts below the ledger" }),
      mayManage: z.boolean().meta({ description: "switch the rule, set it, propose amendments" }),
      mayAudit: z.boolean(),
    }),
  })
  .meta({ id: "Ledger" });

const blockBalances = z
  .object({
    calendar: z
      .object({
        every: z.enum(calendarUnits),
        zone: z.string(),
        first: z.string().meta({ description: "The first declared block, such as 2024-01" }),
        last: z.string().nullable().meta({ description: "The last one that has begun; null: none has" }),
        closed: z.string().nullable().meta({ description: "The last one that `latest` and `all closed` take" }),
      })
      .nullable()
      .meta({ description: "null: the ledger has no blocks" }),
    rows: z.array(
      z.object({
        account: id.nullable().meta({ description: "null: the ledger itself" }),
        name: z.string(),
        quota,
        activeRule: activeRule.meta({ description: "The rule in force, which counts ε or μ²" }),
        muSquared: decimal.meta({ description: "The μ² that each block has under the tight rule" }),
        runs: z
          .array(
            z.object({
              from: z.string(),
              to: z.string(),
              epsilon: decimal.nullable().meta({ description: "Spent in each of them; null once μ² alone counts" }),
              delta: decimal,
              mu2: decimal
                .nullable()
                .meta({ description: "Spent μ²; null after a charge that the tight rule could not have paid" }),
              used: z.number().meta({ description: "In [0, 1]: spent over cap of the rule in force" }),
              earmarked: z.number().meta({
                description:
                  "In [0, 1]: what scheduled reports to come have set aside of the rest, from accounts that you may see",
              }),
            }),
          )
          .meta({ description: "Blocks in the same state, in order; a block in none is free as a whole" }),
      }),
    ),
  })
  .meta({ id: "BlockBalances" });

/** What anyone may read, without signing in, where the dataset admin has switched it on. No name of a person, no insider's words, no spend. */
const publicGuarantee = z
  .object({
    population: id,
    name: z.string().meta({ description: "Whom it protects, as the dataset admin calls them" }),
    privacyUnit: z.string(),
    blocks,
    adjacency,
    rule,
    sentence: z.string().meta({ description: "What is true now of everything ever released about these people" }),
    fitted,
    epsilon: decimal,
    delta: decimal,
    ceiling: quota.meta({ description: "Declared at opening: it holds until the lifetime is raised past it" }),
    status: z.enum(["open", "frozen"]),
    openedAt: time,
    versions: z
      .array(
        z.object({
          version: z.number().int(),
          sentence: z.string(),
          epsilon: decimal,
          delta: decimal,
          at: time,
        }),
      )
      .meta({ description: "Oldest first" }),
    programs: z.array(z.object({ tool: z.string().nullable(), published: z.string().nullable() })).meta({
      description:
        "The programs outside that are counted. Of what an admin imported its tool and its day and place, as typed; of others no more than the day. Who vouches for each stands in the ledger",
    }),
    head: z.object({ number: z.number().int(), hash }).meta({
      description:
        "The newest line of the ledger. Its number grows by one with every charge, so a second look shows how many were made, not what they cost or asked",
    }),
  })
  .meta({ id: "PublicGuarantee" });

const publicationInput = z.strictObject({ isPublic: z.boolean() });

/** The rest of the request is the export, as it was written. */
const ledgerImportQuery = z.strictObject({
  key: hash
    .optional()
    .meta({ description: "SHA-256 of the key that signed it, as its owner states it; this server's own when absent" }),
});

const entry = z
  .object({
    number: z.number().int().meta({ description: "1, 2, 3 … without gaps" }),
    kind: z.enum(["open", "charge", "switch", "amend", "writeOff"]),
    at: time,
    person: id
      .nullable()
      .meta({ description: "null, like the account and the events, when I may not see whose charge it is" }),
    personName: z.string().nullable(),
    account: id.nullable(),
    dataset: id.nullable(),
    release: id.nullable(),
    activeRule: activeRule.meta({ description: "The rule in force after this line" }),
    events: z.array(z.looseObject({ kind: z.string() })).nullable(),
    cost: cost.nullable(),
    outside: z
      .object({
        key: z.string().nullable(),
        purpose: z.string(),
        relation: z.string(),
        tool: z.string().nullable(),
        published: z.string().nullable(),
      })
      .nullable()
      .meta({
        description:
          "Made outside: what was declared; null of what was measured here, and where I may not see whose it is",
      }),
    remainingMu2Before: decimal.nullable(),
    remainingMu2After: decimal.nullable(),
    hash,
  })
  .meta({ id: "Entry" });

const entryQuery = cursor.extend({
  kind: z.enum(["open", "charge", "switch", "amend", "writeOff"]).optional(),
  account: id.optional().meta({ description: "Only its own charges; an account that I may read" }),
  person: id.optional().meta({ description: "Only theirs: mine, or with the audit right anyone's" }),
});

const switchPreview = z
  .object({
    possible: z.boolean(),
    reason: z.string().nullable(),
    accounts: z.array(
      z.object({
        account: id.nullable().meta({ description: "null: the ledger itself" }),
        name: z.string(),
        before: balance,
        after: balance.nullable(),
      }),
    ),
  })
  .meta({ id: "SwitchPreview" });

/** Who switches, whether more may be promised than there is, whether charges are taken, how reports compose; absent: as it is. */
const ledgerSettings = z.strictObject({
  policy: z.enum(["ask", "auto"]).optional(),
  mode: z.enum(["funded", "overbooked"]).optional(),
  status: z.enum(["open", "frozen"]).optional(),
  threshold: decimalInput
    .optional()
    .meta({ description: "ε of one query above which AGENT composes by addition in reports: above 0, at most 1e6" }),
});

export const ledgersRoutes = {
  openLedger: {
    route: "POST /v1/datasets/{dataset}/ledger",
    summary: "Open the ledger of the dataset's population with its lifetime (epsilon, delta) and rule",
    who: "datasetAdmin",
    scope: "manage",
    body: ledgerInput,
    response: ledger,
    status: 201,
    errors: ["CONFLICT"],
  },
  previewLedger: {
    route: "POST /v1/datasets/{dataset}/ledger/preview",
    summary: "The sentence that opening the ledger with these would give; opens nothing",
    who: "datasetAdmin",
    scope: "manage",
    body: ledgerInput,
    response: ledgerPreview,
    errors: ["CONFLICT"],
  },
  showLedger: {
    route: "GET /v1/ledgers/{ledger}",
    summary: "The guarantee sentence, caps, balance, rule and head hash",
    who: "ledgerReader",
    scope: "read",
    response: ledger,
  },
  showBlocks: {
    route: "GET /v1/ledgers/{ledger}/blocks",
    summary:
      "Of a ledger with blocks: what it and the accounts that you may see have spent in each, and set aside for reports",
    who: "ledgerReader",
    scope: "read",
    response: blockBalances,
  },
  listEntries: {
    route: "GET /v1/ledgers/{ledger}/entries",
    summary:
      "The ledger line by line; of other holders' charges a member sees that they happened and what they cost the ledger",
    who: "ledgerReader",
    scope: "read",
    query: entryQuery,
    response: page(entry),
  },
  importLedger: {
    route: "POST /v1/datasets/{dataset}/ledger/import",
    summary:
      "Make the ledger of the dataset's population with everything an exported one has spent, once it is verified; it is frozen until two people reopen it",
    who: "datasetAdmin",
    scope: "manage",
    query: ledgerImportQuery,
    stream: true,
    response: ledger,
    status: 201,
    errors: ["CONFLICT", "PAYLOAD_TOO_LARGE"],
  },
  setPublication: {
    route: "POST /v1/ledgers/{ledger}/publication",
    summary: "Whether anyone may read the ledger's promise without signing in; off until it is switched on",
    who: "ledgerAdmin",
    scope: "manage",
    body: publicationInput,
    response: ledger,
  },
  showPublicGuarantee: {
    route: "GET /v1/public/{population}",
    summary: "Sentence, privacy unit, caps, versions and head hash of a population whose admin has made them public",
    who: "anyone",
    scope: null,
    response: publicGuarantee,
  },
  setLedger: {
    route: "POST /v1/ledgers/{ledger}/settings",
    summary:
      "Who switches the rule, whether more may be promised than there is, whether charges are taken, and how reports compose",
    who: "ledgerAdmin",
    scope: "manage",
    body: ledgerSettings,
    response: ledger,
    errors: ["CONFLICT"],
  },
  reportLedger: {
    route: "GET /v1/ledgers/{ledger}/report",
    summary:
      "What has been promised and spent in one sentence with its certificate, and every accountant side by side over time",
    who: "ledgerReader",
    scope: "read",
    query: reportQuery,
    response: report,
  },
  previewSwitch: {
    route: "GET /v1/ledgers/{ledger}/switch",
    summary: "What a switch to the tight rule would do: every account before and after, or why it is impossible",
    who: "ledgerReader",
    scope: "read",
    response: switchPreview,
    errors: ["CONFLICT"],
  },
  freezeLedger: {
    route: "POST /v1/ledgers/{ledger}/freeze",
    summary: "Stop all spending from this ledger until it is reopened",
    who: "ledgerAdmin",
    scope: "manage",
    body: freezeInput,
    response: ledger,
  },
  reopenLedger: {
    route: "POST /v1/ledgers/{ledger}/reopen",
    summary:
      "Open a frozen ledger; charges that may be missing are written off as spent, by two people unless a signed witness says what they were",
    who: "ledgerReopener",
    scope: "manage",
    body: reopenInput,
    response: ledger,
    errors: ["CONFLICT", "BUDGET_EXHAUSTED"],
  },
  migrateLedger: {
    route: "POST /v1/ledgers/{ledger}/migrate",
    summary:
      "Give a ledger blocks: each period has the lifetime for itself, and what was spent counts in those that were measured",
    who: "ledgerMigrator",
    scope: "manage",
    body: migrateInput,
    response: ledger,
    errors: ["CONFLICT"],
  },
  switchRule: {
    route: "POST /v1/ledgers/{ledger}/switch",
    summary: "Switch an additionThenTight ledger from addition to tight, once and for good",
    who: "ledgerAdmin",
    scope: "manage",
    response: ledger,
    errors: ["CONFLICT"],
  },
} as const satisfies RouteTable;
