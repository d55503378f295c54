import {
  type ActiveRule,
  type Caps,
  checkBlockTerms,
  DEFAULT_RULE,
  type DeltaAmount,
  type EpsilonAmount,
  type FilterState,
  formatDelta,
  formatEpsilon,
  invalid,
  ledgerCaps,
  openingRule,
  openState,
  openTerms,
  type Rule,
  type Terms,
} from "@dosimeter/core";
import { change } from "../audit/change.ts";
import { images } from "../audit/image.ts";
import { blocksOfPopulation } from "../catalog/blocks.ts";
import { type Population, populationRow, toPopulation } from "../catalog/population.ts";
import { unitOf } from "../catalog/unit.ts";
import type { Context } from "../context.ts";
import { type PromisedRow, promised, SENTENCE } from "../release/release.ts";
import { rowsOf, rowWith } from "../stores/row.ts";
import type { Tx } from "../stores/store.ts";
import type { Tables } from "../stores/tables.ts";
import { found, ONE_LEDGER, vacant } from "../values/check.ts";
import { overText, type Unpaid, unpaidIn } from "../values/declared.ts";
import { type By, type LedgerId, newId, type PopulationId, type PrincipalId } from "../values/id.ts";
import { blocksOfTerms, type LedgerBlocks, parseCeiling, parseTerms, type Quota } from "../values/terms.ts";
import { lastEntrySeq, putEntries } from "./entry.ts";
import { allocatedOf, capsOf, quotaOf, stateOf } from "./node.ts";
import { firstGuarantee, newLedgerRow, openingEntry } from "./opening.ts";
import { guaranteeSentence } from "./sentence.ts";

/** The filter of one population. It alone carries the guarantee. */
export interface Ledger {
  readonly id: LedgerId;
  readonly population: PopulationId;
  readonly rule: Rule;
  /** The one rule in force now. */
  readonly activeRule: ActiveRule;
  /** Who switches `additionThenTight`: the dataset admin, or the first charge that fits only tight. */
  readonly policy: "ask" | "auto";
  readonly mode: "funded" | "overbooked";
  readonly status: "open" | "frozen";
  readonly terms: Terms;
  /** Version of the guarantee sentence in force. */
  readonly version: number;
  readonly sentence: string;
  /** Why it is frozen, where what was published before does not fit. */
  readonly over: string | null;
  /** The lifetime (ε, δ). */
  readonly quota: Quota;
  /** Declared at opening: it holds until the lifetime is raised past it. */
  readonly ceiling: Quota;
  /** Its blocks: lifetime, caps and quotas are those of each block, and `state` is the most that any has counted. null: it has none. */
  readonly blocks: LedgerBlocks | null;
  /** The sum of the quotas of the accounts directly below. */
  readonly allocated: Quota;
  readonly caps: Caps;
  readonly state: FilterState;
  /** Number of entries; the newest one's hash. */
  readonly entries: number;
  readonly head: string;
  readonly openedAt: string;
  readonly openedBy: PrincipalId;
}

interface NewLedger extends By {
  readonly population: PopulationId;
  readonly epsilon: EpsilonAmount;
  readonly delta: DeltaAmount;
  /** When absent: `addition` where the population has blocks, else `additionThenTight`. */
  readonly rule?: Rule | undefined;
  readonly deltaSelection?: DeltaAmount | undefined;
  /** At least the lifetime, which it is when absent. */
  readonly ceiling?: Quota | undefined;
  readonly policy?: Ledger["policy"] | undefined;
  readonly mode?: Ledger["mode"] | undefined;
}

/** Opens the one ledger of a population: its caps, the split of δ, its blocks and the sentence are fixed here. */
export function openLedger(context: Context, options: NewLedger): Promise<Ledger> {
  const { population, policy = "ask", mode = "funded", by } = options;
  const { now } = context.store;
  return change(context, async (tx, chain) => {
    const about = toPopulation(await populationRow(tx, population));
    vacant(await ledgerRowOf(tx, population), "ledger of the population", population, ONE_LEDGER);
    const blocks = await blocksOfPopulation(tx, population);
    const { terms, ceiling, sentence } = promiseOf(options, { about, blocks });
    const opening = { id: newId("ledger"), population, terms, ceiling, blocks, by, at: now() };
    const entry = openingEntry(context, opening, (await lastEntrySeq(tx)) + 1n);
    const state = openState(ledgerCaps(terms));
    const row = newLedgerRow(opening, {
      activeRule: openingRule(terms.rule),
      policy,
      mode,
      state,
      entries: 1,
      head: entry.hash,
    });
    const guarantee = firstGuarantee(opening, { sentence, reason: "opened" });
    await tx.db.insertInto("ledger").values(row).execute();
    await tx.db.insertInto("guarantee_version").values(guarantee).execute();
    await putEntries(tx, [entry]);
    const unit = await unitOf(tx, population);
    const detail = { entry: 1, entryHash: entry.hash, terms: row.terms, policy, mode, unit };
    chain.append({ actor: by, action: "ledger.open", ledger: row.id, detail, ...images.ledger(row) });
    chain.append({ actor: by, action: "guarantee.create", ledger: row.id, ...images.guarantee_version(guarantee) });
    return toLedger(row, { sentence: guarantee.sentence, over: null });
  });
}

export interface Promised {
  readonly terms: Terms;
  readonly ceiling: Quota;
  readonly blocks: LedgerBlocks | null;
  readonly sentence: string;
}

function promiseOf(
  options: Omit<NewLedger, "by">,
  { about, blocks }: { readonly about: Population; readonly blocks: LedgerBlocks | null },
): Promised {
  const terms = openTerms({
    epsilon: formatEpsilon(options.epsilon),
    delta: formatDelta(options.delta),
    rule: options.rule ?? (blocks === null ? DEFAULT_RULE : "addition"),
    adjacency: about.adjacency,
    ...(options.deltaSelection === undefined ? {} : { deltaSelection: formatDelta(options.deltaSelection) }),
  });
  const ceiling = checkCeiling(options.ceiling ?? terms, terms);
  if (blocks !== null) checkBlockTerms(terms);
  return { terms, ceiling, blocks, sentence: guaranteeSentence(terms, ceiling, { about, blocks }) };
}

/** The sentence that opening would give; changes nothing. CONFLICT when the population has a ledger already. */
export async function previewLedger({ store }: Context, options: Omit<NewLedger, "by">): Promise<Promised> {
  const tx = { db: store.read };
  const about = toPopulation(await populationRow(tx, options.population));
  vacant(await ledgerRowOf(tx, options.population), "ledger of the population", options.population, ONE_LEDGER);
  return promiseOf(options, { about, blocks: await blocksOfPopulation(tx, options.population) });
}

function checkCeiling({ epsilon, delta }: Quota, terms: Terms): Quota {
  if (epsilon < terms.epsilon || delta < terms.delta) {
    const got = `(${formatEpsilon(epsilon)}, ${formatDelta(delta)})`;
    invalid("ceiling", got, "at least the lifetime");
  }
  return { epsilon, delta };
}

export const toLedger = (row: Tables["ledger"], said: Pick<Ledger, "sentence" | "over">): Ledger => ({
  id: row.id,
  population: row.population_id,
  rule: row.rule,
  activeRule: row.active_rule,
  policy: row.policy,
  mode: row.mode,
  status: row.status,
  terms: parseTerms(row.terms),
  version: Number(row.version),
  ...said,
  quota: quotaOf(row),
  ceiling: parseCeiling(row.terms),
  blocks: blocksOfTerms(row.terms),
  allocated: allocatedOf(row),
  caps: capsOf(row),
  state: stateOf(row),
  entries: Number(row.entries),
  head: row.head_hash,
  openedAt: row.opened_at,
  openedBy: row.opened_by,
});

export async function ledgerRow({ db }: Pick<Tx, "db">, id: string): Promise<Tables["ledger"]> {
  return found(await rowWith(db, "ledger", { id }), "ledger", id);
}

export const ledgerRowOf = ({ db }: Pick<Tx, "db">, population: PopulationId) =>
  rowWith(db, "ledger", { population_id: population });

/** The sentence in force, with how many programs outside it relies on, and what it is not about, which is why it may be frozen. */
export async function sentenceOf(
  { db }: Pick<Tx, "db">,
  { id }: Tables["ledger"],
  unpaid?: Unpaid,
): Promise<Pick<Ledger, "sentence" | "over">> {
  const [row] = await rowsOf<PromisedRow>(db, SENTENCE, [id]);
  const said = found(row, "version", id);
  const over = unpaid ?? unpaidIn(said.freeze);
  return { sentence: promised(said, over).sentence, over: over === null ? null : overText(over) };
}

export async function ledger({ store }: Context, id: string): Promise<Ledger> {
  const row = await ledgerRow({ db: store.read }, id);
  return toLedger(row, await sentenceOf({ db: store.read }, row));
}

export async function ledgerOf({ store }: Context, population: PopulationId): Promise<Ledger | null> {
  const row = await ledgerRowOf({ db: store.read }, population);
  return row === undefined ? null : toLedger(row, await sentenceOf({ db: store.read }, row));
}

export async function ledgers({ store: { read } }: Context): Promise<readonly Ledger[]> {
  const rows = await read.selectFrom("ledger").selectAll().orderBy("opened_at").orderBy("id").execute();
  return Promise.all(rows.map(async (row) => toLedger(row, await sentenceOf({ db: read }, row))));
}
