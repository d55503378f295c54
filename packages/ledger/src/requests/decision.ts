import {
  type DeltaAmount,
  type EpsilonAmount,
  formatEpsilon,
  invalid,
  PrivacyError,
  quotaDelta,
} from "@dosimeter/core";
import { least } from "@dosimeter/core/internal";
import type { Holder } from "../accounts/account.ts";
import { openAccountIn } from "../accounts/open-account.ts";
import { allocateIn } from "../accounts/quota.ts";
import type { Writing } from "../audit/chain.ts";
import { change } from "../audit/change.ts";
import type { Context } from "../context.ts";
import { isOver } from "../guarantee/request-limits.ts";
import { ledgerRow } from "../ledger/ledger.ts";
import { isOneAnalyst } from "../people/analyst.ts";
import { paysFrom, refuseAgent } from "../people/payer.ts";
import type { Tx } from "../stores/store.ts";
import type { Tables } from "../stores/tables.ts";
import { checkNote } from "../values/check.ts";
import type { By, PrincipalId, RequestId } from "../values/id.ts";
import type { Json } from "../values/json.ts";
import { parseTerms, type Quota } from "../values/terms.ts";
import {
  expiry,
  makeRequestIn,
  mayAsk,
  type Request,
  type RequestStatus,
  requestRow,
  toRequest,
  writeStep,
} from "./request.ts";

type RequestRow = Tables["request"];

/** Who may do what to a request in which state. Everything else is a CONFLICT. */
export const transitions = {
  approve: { from: ["submitted", "escalated"], by: "decider" },
  reject: { from: ["submitted", "escalated", "infoRequested"], by: "decider" },
  counter: { from: ["submitted", "escalated"], by: "decider" },
  ask: { from: ["submitted"], by: "decider" },
  escalate: { from: ["submitted"], by: "decider" },
  answer: { from: ["infoRequested"], by: "requester" },
  accept: { from: ["counterOffered"], by: "requester" },
  decline: { from: ["counterOffered"], by: "requester" },
  withdraw: { from: ["submitted", "counterOffered", "infoRequested", "escalated"], by: "requester" },
} as const satisfies Record<string, { readonly from: readonly RequestStatus[]; readonly by: "decider" | "requester" }>;

export interface Answering extends By {
  readonly request: RequestId;
  /** The version that was read; CONFLICT when it has changed meanwhile. */
  readonly version: number;
}

type Next = Partial<RequestRow> & Pick<RequestRow, "status">;

/** One transition: authority, state and version are checked in the transaction that moves the quota. */
async function step(
  context: Context,
  { verb, request, version, by }: Answering & { verb: keyof typeof transitions },
  body: (writing: Writing, row: RequestRow) => Promise<Next>,
): Promise<Request> {
  const after = await change(context, async (tx, chain) => {
    const row = await requestRow(tx, request);
    const isSelf = await isOneAnalyst(tx, row.requester_id, by);
    await checkActor(context, tx, { row, verb, by, isSelf });
    if (isOver(row, context.store.now())) return writeStep(context, { tx, chain }, expiry(row));
    const { from } = transitions[verb];
    if (!(from as readonly RequestStatus[]).includes(row.status))
      throw new PrivacyError("CONFLICT", { name: "request", got: row.status, want: from.join(" or ") });
    if (BigInt(version) !== row.version)
      throw new PrivacyError("CONFLICT", {
        name: "version",
        got: version,
        want: `${row.version}: it changed meanwhile`,
      });
    const set = await body({ tx, chain }, row);
    const decides = transitions[verb].by === "decider";
    const full = decides ? { decider_id: by, self_decided: isSelf ? 1n : 0n, ...set } : set;
    const detail = decides && isSelf ? { selfDecided: true } : {};
    return writeStep(context, { tx, chain }, { row, verb, by, set: full, detail });
  });
  if (after.status === "expired") throw new PrivacyError("CONFLICT", { name: "request", got: "expired", want: "open" });
  return toRequest(after, context.store.now());
}

async function checkActor(
  context: Context,
  tx: Tx,
  { row, verb, by, isSelf }: { row: RequestRow; verb: keyof typeof transitions; by: PrincipalId; isSelf: boolean },
): Promise<void> {
  if (transitions[verb].by === "requester") {
    if (row.requester_id !== by) throw new PrivacyError("FORBIDDEN", {}, "only the one who asked may do this");
    return;
  }
  if (!(await paysFrom(tx, payerOf(row), by)))
    throw new PrivacyError("FORBIDDEN", {}, "only the person who gives out this budget decides");
  await refuseAgent(tx, by);
  if (isSelf && context.selfApproval === "refuse")
    throw new PrivacyError("FORBIDDEN", {}, "you cannot decide your own request");
}

const payerOf = (row: RequestRow) => ({ ledger: row.ledger_id, parent: row.parent_id });

export interface Approval extends Answering {
  /** A smaller amount approves in part; the whole when absent. */
  readonly epsilon?: EpsilonAmount | undefined;
  readonly delta?: DeltaAmount | undefined;
  readonly note?: string | undefined;
}

/** Approves and moves the quota in one transaction. QUOTA_UNAVAILABLE when the payer has too little; the request then stays open. */
export function approve(context: Context, { epsilon, delta, note = "", ...answering }: Approval): Promise<Request> {
  return step(context, { ...answering, verb: "approve" }, async (writing, row) => {
    const terms = parseTerms((await ledgerRow(writing.tx, row.ledger_id)).terms);
    const share = epsilon ?? row.epsilon;
    const part = share === row.epsilon ? row.delta : least(row.delta, quotaDelta(terms, { epsilon: share }));
    const amount: Quota = { epsilon: share, delta: delta ?? part };
    if (amount.epsilon <= 0n || amount.epsilon > row.epsilon || amount.delta > row.delta) {
      const want = `more than 0 and at most what was asked, ${formatEpsilon(row.epsilon)}`;
      invalid("epsilon", formatEpsilon(amount.epsilon), want);
    }
    const isWhole = amount.epsilon === row.epsilon && amount.delta === row.delta;
    const granted = await grant(context, writing, { row, amount, by: answering.by });
    return { status: isWhole ? "approved" : "partlyApproved", ...granted, decision_note: checkNote(note) };
  });
}

export function reject(context: Context, { note, ...answering }: Answering & { note: string }): Promise<Request> {
  const reason = checkNote(note);
  if (reason === "") invalid("note", "", "the reason");
  return step(context, { ...answering, verb: "reject" }, async () => ({ status: "rejected", decision_note: reason }));
}

/** Offers another amount, which the requester accepts or declines. No quota is reserved for it. */
export function counter(
  context: Context,
  { epsilon, delta, note = "", ...answering }: Approval & { epsilon: EpsilonAmount },
): Promise<Request> {
  if (epsilon <= 0n) invalid("epsilon", "0", "more than 0");
  return step(context, { ...answering, verb: "counter" }, async ({ tx }, row) => ({
    status: "counterOffered",
    offered_epsilon: epsilon,
    offered_delta: delta ?? quotaDelta(parseTerms((await ledgerRow(tx, row.ledger_id)).terms), { epsilon }),
    decision_note: checkNote(note),
  }));
}

/** Takes the offer: the one who made it must still hold the paying account, and it must still have the funds. */
export function accept(context: Context, answering: Answering): Promise<Request> {
  return step(context, { ...answering, verb: "accept" }, async (writing, row) => {
    const { offered_epsilon, offered_delta, decider_id } = row;
    if (offered_epsilon === null || offered_delta === null) throw new PrivacyError("INTERNAL");
    if (decider_id === null || !(await paysFrom(writing.tx, payerOf(row), decider_id)))
      throw new PrivacyError("CONFLICT", { name: "offer", want: "made by someone who still gives out this budget" });
    const amount = { epsilon: offered_epsilon, delta: offered_delta };
    return { status: "approved", ...(await grant(context, writing, { row, amount, by: decider_id })) };
  });
}

export function decline(context: Context, answering: Answering): Promise<Request> {
  return step(context, { ...answering, verb: "decline" }, async () => ({ status: "withdrawn" }));
}

export function withdrawRequest(context: Context, answering: Answering): Promise<Request> {
  return step(context, { ...answering, verb: "withdraw" }, async () => ({ status: "withdrawn" }));
}

/** Asks the requester a question. The request waits for the answer and expires as before. */
export function askBack(context: Context, { note, ...answering }: Answering & { note: string }): Promise<Request> {
  const question = checkNote(note);
  if (question === "") invalid("note", "", "the question");
  return step(context, { ...answering, verb: "ask" }, async () => ({
    status: "infoRequested",
    decision_note: question,
  }));
}

export function answerBack(context: Context, { note, ...answering }: Answering & { note: string }): Promise<Request> {
  const answer = checkNote(note);
  if (answer === "") invalid("note", "", "the answer");
  return step(context, { ...answering, verb: "answer" }, async () => ({ status: "submitted", answer }));
}

/**
 * Makes a linked request for the payer, which has too little, to the account that funds it, with the same plan. CONFLICT where
 * the ledger itself pays, which only an amendment can raise.
 */
export function escalate(
  context: Context,
  { epsilon, note = "", ...answering }: Answering & { epsilon?: EpsilonAmount | undefined; note?: string | undefined },
): Promise<Request> {
  return step(context, { ...answering, verb: "escalate" }, async (writing, row) => {
    if (row.parent_id === null)
      throw new PrivacyError("CONFLICT", {
        name: "request",
        want: "paid by an account; the ledger needs an amendment",
      });
    await makeRequestIn(context, writing, {
      by: answering.by,
      dataset: row.dataset_id,
      target: { account: row.parent_id },
      epsilon: epsilon ?? row.epsilon,
      note: note === "" ? row.note : note,
      plan: row.plan === null ? undefined : (JSON.parse(row.plan) as Json),
      origin: row.id,
    });
    return { status: "escalated", decision_note: checkNote(note) };
  });
}

/** Moves the quota, or opens the account with it, in the transaction of the decision. */
export async function grant(
  context: Context,
  writing: Writing,
  { row, amount, by }: { row: RequestRow; amount: Quota; by: PrincipalId },
): Promise<Pick<RequestRow, "account_id" | "granted_epsilon" | "granted_delta">> {
  if (!(await mayAsk(writing.tx, row, row.requester_id)))
    throw new PrivacyError("CONFLICT", { name: "requester", want: "someone who may still hold this account" });
  const options = { by, request: row.id, ...amount };
  const account =
    row.account_id === null
      ? await openAccountIn(context, writing, {
          ...options,
          ledger: row.ledger_id,
          parent: row.parent_id,
          holder: { kind: row.holder_kind, id: row.holder_id } as Holder,
        })
      : await allocateIn(context, writing, { ...options, account: row.account_id });
  return { account_id: account.id, granted_epsilon: amount.epsilon, granted_delta: amount.delta };
}
