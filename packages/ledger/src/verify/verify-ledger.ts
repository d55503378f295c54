import {
  type ActiveRule,
  type BlockStep,
  blockAt,
  type Caps,
  countedTwice,
  type DpEvent,
  type FilterState,
  ledgerCaps,
  type Mu2Amount,
  type Mu2Quote,
  neverFall,
  nextState,
  openingRule,
  openState,
  PrivacyError,
  priceEvents,
  quotaCaps,
  replay,
  type StoredStep,
  sameCaps,
  sameState,
  type Terms,
  verifyHistory,
} from "@dosimeter/core";
import { isPaidBy } from "@dosimeter/core/accounting";
import { canonicalJson } from "@dosimeter/core/internal";
import { GENESIS } from "../audit/chain.ts";
import { refolded } from "../blocks/refolded.ts";
import { allPieces, earlierBlocks } from "../blocks/runs.ts";
import { type Unit, unitWhenOpened } from "../catalog/unit.ts";
import { entryText, publicationHash } from "../ledger/entry.ts";
import { allocatedOf, capsOf, quotaOf, stateOf } from "../ledger/node.ts";
import { toQuote } from "../ledger/plan-quote.ts";
import { historyOf } from "../ledger/replay.ts";
import { requestLine } from "../release/charge.ts";
import { rowsWith } from "../stores/row.ts";
import type { Store, Tx } from "../stores/store.ts";
import type { Tables } from "../stores/tables.ts";
import { type AccountId, entryOf, type LedgerId } from "../values/id.ts";
import type { Json } from "../values/json.ts";
import { blocksOfTerms, parseTerms, termsText } from "../values/terms.ts";
import { checkRanges } from "../values/window-ranges.ts";
import { blockVerifier, verifyRuns } from "./verify-blocks.ts";
import { declaredVerifier } from "./verify-declared.ts";
import {
  factsOfLedgers,
  readable,
  stepVerifier,
  UNREADABLE,
  type Verifying,
  type VerifyingLedger,
} from "./verify-steps.ts";

/** Every ledger, its tree, its charges and its releases. */
export async function verifyLedgers(
  store: Store,
  db: Tx["db"],
  verifying: Verifying,
): Promise<{ entries: number; releases: number }> {
  let entries = 0;
  const runs = await db.selectFrom("block_run").select("node_id").distinct().execute();
  const nodes = new Set<string>(runs.map(({ node_id }) => node_id));
  const pieces = await allPieces({ db });
  for (const ledger of await db.selectFrom("ledger").selectAll().execute()) {
    try {
      entries += await verifyEntries(store, db, { ...verifying, ledger, nodes, pieces });
      await verifyTree(db, { ...verifying, ledger, nodes, pieces });
    } catch (error) {
      if (!(error instanceof PrivacyError || error instanceof SyntaxError)) throw error;
      verifying.report("ledger", ledger.id, `${UNREADABLE}: ${error.message}`);
    }
  }
  for (const node of nodes) verifying.report("block_run", node, "belongs to no ledger with blocks");
  return { entries, releases: await verifyCharges(store, db, { ...verifying, pieces }) };
}

/** I4, I5, I6: the entries replay to the stored state, bit for bit, and stay within the caps of their version. */
// long: one walk over the entries; each step reads the state of the one before
async function verifyEntries(store: Store, db: Tx["db"], verifying: VerifyingLedger): Promise<number> {
  const { ledger, report, pieces } = verifying;
  const rule = ledger.rule;
  const versions = await rowsWith(db, "guarantee_version", { ledger_id: ledger.id }, "version");
  const quoted = await quotesOn(db, ledger.id);
  const unit = await unitWhenOpened({ db }, ledger.id);
  let [number, head, activeRule] = [0n, GENESIS, openingRule(rule)];
  let index = 0;
  let terms = parseTerms(versions[0]?.terms ?? ledger.terms);
  let caps = ledgerCaps(terms);
  let state = openState(caps);
  let steps: StoredStep[] = [];
  let blocks = blocksOfTerms(versions[0]?.terms ?? ledger.terms) === null ? null : blockVerifier(verifying, caps);
  const closeVersion = (): void => {
    for (const { index: step, problem } of verifyHistory({ caps, rule, adjacency: terms.adjacency }, steps))
      report("entry", ledger.id, `charge ${step + 1}: ${problem}`);
  };
  for await (const entry of db
    .selectFrom("entry")
    .selectAll()
    .where("ledger_id", "=", ledger.id)
    .orderBy("number")
    .stream()) {
    const id = `${ledger.id}/${entry.number}`;
    verifyPlace(store, verifying, { entry, number, head });
    [number, head, activeRule] = [entry.number, entry.hash, entry.active_rule];
    if (entry.kind === "amend") {
      closeVersion();
      index += 1;
      const text = versions[index]?.terms ?? "";
      const hasBlocks = (readable(() => blocksOfTerms(text)) ?? null) !== null;
      if (hasBlocks && blocks === null) {
        verifyMigration(store, verifying, { entry, before: terms, index, text, unit });
        blocks = blockVerifier(verifying, caps, earlierOn(ledger, steps));
        steps = [];
        continue;
      }
      terms = raisedTo(store, verifying, { entry, before: terms, text });
      caps = ledgerCaps(terms);
      blocks?.amend(caps);
      if (blocks !== null) continue;
      const states = replay(caps, steps, terms.adjacency);
      const before = state.mu2;
      steps = steps.map((step, i) => ({ ...step, before: states[i] ?? state, after: states[i + 1] ?? state }));
      state = states.at(-1) ?? openState(caps);
      if (entry.remaining_mu2_before !== before || entry.remaining_mu2_after !== state.mu2)
        report("entry", id, "has another remaining μ²");
    }
    if (entry.kind !== "charge" && entry.kind !== "writeOff") continue;
    const events = JSON.parse(entry.events) as DpEvent[];
    const quotes = quoted.get(entry.seq) ?? [];
    for (const quote of quotes) {
      if (!isPaidBy(events, quote, { adjacency: terms.adjacency, margin: "verify" }))
        report("plan_quote", id, "is not certified by the plan's profile");
    }
    if (blocks !== null) {
      blocks.charge(entry, { pieces: pieces.get(entry.seq) ?? [], quotes });
      continue;
    }
    const price = priceEvents(events, terms.adjacency);
    const after = nextState({ caps, state }, price, { activeRule, quotes });
    if (entry.price_epsilon !== price.epsilon || entry.price_delta !== price.delta)
      report("entry", id, "has another price");
    if (entry.remaining_mu2_before !== state.mu2 || entry.remaining_mu2_after !== after.mu2)
      report("entry", id, "has another remaining μ²");
    steps.push({
      events,
      activeRule,
      quotes,
      before: stored(state, entry.remaining_mu2_before),
      after: stored(after, entry.remaining_mu2_after),
    });
    state = after;
  }
  closeVersion();
  if (blocks !== null) {
    const { states, most } = blocks.close();
    state = most;
    await verifyRuns(db, verifying, { id: ledger.id, states });
  }
  verifyEnd(verifying, { versions, index, number, head });
  verifyRow(verifying, { activeRule, caps, terms, state });
  return Number(number);
}

/** Whether an entry stands where it says, unchanged, and the audit knows it. */
function verifyPlace(
  store: Store,
  { ledger, report, vouched }: VerifyingLedger,
  { entry, number, head }: { readonly entry: Tables["entry"]; readonly number: bigint; readonly head: string },
): void {
  const id = `${ledger.id}/${entry.number}`;
  if (entry.number !== number + 1n) report("entry", id, `follows ${number}: entries are missing`);
  if (entry.prev_hash !== head) report("entry", id, "does not hang on the entry before it");
  if (entry.hash !== store.sha256(entryText(entry))) report("entry", id, "was changed: its hash is another");
  if (!vouched.entries.delete(entry.hash)) report("entry", id, "has no audit line");
}

interface End {
  readonly versions: readonly Pick<Tables["guarantee_version"], "terms">[];
  /** Place of the version in force. */
  readonly index: number;
  readonly number: bigint;
  readonly head: string;
}

function verifyEnd({ ledger, report }: VerifyingLedger, { versions, index, number, head }: End): void {
  if (versions.length !== index + 1 || ledger.version !== BigInt(index + 1))
    report("ledger", ledger.id, "has other versions than its entries");
  if (ledger.terms !== versions[index]?.terms) report("ledger", ledger.id, "has other terms than its version");
  if (ledger.entries !== number || ledger.head_hash !== head)
    report("ledger", ledger.id, "has another head than its entries");
}

interface Migration {
  readonly entry: Tables["entry"];
  readonly before: Terms;
  readonly index: number;
  readonly text: string;
  readonly unit: Unit | null;
}

/** Where a ledger gets blocks its terms stay, and what was spent counts as it must. [M168] */
function verifyMigration(
  store: Store,
  { ledger, report }: VerifyingLedger,
  { entry, before, index, text, unit }: Migration,
): void {
  const id = `${ledger.id}/${entry.number}`;
  if (entry.request_hash !== store.sha256(text)) report("entry", id, "amends to other terms than its version");
  const blocks = blocksOfTerms(text);
  const earlier = blocks?.earlier;
  if (termsText(before, before, blocks) !== text) report("entry", id, "has other terms than the ledger before it");
  if (JSON.stringify(readable(() => blocksOfTerms(ledger.terms))) !== JSON.stringify(blocks))
    report("entry", id, "has other blocks than its ledger");
  const mayCountOnce = earlier?.isClosed === true || unit === "row";
  if (earlier === undefined || earlier.version !== index || (earlier.times !== 2 && !mayCountOnce))
    report("entry", id, "counts less of what was spent before");
  const begun = blocks === null ? undefined : readable(() => blockAt(blocks, Date.parse(entry.at) / 1000));
  if (earlier === undefined || begun === undefined || !(earlier.through >= begun))
    report("entry", id, "counts what was spent before in fewer blocks than had begun");
  if (entry.remaining_mu2_before !== null || entry.remaining_mu2_after !== null)
    report("entry", id, "has one remaining μ² for all blocks");
}

/** The charges from before a ledger had blocks, as its blocks count them. */
function earlierOn(ledger: Tables["ledger"], steps: readonly StoredStep[]): readonly BlockStep[] {
  const blocks = blocksOfTerms(ledger.terms);
  if (blocks === null) return [];
  const window = earlierBlocks(blocks);
  return steps
    .filter(({ events }) => events.length > 0)
    .map(({ events, activeRule, quotes = [] }) =>
      blocks.earlier?.times === 2
        ? { events: countedTwice(events), activeRule, window }
        : { events, activeRule, quotes, window },
    );
}

/** The terms of a raise, checked against its line: nothing falls, and blocks stay what they are. [M152] [M166] */
function raisedTo(
  store: Store,
  { ledger, report }: VerifyingLedger,
  { entry, before, text }: { readonly entry: Tables["entry"]; readonly before: Terms; readonly text: string },
): Terms {
  const id = `${ledger.id}/${entry.number}`;
  if (entry.request_hash !== store.sha256(text)) report("entry", id, "amends to other terms than its version");
  const next = readable(() => parseTerms(text)) ?? before;
  if (neverFall.some((name) => next[name] < before[name])) report("entry", id, "lowers what was promised");
  const blocks = blocksOfTerms(ledger.terms);
  if (JSON.stringify(readable(() => blocksOfTerms(text))) !== JSON.stringify(blocks))
    report("entry", id, "has other blocks than its ledger");
  if (blocks !== null && (entry.remaining_mu2_before !== null || entry.remaining_mu2_after !== null))
    report("entry", id, "has one remaining μ² for all blocks");
  return next;
}

interface Recomputed {
  readonly activeRule: ActiveRule;
  readonly caps: Caps;
  readonly terms: Terms;
  readonly state: FilterState;
}

function verifyRow({ ledger, report }: VerifyingLedger, { activeRule, caps, terms, state }: Recomputed): void {
  if (ledger.active_rule !== activeRule) report("ledger", ledger.id, "has another rule in force than its entries");
  if (!sameCaps(capsOf(ledger), caps)) report("ledger", ledger.id, "has other caps than its terms");
  if (ledger.quota_epsilon !== terms.epsilon || ledger.quota_delta !== terms.delta)
    report("ledger", ledger.id, "has another lifetime than its terms");
  if (!sameState(stateOf(ledger), state)) report("ledger", ledger.id, "has another state than its entries");
}

async function quotesOn(db: Tx["db"], ledger: LedgerId): Promise<ReadonlyMap<bigint, readonly Mu2Quote[]>> {
  const rows = await db
    .selectFrom("plan_quote")
    .innerJoin("entry", "entry.seq", "plan_quote.entry_seq")
    .selectAll("plan_quote")
    .where("entry.ledger_id", "=", ledger)
    .execute();
  const byEntry = Map.groupBy(rows, ({ entry_seq }) => entry_seq);
  return new Map([...byEntry].map(([entry, each]) => [entry, each.map(toQuote)]));
}

const stored = (state: FilterState, mu2: Mu2Amount | null): FilterState => ({ ...state, mu2 });

/** I1, I2, I3: every balance follows from its journal and charges, and no parent promised more than it has. */
async function verifyTree(db: Tx["db"], { ledger, report, nodes, pieces }: VerifyingLedger): Promise<void> {
  const terms = parseTerms(ledger.terms);
  const blocks = blocksOfTerms(ledger.terms);
  const named = blocks === null ? null : { pieces, blocks };
  const accounts = await db.selectFrom("account").selectAll().where("ledger_id", "=", ledger.id).execute();
  const transfers = await db.selectFrom("transfer").selectAll().where("ledger_id", "=", ledger.id).execute();
  const moved = new Map<string, { epsilon: bigint; delta: bigint }>();
  const add = (account: AccountId | null, sign: bigint, { epsilon, delta }: { epsilon: bigint; delta: bigint }) => {
    if (account === null) return;
    const sum = moved.get(account) ?? { epsilon: 0n, delta: 0n };
    moved.set(account, { epsilon: sum.epsilon + sign * epsilon, delta: sum.delta + sign * delta });
  };
  for (const transfer of transfers) {
    const child = transfer.kind === "allocate" ? transfer.to_account_id : transfer.from_account_id;
    add(child, transfer.kind === "allocate" ? 1n : -1n, transfer);
  }
  for (const node of [ledger, ...accounts]) {
    const table = node === ledger ? "ledger" : "account";
    const children = accounts.filter(({ parent_id }) => parent_id === (node === ledger ? null : node.id));
    const sum = children.reduce(
      (total, { quota_epsilon, quota_delta }) => ({
        epsilon: total.epsilon + quota_epsilon,
        delta: total.delta + quota_delta,
      }),
      { epsilon: 0n, delta: 0n },
    );
    const allocated = allocatedOf(node);
    if (allocated.epsilon !== sum.epsilon || allocated.delta !== sum.delta) {
      report(table, node.id, "has allocated another sum than its accounts hold");
    }
    if (node.mode === "funded" && (sum.epsilon > node.quota_epsilon || sum.delta > node.quota_delta)) {
      report(table, node.id, "has promised more than it has");
    }
  }
  for (const account of accounts) {
    const quota = quotaOf(account);
    const journal = moved.get(account.id) ?? { epsilon: 0n, delta: 0n };
    if (quota.epsilon !== journal.epsilon || quota.delta !== journal.delta) {
      report("account", account.id, "has another quota than its transfers");
    }
    const caps = quotaCaps(terms, { epsilon: quota.epsilon, delta: quota.delta }, account.kind);
    if (!sameCaps(capsOf(account), caps)) report("account", account.id, "has other caps than its quota");
    const history = await historyOf({ db }, account.id);
    const { adjacency } = terms;
    const { state, runs } = refolded(caps, history, { adjacency, named });
    if (runs !== null) await verifyRuns(db, { report, nodes }, { id: account.id, states: runs });
    if (!sameState(stateOf(account), state)) report("account", account.id, "has another state than its charges");
  }
}

/** I10: each charge has its own lease, and a release exactly where the lease says so. */
async function verifyCharges(
  store: Store,
  db: Tx["db"],
  { report, pieces }: Pick<VerifyingLedger, "report" | "pieces">,
): Promise<number> {
  let releases = 0;
  const steps = stepVerifier(report, await factsOfLedgers(db));
  const declared = await declaredVerifier(db, report);
  const rows = db
    .selectFrom("charge")
    .innerJoin("entry", "entry.seq", "charge.entry_seq")
    .leftJoin("release", "release.entry_seq", "charge.entry_seq")
    .orderBy("charge.entry_seq")
    .selectAll("charge")
    .select(["entry.hash as entry_hash", "entry.events", "entry.active_rule"])
    .select(["release.charge_id as released_charge", "release.answers", "release.receipt"]);
  for await (const row of rows.stream()) {
    if (entryOf(row.id) !== row.entry_seq) report("charge", row.id, "bears the name of another entry");
    const request = readable(() => {
      const json = JSON.parse(row.request) as Json;
      return { json, text: canonicalJson(json) };
    });
    const named = pieces.get(row.entry_seq);
    const window = named === undefined ? undefined : readable(() => checkRanges(named));
    const about = { account: row.account_id, dataset: row.dataset_id, window };
    if (request === undefined || store.sha256(requestLine(about, request.text)) !== row.request_hash)
      report("charge", row.id, "has another request than was charged");
    if (request !== undefined) steps.charge(row, request.json, window ?? []);
    if (request !== undefined) declared.charge(row, request.json, window);
    if ((row.status === "released") !== (row.receipt !== null))
      report("charge", row.id, `is ${row.status}, its release says otherwise`);
    if (row.receipt === null || row.answers === null) continue;
    releases += 1;
    const text = row.receipt;
    const receipt = readable(() => JSON.parse(text) as { answersHash?: unknown; entryHash?: unknown });
    if (receipt?.answersHash !== store.sha256(row.answers))
      report("release", row.id, "has other answers than its receipt");
    if (receipt?.entryHash !== row.entry_hash || row.released_charge !== row.id)
      report("release", row.id, "has a receipt for another entry");
  }
  steps.close();
  const published = db.selectFrom("entry").selectAll().where("kind", "<>", "charge").where("key", "is not", null);
  for (const entry of await published.execute())
    declared.publication(entry, publicationHash({ store }, entry.ledger_id, entry.request ?? ""));
  declared.close();
  const orphans = await db
    .selectFrom("entry")
    .leftJoin("lease", "lease.entry_seq", "entry.seq")
    .select("entry.seq")
    .where("entry.kind", "=", "charge")
    .where("lease.entry_seq", "is", null)
    .execute();
  for (const { seq } of orphans) report("entry", String(seq), "has no lease");
  return releases;
}
