import {
  admit,
  type FilterState,
  formatDelta,
  formatEpsilon,
  formatMu2,
  type Mu2Amount,
  type Mu2Quote,
  PrivacyError,
} from "@dosimeter/core";
import { type ChargeCache, checkPolicy, openChargeCache, type Policy, refuseErased } from "../accounts/charge-cache.ts";
import { type DeclareRight, isApproved, type Paid, rightIn, undeclaredRefusal } from "../accounts/declare-right.ts";
import {
  afterReadings,
  putReadings,
  type ShareReading,
  unpaidReadings,
  withReadings,
} from "../accounts/share-reading.ts";
import { type Notified, notifyUsed } from "../accounts/threshold.ts";
import { agentChargeValues, PUT_AGENT_CHARGE } from "../agents/charges.ts";
import { type Agent, openAgents } from "../agents/spending.ts";
import { type Chain, openChain, type Writing } from "../audit/chain.ts";
import { images } from "../audit/image.ts";
import { checkWindow, type Decided, decideBlocks } from "../blocks/charge.ts";
import { putPieces } from "../blocks/runs.ts";
import type { Context } from "../context.ts";
import { putEntries, sealed } from "../ledger/entry.ts";
import { belowLeast, belowLeastError } from "../ledger/least-price.ts";
import { admissionTermsOf, nodeOf, stateColumns, stateOf } from "../ledger/node.ts";
import { putQuotes } from "../ledger/plan-quote.ts";
import { overLimit, overLimitError } from "../ledger/query-limit.ts";
import { refusalOf } from "../ledger/refusal.ts";
import {
  type Charge,
  type ChargeWithEntry,
  type CheckedRequest,
  type EntryFacts,
  leaseUntil,
  toCharge,
  WITH_ENTRY,
} from "../release/charge.ts";
import { type Claiming, claimedBy, putClaims, QuestionClaimed } from "../release/claim.ts";
import {
  type Answered,
  answeredBy,
  type Guarantee,
  guaranteeOf,
  lastRelease,
  putRelease,
  type Release,
} from "../release/release.ts";
import { lostBy } from "../restore/restore-gap.ts";
import { grouped } from "../stores/group.ts";
import type { Question, Value } from "../stores/store.ts";
import type { Tables } from "../stores/tables.ts";
import { usedKey } from "../values/check.ts";
import { type LedgerId, newChargeId, type PrincipalId } from "../values/id.ts";
import { blocksOfTerms } from "../values/terms.ts";
import { NOTHING_TAKEN, newDeclared, programsWith, putDeclared, takenBefore } from "./programs.ts";
import { refuseNoStep } from "./refuse-no-step.ts";

const BY_KEYS = `${WITH_ENTRY} WHERE charge.principal_id = ? AND charge.key IN `;
const LEASE = "INSERT INTO lease (entry_seq, status, owner, until_at, tries) VALUES (?, ?, ?, ?, ?)";

export interface ChargeOutcome {
  readonly charge: Charge;
  /** The key had been charged before; nothing was spent now. */
  readonly repeated: boolean;
  /** The release in the same transaction; null when it comes later or came before. */
  readonly release: Release | null;
}

/** Plan prices that belong to another state: nothing was decided, and they are computed again. */
const STALE = Symbol("stale plan prices");

/** How often a plan is priced because of other charges. The last time, its events are added one by one where a price is stale. */
const TRIES = 4;

/** Prices a plan as the ledger and its accounts are now; undefined where no plan price could matter. */
type Pricing = (isLast: boolean) => Promise<CheckedRequest["priced"]>;

/** Charges, each priced again as long as other charges come between. QuestionClaimed: another charge answers the same question. */
export function chargeWriter(context: Context): (request: CheckedRequest, price: Pricing) => Promise<ChargeOutcome> {
  const write = groupWriter(context);
  return async (request, price) => {
    for (let attempt = 1; ; attempt++) {
      const priced = await price(attempt === TRIES);
      const outcome = await write(priced === undefined ? request : { ...request, priced });
      if (outcome instanceof QuestionClaimed) throw outcome;
      if (outcome !== STALE) return outcome;
    }
  };
}

/** Charges, decided one after another; those that arrive together share one serialisable transaction and commit. */
function groupWriter(
  context: Context,
): (request: CheckedRequest) => Promise<ChargeOutcome | typeof STALE | QuestionClaimed> {
  const { store, step } = context;
  const notified = new Set<string>();
  let noticed: string[] = [];
  return grouped({
    store,
    most: context.commitGroup,
    ahead: earlierCharges,
    open: async (tx, requests, read) => {
      const known = chargedBefore(read.flat() as ChargeWithEntry[]);
      const [cache, chain] = await Promise.all([openChargeCache(context, tx, requests), openChain(context, tx)]);
      const written = new Map<string, Written>();
      const at = store.now();
      const agents = openAgents(tx, cache, at);
      const policies = new Map<string, Policy>();
      const group = { tx, cache, written, policies, at };
      const now = Date.parse(at);

      return {
        one: async (request: CheckedRequest) => {
          step("charge.begin");
          const name = nameOf(request);
          try {
            const before = written.get(name) ?? known.get(name);
            if (before !== undefined) return repeated(before, request);
            const { claims } = request;
            const claimed =
              claims === undefined ? null : await claimedBy(tx, claims, { before: [...written.values()], now: at });
            if (claimed !== null) return new QuestionClaimed(claimed);
            const policy = policies.get(spendingOf(request)) ?? (await policyOf(group, request));
            await refuseNoStep(tx, { ledger: policy.ledger, runs: cache.runs }, request);
            await refuseErased(cache, request);
            const guarantee = request.answers === undefined ? null : await guaranteeOf(tx, policy.ledger.id);
            const agent = await agents.of(request);
            const paid = [...written.values()].flatMap(({ readings }) => readings);
            const readings = await unpaidReadings(tx, policy, { charges: request.readings ?? [], paid });
            if (hasStalePrices(cache.current(policy), request)) return STALE;
            const declaring =
              request.isDeclared === true
                ? await declaringOf(context, group, { ...request, ledger: policy.ledger.id })
                : null;
            const deciding = { cache, chain, policy, guarantee, agent, declaring, readings, at, now };
            const charged = decide(context, deciding, request);
            written.set(name, charged);
            const charge = toCharge(charged.charge, charged.entry, request);
            return { charge, repeated: false, release: charged.answered?.release ?? null };
          } catch (error) {
            if (error instanceof PrivacyError) noteRefusal(chain, request, error);
            throw error;
          }
        },
        settle: async () => {
          noticed = [];
          const known = { has: (once: string) => notified.has(once), add: (once: string) => noticed.push(once) };
          await writeCharges(context, { tx, chain, cache, known }, [...written.values()]);
        },
      };
    },
    committed: () => {
      step("charge.committed");
      for (const once of noticed.splice(0)) notified.add(once);
    },
  });
}

/** Charges of one transaction. */
interface Group extends Pick<Writing, "tx"> {
  readonly cache: ChargeCache;
  readonly written: ReadonlyMap<string, Written>;
  readonly policies: Map<string, Policy>;
  readonly at: string;
}

/** Looks up once for a group who may charge what, which no charge changes. */
async function policyOf({ cache, policies, at }: Group, request: CheckedRequest): Promise<Policy> {
  const policy = await checkPolicy(cache, { ...request, at });
  const { ledger, path } = policy;
  if (blocksOfTerms(ledger.terms) !== null) await cache.readRuns([ledger, ...path].map(({ id }) => id));
  policies.set(spendingOf(request), policy);
  return policy;
}

async function declaringOf(
  context: Context,
  { tx, cache, written }: Group,
  request: CheckedRequest & { readonly ledger: LedgerId },
): Promise<DeclaringFacts> {
  const right = await rightIn(tx, request.account);
  const isAgent = (await cache.agent(request.principal)) !== null;
  const isSeconded = right.secondAbove !== null && (await isApproved(context, tx, request));
  const before = [...written.values()].map((one) => ({
    ...one,
    mu2: lostMu2(lostBy(one.entry.remaining_mu2_before, one.entry.remaining_mu2_after), one.pieces),
  }));
  const earlier = right.secondAbove === null ? NOTHING_TAKEN : await takenBefore(tx, request, before);
  const counted = before.flatMap(({ declared }) => declared ?? []);
  return { right, isAgent, isSeconded, earlier, programs: await programsWith(tx, request, counted) };
}

interface WritingCharges extends Writing {
  readonly cache: ChargeCache;
  readonly known: Notified;
}

/** Writes what a group of charges decided: entries, leases, answers, notices, audit lines and states, in this order. */
async function writeCharges(
  context: Context,
  { tx, chain, cache, known }: WritingCharges,
  rows: readonly Written[],
): Promise<void> {
  const { step } = context;
  await putEntries(
    tx,
    rows.map(({ entry }) => entry),
  );
  for (const { entry, pieces } of rows) if (pieces.length > 0) await putPieces(tx, entry.seq, pieces);
  for (const row of rows) await putReadings({ tx, chain }, row);
  for (const { entry, quotes } of rows) {
    const { seq, principal_id, ledger_id } = entry;
    if (quotes.length > 0)
      await putQuotes({ tx, chain }, { entry: seq, quotes, actor: principal_id, ledger: ledger_id });
  }
  await tx.many(
    PUT_AGENT_CHARGE,
    rows.flatMap(({ byAgent }) => (byAgent === null ? [] : [agentChargeValues(byAgent)])),
  );
  step("charge.entry");
  await tx.many(
    LEASE,
    rows.map(({ charge }) => leaseValues(charge)),
  );
  await putClaims(tx, rows);
  await putDeclared(
    tx,
    rows.flatMap(({ declared }) => declared ?? []),
  );
  const answers = rows.flatMap(({ answered }) => answered ?? []);
  let last = answers.length === 0 ? 0n : await lastRelease(tx);
  for (const answered of answers) {
    last += 1n;
    await putRelease(context, { tx, chain }, { ...answered, seq: last });
  }
  for (const account of new Set(rows.map(({ charge }) => charge.account_id))) {
    const path = await cache.path(account);
    const ledger = await cache.ledger(path[0]?.ledger_id ?? "");
    await notifyUsed(context, tx, { nodes: [...path.toReversed(), ledger], activeRule: ledger.active_rule, known });
  }
  step("charge.notified");
  await chain.settle();
  step("charge.written");
  await cache.settle();
  step("charge.settled");
}

/** A charge, and the parts of its entry that an answer needs. */
interface Found {
  readonly charge: Tables["charge"];
  readonly entry: EntryFacts;
}

interface Written extends Found, Claiming {
  readonly entry: Tables["entry"];
  /** Plan prices that a filter of the path paid by. */
  readonly quotes: readonly Mu2Quote[];
  readonly pieces: Decided["pieces"];
  /** What is released in the same transaction. */
  readonly answered: Answered | null;
  /** What is noted of a charge of an AI agent. */
  readonly byAgent: Tables["agent_charge"] | null;
  /** Earlier answers that were paid with it. */
  readonly readings: readonly ShareReading[];
  /** Of a program outside. */
  readonly declared: Tables["declared_charge"] | null;
}

/** What the decision on a program outside needs to know. */
interface DeclaringFacts extends Pick<Parameters<typeof undeclaredRefusal>[1], "isAgent" | "isSeconded" | "earlier"> {
  readonly right: DeclareRight;
  /** Of the ledger, this one included. */
  readonly programs: bigint;
}

const nameOf = ({ principal, key }: { readonly principal: PrincipalId; readonly key: string }): string =>
  `${principal.length} ${principal} ${key}`;

const spendingOf = ({ principal, account, adjacency, schedule, dataset }: CheckedRequest): string =>
  `${principal.length} ${account.length} ${principal} ${account} ${adjacency} ${schedule ?? ""} ${dataset}`;

/** Finds the existing charges with the keys of these requests, with one query for each person. */
function earlierCharges(requests: readonly CheckedRequest[]): readonly Question[] {
  const people = Map.groupBy(requests, ({ principal }) => principal);
  return [...people].map(([principal, asked]) => {
    // padded to a power of two with an impossible key, so that few statements are prepared
    const keys = Array.from({ length: 2 ** Math.ceil(Math.log2(asked.length)) }, (_, i) => asked[i]?.key ?? "");
    return { sql: `${BY_KEYS}(${keys.map(() => "?").join(", ")})`, values: [principal, ...keys] };
  });
}

const chargedBefore = (rows: readonly ChargeWithEntry[]): ReadonlyMap<string, Found> =>
  new Map(rows.map((row) => [nameOf({ principal: row.principal_id, key: row.key }), { charge: row, entry: row }]));

function repeated({ charge, entry }: Found, { key, requestHash }: CheckedRequest): ChargeOutcome {
  if (charge.request_hash !== requestHash) throw usedKey(key);
  return { charge: toCharge(charge, entry), repeated: true, release: null };
}

interface Deciding {
  readonly cache: ChargeCache;
  readonly chain: Chain;
  readonly policy: Policy;
  /** For answers that are released with their charge. */
  readonly guarantee: Guarantee | null;
  /** Null for people and services. */
  readonly agent: Agent | null;
  /** Null for what is measured here. */
  readonly declaring: DeclaringFacts | null;
  readonly readings: readonly ShareReading[];
  readonly at: string;
  /** `at` in milliseconds. */
  readonly now: number;
}

const newCharge = (
  { account, principal, dataset, key, requestHash, requestText, answers, isDeclared, lease }: CheckedRequest,
  { seq, ledger, at, now }: Pick<Deciding, "at" | "now"> & { readonly seq: bigint; readonly ledger: Tables["ledger"] },
): Tables["charge"] => ({
  id: newChargeId(seq),
  entry_seq: seq,
  ledger_id: ledger.id,
  account_id: account,
  principal_id: principal,
  dataset_id: dataset,
  key,
  request_hash: requestHash,
  request: requestText,
  status: isDeclared === true ? "declared" : answers === undefined ? "charged" : "released",
  lease_owner: lease.owner,
  lease_until: leaseUntil(now, lease),
  tries: 1n,
  at,
});

const hasStalePrices = ({ ledger, path }: Policy, { priced }: CheckedRequest): boolean =>
  priced !== undefined &&
  !priced.isLast &&
  [ledger, ...path].some(({ state_remaining_mu2 }, i) => state_remaining_mu2 !== priced.remaining[i]);

/** Decides one charge on a ledger without blocks. */
function decideWhole(
  { mostCharges, step }: Context,
  { ledger, path }: Policy,
  { priced, adjacency, events }: CheckedRequest,
): Decided {
  const nodes = [ledger, ...path];
  const decision = admit(admissionTermsOf(ledger, adjacency), nodes.map(nodeOf), events, priced?.quotes);
  step("charge.decided");
  if (!decision.admitted) throw refusalOf(ledger, nodes, decision);
  const tooLarge = overLimit(path, decision);
  if (tooLarge.length > 0) throw overLimitError(tooLarge);
  const tooSmall = events.length === 0 ? [] : belowLeast(ledger, decision, mostCharges);
  if (tooSmall.length > 0) throw belowLeastError(tooSmall);
  return { ...decision, pieces: [], runs: [] };
}

function newEntry(
  context: Context,
  {
    charge,
    ledger,
    ledgerState,
    hasBlocks,
    decision: { activeRule, price },
  }: {
    readonly charge: Tables["charge"];
    readonly ledger: Tables["ledger"];
    readonly ledgerState: FilterState;
    readonly hasBlocks: boolean;
    readonly decision: Pick<Decided, "activeRule" | "price">;
  },
  { eventsText }: CheckedRequest,
): Tables["entry"] {
  return sealed(context, {
    seq: charge.entry_seq,
    ledger_id: ledger.id,
    number: ledger.entries + 1n,
    kind: "charge",
    charge_id: charge.id,
    account_id: charge.account_id,
    principal_id: charge.principal_id,
    dataset_id: charge.dataset_id,
    active_rule: activeRule,
    events: eventsText,
    price_epsilon: price.epsilon,
    price_delta: price.delta,
    // What is left differs from block to block: it is stored with each.
    remaining_mu2_before: hasBlocks ? null : ledger.state_remaining_mu2,
    remaining_mu2_after: hasBlocks ? null : ledgerState.mu2,
    key: charge.key,
    request: charge.request,
    request_hash: charge.request_hash,
    at: charge.at,
    prev_hash: ledger.head_hash,
  });
}

/** The most that the ledger lost of μ², in any block; null where it counts none. */
function lostMu2(whole: bigint | null, pieces: Decided["pieces"]): bigint | null {
  if (pieces.length === 0) return whole;
  const lost = pieces.map((piece) => lostBy(piece.before[0]?.mu2 ?? null, piece.after[0]?.mu2 ?? null));
  return lost.reduce((most, one) => (most === null || one === null ? null : one > most ? one : most));
}

/** What the audit says of a charge. */
function lineOf(
  {
    charge,
    entry,
    mu2,
  }: { readonly charge: Tables["charge"]; readonly entry: Tables["entry"]; readonly mu2: bigint | null },
  { price: { epsilon, delta }, switched, activeRule }: Pick<Decided, "price" | "switched" | "activeRule">,
): Parameters<Chain["append"]>[0] {
  return {
    actor: charge.principal_id,
    action: "charge.create",
    subject: charge.id,
    ledger: entry.ledger_id,
    detail: {
      entry: Number(entry.number),
      entryHash: entry.hash,
      account: charge.account_id,
      epsilon: epsilon === null ? null : formatEpsilon(epsilon),
      delta: formatDelta(delta),
      ...(mu2 === null ? {} : { mu2: formatMu2(mu2 as Mu2Amount) }),
      ...(switched ? { switched: activeRule } : {}),
    },
  };
}

/** Decides one charge and prepares its rows. All refusals happen here, before anything is written. */
function decide(
  context: Context,
  { cache, chain, policy, guarantee, agent, declaring, readings, at, now }: Deciding,
  request: CheckedRequest,
): Written {
  const { ledger, path } = cache.current(policy);
  const nodes = [ledger, ...path];
  const { priced, window } = request;
  const blocks = checkWindow(ledger, request, at);
  const hasBlocks = blocksOfTerms(ledger.terms) !== null;
  if (hasBlocks && readings.length > 0)
    throw new PrivacyError("UNSUPPORTED_QUERY", {
      name: "reuse",
      got: "earlier answers that the account pays for as well",
      want: "never: what is read is not counted block by block yet",
    });
  const decision =
    blocks === null || window === undefined
      ? decideWhole(context, { ledger, path }, request)
      : decideBlocks(
          {
            ...{ ledger, path, blocks, window, mostCharges: context.mostCharges },
            runs: nodes.map(({ id }) => cache.runs(id)),
          },
          request,
        );
  const [ledgerState, ...accountStates] = decision.states;
  if (ledgerState === undefined) throw new PrivacyError("INTERNAL");
  const charged = path.map((account, index) => ({
    ...account,
    ...stateColumns(accountStates[index] ?? stateOf(account)),
  }));
  const accounts = afterReadings(charged, readings, decision.activeRule);
  const spent = withReadings(decision.price.epsilon, readings, request.account);
  agent?.refuse(spent);
  const refusal =
    declaring === null
      ? null
      : undeclaredRefusal(declaring.right, { ...declaring, ...paidBy({ ledger, path }, decision) });
  if (refusal !== null) throw refusal;

  const seq = cache.nextSeq();
  const charge = newCharge(request, { seq, ledger, at, now });
  const entry = newEntry(context, { charge, ledger, ledgerState, hasBlocks, decision }, request);
  const given = request.answers;
  const answered =
    given === undefined || guarantee === null ? null : answeredBy(context, { charge, entry, given, guarantee });
  const declared = declaring === null ? null : newDeclared(charge, declaring.programs);
  chain.append({
    ...lineOf(
      { charge, entry, mu2: lostMu2(lostBy(ledger.state_remaining_mu2, ledgerState.mu2), decision.pieces) },
      decision,
    ),
    ...(declared === null ? {} : images.declared_charge(declared)),
  });
  cache.putLedger({
    ...ledger,
    ...stateColumns(ledgerState),
    active_rule: decision.activeRule,
    entries: entry.number,
    head_hash: entry.hash,
  });
  for (const account of accounts) cache.putAccount(account);
  decision.runs.forEach((runs, index) => {
    const node = nodes[index];
    if (node !== undefined) cache.putRuns(node.id, runs);
  });
  const befores = new Set(nodes.map(({ state_remaining_mu2 }) => state_remaining_mu2));
  return {
    charge,
    entry,
    quotes: (priced?.quotes ?? []).filter(({ before }) => befores.has(before)),
    claims: request.claims?.keys ?? [],
    pieces: decision.pieces,
    answered,
    byAgent: agent?.pay(seq, spent) ?? null,
    readings,
    declared,
  };
}

/** What the payer lost, in each piece where there are blocks. */
const paidBy = ({ path }: Policy, { activeRule, price, pieces, states }: Decided, account = path.at(-1)): Paid => {
  if (account === undefined) throw new PrivacyError("INTERNAL");
  const whole = { before: stateOf(account), after: states.at(-1) ?? stateOf(account) };
  const inBlocks = pieces.map(({ before, after }) => ({
    before: before.at(-1) ?? whole.before,
    after: after.at(-1) ?? whole.after,
  }));
  return { account, activeRule, price, steps: pieces.length === 0 ? [whole] : inBlocks };
};

const leaseValues = ({ entry_seq, status, lease_owner, lease_until, tries }: Tables["charge"]): readonly Value[] => [
  entry_seq,
  status,
  lease_owner,
  lease_until,
  tries,
];

/** Adds the audit line of a refused charge, its only trace. */
function noteRefusal(chain: Chain, request: CheckedRequest, { code, details }: PrivacyError): void {
  chain.append({
    actor: request.principal,
    action: "charge.refuse",
    subject: request.account.slice(0, 100),
    detail: { code, refusals: details.refusals ?? [], dataset: request.dataset.slice(0, 100) },
  });
}
