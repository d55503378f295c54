import { relationNames } from "@dosimeter/core";
import { z } from "zod";
import type { RouteTable } from "../route.ts";
import { cost, cursor, decimal, decimalInput, hash, id, page, time } from "../schema.ts";

const event = z.looseObject({ kind: z.string() });
const events = z.array(event).meta({
  description:
    'Each one run of a mechanism, as dosimeter total takes it: {"kind": "repeated", "count": 1000, "event": {"kind": "poissonSampled", "rate": 0.01, "event": {"kind": "gaussian", "noiseMultiplier": 1.1}}}',
});
const relation = z.enum(relationNames).meta({
  description:
    "Which change of one record the events bound; add-or-remove-one is counted as a group of two where the ledger's is replace-one",
});
const tool = z.strictObject({ name: z.string().max(200), version: z.string().max(200) });
const published = z
  .strictObject({ on: z.string().max(40).meta({ description: "The day" }), where: z.string().max(200) })
  .meta({ description: "It ran before it was declared: where its results were published" });
const rowsPerUnit = z.number().int().min(1).meta({
  description:
    "The most rows of one person that the events were computed for: no fewer than the declaration lets one have, where the dataset protects people, not rows",
});
const block = z.string().max(40).meta({ description: "Where the ledger has blocks, as releases name them: 2024-01" });

const stated = z.strictObject({
  account: id.meta({ description: "Who pays: it needs the right to charge for programs outside" }),
  dataset: id.optional().meta({ description: "Needed where the ledger protects several" }),
  events,
  purpose: z.string().max(500).optional(),
  tool: tool.optional(),
  relation,
  rowsPerUnit: rowsPerUnit.optional(),
  delta: decimalInput.optional().meta({
    description:
      "At which the events' epsilon is certified, where the rule in force adds up epsilon and they have none of their own; a hundredth of the account's when absent",
  }),
  from: block.optional(),
  to: block.optional().meta({ description: "from when absent" }),
  published: published.optional(),
});

const chargeKey = z.string().min(1).max(200).meta({
  description: "Charged once; chunks of one program share what is before the first slash: train-7/epoch-3",
});

const declared = stated.extend({ key: chargeKey, purpose: z.string().max(500) });

const evidence = z
  .object({
    commit: z.string().optional(),
    container: z.string().optional(),
    sha256: z.string().optional().meta({ description: "Of the result" }),
    address: z.string().optional(),
    reportSha256: z.string().optional(),
    report: z
      .string()
      .nullable()
      .meta({ description: "It may hold rows: null for all but admins of the dataset until it is published" }),
    at: time,
    publishedAt: time.nullable(),
  })
  .meta({ id: "Evidence" });

const charge = z
  .object({
    id,
    ledger: id,
    account: id,
    dataset: id,
    person: id.meta({ description: "Who vouches for it" }),
    personName: z.string(),
    key: z.string(),
    purpose: z.string(),
    tool: tool.nullable(),
    relation,
    rowsPerUnit: rowsPerUnit.nullable(),
    published: published.nullable(),
    from: block.optional(),
    to: block.optional(),
    events: events.meta({ description: "As declared" }),
    charged: events.meta({ description: "As the ledger counts them, by its relation and rule" }),
    price: cost,
    entry: z.object({ number: z.number().int(), hash }),
    at: time,
    evidence: evidence.nullable(),
    redeemed: z.object({ at: time, person: id }).nullable().meta({ description: "When its permit was used" }),
    citation: z.string().meta({ description: "How its result is cited" }),
  })
  .meta({ id: "DeclaredCharge", description: "Made outside: it may be cited, and nothing is derived from it" });

const waiting = z
  .object({
    id: hash.meta({ description: "What a second person agrees to: this charge under this key" }),
    stated: declared,
    dataset: id,
    datasetName: z.string(),
    person: id.meta({ description: "Who asks, and vouches for it" }),
    personName: z.string(),
    at: time,
    status: z.enum(["waiting", "approved", "refused"]),
    decidedBy: z.string().nullable().meta({ description: "The name of who approved or refused" }),
    price: cost
      .nullable()
      .meta({ description: "Now; null where it was refused, does not fit, or is not computed within seconds" }),
    why: z.string().optional().meta({ description: "Why it would be refused now, approved or not" }),
    mine: z.object({
      mayDecide: z.boolean(),
      mayCharge: z.boolean().meta({ description: "I asked: once it is approved, I charge the same again" }),
    }),
  })
  .meta({ id: "WaitingCharge" });

const publications = z.strictObject({
  ledger: id,
  rows: z
    .array(
      z.strictObject({
        key: chargeKey,
        events,
        relation,
        on: z.string().max(40).meta({ description: "The day of the publication" }),
        where: z.string().max(200),
        purpose: z.string().max(500).optional(),
        tool: tool.optional(),
        rowsPerUnit: rowsPerUnit.optional(),
        delta: decimalInput.optional(),
      }),
    )
    .min(1)
    .max(1000),
});

const right = z
  .object({
    mostEpsilon: decimal
      .nullable()
      .meta({ description: "The most one charge may take, as a pure epsilon; null: no right" }),
    secondAbove: decimal.nullable().meta({
      description:
        "Above it, all charges of a program counted, an admin of the dataset states the same charge first; null: never",
    }),
    agents: z.boolean(),
  })
  .meta({ id: "DeclareRight" });

const permit = z.string().max(3_000_000).meta({ description: "One line of JSON, signed with the key of this server" });

export const chargesRoutes = {
  quoteCharge: {
    route: "POST /v1/charges/quote",
    summary: "What a program outside would cost, and whether it fits; nothing is charged",
    who: "accountSpender",
    scope: "release",
    body: stated.extend({ key: chargeKey.optional() }),
    response: z
      .object({
        fits: z.boolean(),
        price: cost.nullable(),
        epsilon: decimal.nullable().meta({ description: "Of the price; null: none by addition, or it does not fit" }),
        delta: decimal.nullable(),
        remaining: z
          .object({ epsilon: decimal.nullable(), delta: decimal.nullable(), mu2: decimal.nullable() })
          .meta({ description: "Of the account, before" }),
        charged: events.meta({ description: "As the ledger would count them" }),
        made: id.nullable().meta({ description: "The charge that this key has made: the same one pays nothing more" }),
        why: z.string().optional().meta({ description: "Why it would be refused, or who has to agree first" }),
      })
      .meta({ id: "ChargeQuote" }),
    errors: ["EMPTY_PLAN", "UNSUPPORTED_EVENT", "ADJACENCY_MISMATCH", "TOO_MUCH_WORK", "IDEMPOTENCY_CONFLICT"],
  },
  declareCharge: {
    route: "POST /v1/charges",
    summary: "Charge a program outside before it runs: once by its key, never given back; its permit comes back",
    who: "accountSpender",
    scope: "release",
    body: declared,
    response: z.object({ charge, price: cost, permit }).meta({ id: "Declared" }),
    status: 201,
    errors: [
      "EMPTY_PLAN",
      "UNSUPPORTED_EVENT",
      "ADJACENCY_MISMATCH",
      "TOO_MUCH_WORK",
      "ACCOUNT_CLOSED",
      "BUDGET_EXHAUSTED",
      "QUOTA_EXHAUSTED",
      "PRICE_TOO_SMALL",
      "CONFIRMATION_NEEDED",
      "IDEMPOTENCY_CONFLICT",
    ],
  },
  approveCharge: {
    route: "POST /v1/charges/approvals",
    summary: "As a second person state the same charge under the same key: then the holder of the account may make it",
    who: "accountAdmin",
    scope: "manage",
    body: declared,
    errors: ["EMPTY_PLAN", "UNSUPPORTED_EVENT", "TOO_MUCH_WORK"],
  },
  listWaitingCharges: {
    route: "GET /v1/charges/approvals",
    summary:
      "Charges of programs outside that wait for a second person, or have one and are not made: mine, and those I may decide",
    who: "signedIn",
    scope: "read",
    response: z.object({ items: z.array(waiting) }).meta({ id: "WaitingCharges" }),
  },
  decideCharge: {
    route: "POST /v1/charges/approvals/decide",
    summary: "Approve or refuse, as a second person, a charge that waits: approved, who asked may make it",
    who: "accountAdmin",
    scope: "manage",
    body: z.strictObject({ account: id, waiting: hash, outcome: z.enum(["approve", "refuse"]) }),
    errors: ["CONFLICT"],
  },
  quoteImport: {
    route: "POST /v1/charges/import/quote",
    summary: "What an import would do with each row, and its price; nothing is counted",
    who: "ledgerAdmin",
    scope: "manage",
    body: publications,
    response: z
      .object({
        rows: z.array(
          z.object({
            key: z.string(),
            outcome: z.enum(["counted", "known", "over", "problem"]).meta({
              description:
                "known: counted before; over: it does not fit and would freeze the ledger; problem: no row is taken",
            }),
            price: cost.nullable(),
            why: z.string().nullable(),
          }),
        ),
      })
      .meta({ id: "QuotedImport" }),
    errors: ["CONFLICT"],
  },
  importCharges: {
    route: "POST /v1/charges/import",
    summary:
      "Count on a ledger what was published before it or without it, each once by its key; what does not fit freezes the ledger as over its lifetime",
    who: "ledgerAdmin",
    scope: "manage",
    body: publications,
    response: z
      .object({
        ledger: id,
        status: z.enum(["open", "frozen"]),
        imported: z.number().int(),
        repeated: z.number().int().meta({ description: "Known from an import before" }),
        over: z.string().nullable().meta({
          description:
            "What does not fit: the ledger is frozen until it is raised and the same rows are imported again",
        }),
      })
      .meta({ id: "ImportedCharges" }),
    status: 201,
    errors: [
      "CONFLICT",
      "EMPTY_PLAN",
      "UNSUPPORTED_EVENT",
      "ADJACENCY_MISMATCH",
      "TOO_MUCH_WORK",
      "IDEMPOTENCY_CONFLICT",
    ],
  },
  listCharges: {
    route: "GET /v1/charges",
    summary:
      "Charges of programs outside, newest first: of an account, of a dataset as far as I can read them, or mine",
    who: "signedIn",
    scope: "read",
    query: cursor.extend({ account: id.optional(), dataset: id.optional() }),
    response: page(charge),
  },
  showCharge: {
    route: "GET /v1/charges/{charge}",
    summary: "One charge of a program outside, with its evidence",
    who: "chargeReader",
    scope: "read",
    response: charge,
  },
  showPermit: {
    route: "GET /v1/charges/{charge}/permit",
    summary: "The permit of a charge, signed: who opens data may ask for it first",
    who: "chargeReader",
    scope: "read",
    response: z.object({ permit }).meta({ id: "Permit" }),
  },
  redeemPermit: {
    route: "POST /v1/permits/redeem",
    summary: "Use a permit, once: offline it proves only that it is authentic",
    who: "signedIn",
    scope: "release",
    body: z.strictObject({ permit, key: chargeKey.optional().meta({ description: "Of the job that may use it" }) }),
    response: z.object({ charge }).meta({ id: "Redeemed" }),
    errors: ["CONFLICT"],
  },
  attachEvidence: {
    route: "POST /v1/charges/{charge}/evidence",
    summary: "What shows that the program ran as declared: once, by who charged",
    who: "chargeMaker",
    scope: "release",
    body: z.strictObject({
      commit: z.string().max(200).optional(),
      container: z.string().max(200).optional(),
      sha256: z.string().max(64).optional().meta({ description: "Of the result, in hexadecimal" }),
      report: z.string().optional().meta({ description: "At most 1 MB of text" }),
      address: z.string().max(200).optional(),
    }),
    response: charge,
    status: 201,
    errors: ["CONFLICT", "PAYLOAD_TOO_LARGE"],
  },
  publishEvidence: {
    route: "POST /v1/charges/{charge}/evidence/publish",
    summary: "Let everyone who reads the charge read its report",
    who: "chargeAdmin",
    scope: "manage",
    response: charge,
    errors: ["CONFLICT"],
  },
  showDeclaring: {
    route: "GET /v1/accounts/{account}/declaring",
    summary: "Whether an account may charge for programs outside, and how much",
    who: "accountReader",
    scope: "read",
    response: right,
  },
  setDeclaring: {
    route: "POST /v1/accounts/{account}/declaring",
    summary: "Give or end the right to charge an account for programs outside; what is absent stays",
    who: "accountAdmin",
    scope: "manage",
    body: z.strictObject({
      mostEpsilon: decimalInput
        .nullable()
        .optional()
        .meta({ description: "The most one charge may take, as a pure epsilon; null ends the right" }),
      secondAbove: decimalInput
        .nullable()
        .optional()
        .meta({ description: "Above it an admin of the dataset states the same charge first; null: never" }),
      agents: z.boolean().optional().meta({ description: "Whether agents of the holder may charge too" }),
    }),
    response: right,
    errors: ["ACCOUNT_CLOSED"],
  },
} as const satisfies RouteTable;
