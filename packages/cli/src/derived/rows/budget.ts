import type { Output } from "@dosimeter/client";
import { invalid } from "@dosimeter/core";
import { sayLedger } from "../../show/columns.ts";
import { sayBlocks } from "../../show/dataset.ts";
import { accountColumns, accountsOfAll, type Given, type Rows, type Scene } from "../row.ts";

const columns = accountColumns;
const args = ["ledger", "account"];
const after = (name: string) => [
  `${name}=${name}.path`,
  `budget ε=${name}.quota.epsilon`,
  `spent ε=${name}.balance.epsilon.spent`,
  `promised ε=${name}.promised`,
  `free ε=${name}.free.epsilon`,
];
const moved = [...after("parent"), ...after("account")];
const onLedger = { args: ["ledger"], shows: sayLedger } as const;
const raised = ({ epsilon, delta, status, note }: Output<"proposeAmendment">): string =>
  `ε ${epsilon}, δ ${delta}: ${status}${note === "" ? "" : `\n${note}`}`;
const asked = { flags: { version: "if-version", delta: "delta" }, finds: { version: "version" } } as const;
const request = {
  columns: [
    ...["request=id", "status", "version", "for=holder.name", "of=dataset.name", "from", "asked ε=asked.epsilon"],
    ...["asked δ=asked.delta", "offered ε=offered.epsilon", "offered δ=offered.delta", "granted ε=granted.epsilon"],
    ...["granted δ=granted.delta", "note", "decided by=decision.by.name", "because=decision.note"],
    ...["answered=answer", "passed on from=origin", "expires=expiresAt"],
  ],
  tables: { "plan.statistics": ["statistic", "column", "ε=epsilon", "ρ=rho"] },
} as const;

/** Ledgers, their amendments, accounts, and requests for more. */
export const budgetRows = {
  openLedger: { command: "ledger open", args: ["dataset"], shows: sayLedger },
  previewLedger: {
    command: "ledger open",
    flag: "preview",
    summary: "only show the sentence that would be true",
    says: ({ sentence }) => sentence,
  },
  showLedger: { command: "ledger show", ...onLedger, summary: "the guarantee, and what is left" },
  showBlocks: { command: "ledger blocks", shows: sayBlocks },
  listEntries: {
    command: "ledger entries",
    summary: "the ledger line by line, with what each cost",
    sort: "number",
    columns: [
      ...["line=number", "at", "what=kind", "who=personName", "cost.epsilon", "cost.delta"],
      ...["cost.mu2", "μ² left=remainingMu2After", "hash"],
    ],
  },
  importLedger: {
    command: "ledger import",
    summary: "take over all that an exported ledger has spent, verified; frozen until two people reopen it",
    args: ["dataset", "content"],
    shows: sayLedger,
    after: (_, { dataset }) =>
      `Frozen. When the original has stopped: dosimeter ledger reopen ${dataset} --epsilon 0 --reason … It opens when a second admin gives the same amounts.`,
  },
  setPublication: {
    command: "ledger publish",
    summary: "let anyone read what is promised about a dataset's people, without signing in",
    args: ["ledger"],
    usual: { isPublic: true },
    says: ({ isPublic, population }) => (isPublic ? `Public: dosimeter ledger public ${population}` : "Not public."),
  },
  showPublicGuarantee: {
    command: "ledger public",
    summary: "what is promised about a population whose admin has made it public; needs no sign-in",
    columns: [
      ...[
        "guarantee=sentence",
        "declared=fitted",
        "population=name",
        "one unit is=privacyUnit",
        "ε=epsilon",
        "δ=delta",
      ],
      ...["ceiling ε=ceiling.epsilon", "ceiling δ=ceiling.delta", "rule", "lines=head.number", "head=head.hash"],
    ],
    tables: { versions: ["version", "at", "ε=epsilon", "δ=delta"] },
  },
  setLedger: { command: "ledger set", ...onLedger },
  reportLedger: { by: "ledger report" },
  previewSwitch: {
    command: "ledger switch",
    flag: "preview",
    summary: "only show every budget before and after",
    columns: ["possible", "reason"],
    tables: { accounts: ["account=name", "used before=before.used", "used after=after.used"] },
  },
  switchRule: {
    command: "ledger switch",
    ...onLedger,
    summary: "switch an additionThenTight ledger to the tight rule, once and for good",
    asks: "No ledger goes back from the tight rule.",
  },
  freezeLedger: { command: "ledger freeze", ...onLedger },
  reopenLedger: {
    command: "ledger reopen",
    ...onLedger,
    summary:
      "open a frozen ledger; what may be missing is written off, by two people where no signed witness says what it was",
    usual: { delta: "0" },
    after: ({ status }) =>
      status === "frozen"
        ? "Asked. A second admin, of its datasets or of the platform, must enter the same amounts."
        : null,
  },
  migrateLedger: {
    command: "ledger migrate",
    ...onLedger,
    summary: "give each period the lifetime for itself; what was spent counts in those that were measured",
    usual: { zone: "UTC" },
    after: ({ blocks }) =>
      blocks === undefined
        ? "Asked. It happens when a second admin asks for the same."
        : "Now publish versions whose declarations have these blocks: nothing is asked until then.",
  },
  listLedgerAudit: {
    command: "ledger audit",
    summary: "every change of this ledger and its budgets, in the chain of hashes",
    columns: ["line=sequence", "when=at", "who=actorName", "what=action", "on=subject", "hash"],
  },
  exportLedger: {
    command: "ledger export",
    summary: "the whole ledger as signed JSON Lines, for keeping elsewhere and for dosimeter verify",
    after: (_, { output }) => `Written to ${output}. Check it with: dosimeter verify ${output}`,
  },

  listAmendments: {
    command: "ledger amendments",
    columns: ["ε=epsilon", "δ=delta", "status", "asked by=proposedByName", "reason", "id"],
    tables: {
      versions: [
        ...["version", "at", "ε=epsilon", "δ=delta", "decided by=decidedByName", "seconded by=secondedByName"],
        ...["reason", "sentence"],
      ],
    },
  },
  proposeAmendment: {
    command: "ledger amend",
    summary: "ask for a higher lifetime, or answer who asks; it takes effect when a second person agrees",
    usual: { delta: lifetimeDelta },
    says: raised,
    after: ({ status }) =>
      status === "proposed" ? "It takes effect when a second person agrees: dosimeter ledger amend … --second" : null,
  },
  previewAmendment: {
    command: "ledger amend",
    flag: "preview",
    summary: "only show the sentence that would be true",
    usual: { delta: lifetimeDelta },
    says: ({ epsilon, delta, sentence }) => `ε ${epsilon}, δ ${delta}: would be true\n${sentence}`,
  },
  secondAmendment: {
    command: "ledger amend",
    flag: "second",
    args: ["ledger"],
    flags: { amendment: "raise" },
    summary: "agree to the raise that was asked for",
    says: raised,
  },
  rejectAmendment: {
    command: "ledger amend",
    flag: "reject",
    args: ["ledger"],
    flags: { amendment: "raise" },
    summary: "refuse it",
    says: raised,
  },
  withdrawAmendment: {
    command: "ledger amend",
    flag: "withdraw",
    args: ["ledger"],
    flags: { amendment: "raise" },
    summary: "take back the one I asked for",
    says: raised,
  },

  listMyAccounts: {
    command: "account list",
    summary: "the tree of budgets of a dataset's ledger, as far as I can see it; without a dataset, my own",
    sort: "path",
    columns: accountsOfAll,
  },
  listAccounts: { command: "account list", sort: "path", columns },
  createAccount: {
    command: "account create",
    summary: "give a team or a person a budget",
    flags: { holder: null, expiresAt: "expires" },
    more: {
      "--team <team>": "whose budget it is: a team, by name or id",
      "--person <person>": "whose budget it is: a person, by name or id",
      "--purpose <name>": "set aside for a purpose, below a team's budget or my own",
    },
    build: async ({ team, person, purpose }) => ({ holder: holderOf({ team, person, purpose }) }),
    columns,
  },
  showAccount: { command: "account show", args, columns: accountsOfAll },
  reportAccount: { by: "account report" },
  allocateQuota: { command: "account allocate", args, columns: moved },
  withdrawQuota: { command: "account withdraw", args, columns: moved },
  transferQuota: {
    command: "account transfer",
    args: [...args, "to"],
    finds: { to: "account" },
    columns: [...after("from"), ...after("to")],
  },
  recallQuota: {
    command: "account recall",
    args,
    columns: [
      ...["taken ε=recalled.epsilon", "taken δ=recalled.delta", "not taken ε=shortfall.epsilon"],
      ...["not taken δ=shortfall.delta", ...moved],
    ],
  },
  setAccount: { command: "account set", args, flags: { expiresAt: "expires" }, columns },
  freezeAccount: { command: "account freeze", args, columns },
  unfreezeAccount: { command: "account unfreeze", args, columns },
  closeAccount: { command: "account close", args, columns, asks: "It closes for good; what is free goes back." },

  listRequests: {
    command: "request list",
    summary: "what waits for my decision (received), or what I asked for (submitted), newest first",
    args: ["box"],
    usual: { box: "received" },
    columns: ["who=requester.name", "for=holder.name", "of=dataset.name", "ε=asked.epsilon", "status", "id"],
  },
  createRequest: {
    command: "request make",
    summary: "ask for a budget, or for more; a plan shows the one who decides what it buys",
    args: ["dataset"],
    finds: { dataset: "listed" },
    ...request,
  },
  showRequest: { command: "request show", ...request },
  approveRequest: { command: "request approve", ...asked, ...request },
  rejectRequest: { command: "request reject", ...asked, ...request },
  offerRequest: { command: "request offer", ...asked, ...request },
  acceptOffer: { command: "request accept", ...asked, ...request },
  declineOffer: { command: "request decline", ...asked, ...request },
  withdrawRequest: { command: "request withdraw", ...asked, ...request },
  askRequest: { command: "request ask", ...asked, ...request },
  answerRequest: { command: "request answer", ...asked, ...request },
  escalateRequest: { command: "request escalate", ...asked, ...request },
  listStandingApprovals: {
    command: "request advance",
    summary: "what is approved in advance; with --most small requests are from now on, with --end no longer",
    columns: ["each up to ε=most", "left in all=room", "by", "of=parent", "id"],
  },
  createStandingApproval: {
    command: "request advance",
    flags: { parent: "account" },
    usual: { room: async ({ most }: Given) => String(10 * Number(most)) },
  },
  endStandingApproval: { command: "request advance", args: ["ledger"], flags: { approval: "end" } },
} as const satisfies Partial<Rows>;

async function lifetimeDelta({ ledger }: Given, { client }: Scene): Promise<string> {
  return (await client.showLedger({ ledger: String(ledger) })).guarantee.delta;
}

function holderOf({ team, person, purpose }: Given) {
  if ([team, person, purpose].filter((one) => one !== undefined).length !== 1)
    invalid("holder", undefined, "one of --team, --person and --purpose");
  if (purpose !== undefined) return { kind: "purpose" as const, name: String(purpose) };
  return team === undefined
    ? { kind: "person" as const, id: String(person) }
    : { kind: "team" as const, id: String(team) };
}
