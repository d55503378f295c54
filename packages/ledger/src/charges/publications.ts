import {
  type Adjacency,
  admit,
  type DeltaAmount,
  type EpsilonAmount,
  formatDelta,
  formatEpsilon,
  formatMu2,
  invalid,
  leastMu2,
  type Mu2Amount,
  type Mu2Quote,
  type Price,
  PrivacyError,
  priceEvents,
} from "@dosimeter/core";
import { canonicalJson } from "@dosimeter/core/internal";
import type { Writing } from "../audit/chain.ts";
import { change } from "../audit/change.ts";
import { images } from "../audit/image.ts";
import type { Context } from "../context.ts";
import { appendEntry, publicationHash } from "../ledger/entry.ts";
import { type Ledger, ledgerRow, sentenceOf, toLedger } from "../ledger/ledger.ts";
import { admissionTermsOf, nodeOf, stateColumns } from "../ledger/node.ts";
import { needsQuotes, putQuotes } from "../ledger/plan-quote.ts";
import { refusalOf } from "../ledger/refusal.ts";
import { freezeRow, isUnproven, missingOf } from "../restore/restore-gap.ts";
import { rowWith } from "../stores/row.ts";
import type { Tables } from "../stores/tables.ts";
import { usedKey } from "../values/check.ts";
import { checkDeclared, type Declared, overText, statedIn, type Unpaid } from "../values/declared.ts";
import type { By, LedgerId } from "../values/id.ts";
import { parseTerms, refuseBlocks } from "../values/terms.ts";
import { countedOn } from "./counted-on.ts";
import { isCompound } from "./plan.ts";

/** What was published before its ledger was opened, or without it. */
export interface Publication extends Declared {
  readonly key: string;
  readonly published: NonNullable<Declared["published"]>;
}

export interface Imported {
  readonly ledger: Ledger;
  readonly imported: number;
  /** Known from an earlier import, by their keys. */
  readonly repeated: number;
  /** What does not fit, where that froze the ledger. */
  readonly over: string | null;
}

const MAX_ROWS = 1000;

/** How often rows are priced again because of charges that came between. */
const TRIES = 4;

/**
 * Counts on a ledger, and on no account, what was spent before it or without it, each once by its key. What does not fit freezes it as over its
 * lifetime: once that is raised, to import the same rows counts them and opens it. [M391] CONFLICT on a ledger that is frozen for another
 * reason, or has blocks.
 */
export async function importPublications(
  context: Context,
  { ledger: id, rows, by }: By & { readonly ledger: LedgerId; readonly rows: readonly Publication[] },
): Promise<Imported> {
  for (let attempt = 1; attempt <= TRIES; attempt++) {
    const ledger = await importable(context, id, rows);
    const lines: Line[] = [];
    for (const [index, row] of rows.entries()) lines.push(await lineOf(context, ledger, row, index));
    refuseTwoTexts(lines);
    const decided = await decisionsOf(context, { ledger, by, lines });
    const priced = lines.map((line) => ({ ...line, quotes: decided.get(line)?.quotes ?? [] }));
    const counting = { ledger, by, lines: priced };
    const imported = await change(context, (tx, chain) => count(context, { tx, chain }, counting));
    if (imported !== null) return imported;
  }
  throw new PrivacyError("CONFLICT", { name: "ledger", got: "charged meanwhile", want: "imported into again" });
}

async function importable(context: Context, id: LedgerId, rows: readonly Publication[]): Promise<Tables["ledger"]> {
  if (rows.length === 0 || rows.length > MAX_ROWS) invalid("rows", `${rows.length}`, `1 to ${MAX_ROWS}`);
  const ledger = await ledgerRow({ db: context.store.read }, id);
  refuseBlocks(ledger.terms, "here each publication is charged to an account, with the blocks that it is about");
  return ledger;
}

/** What an import would do with a row; `problem`: why it takes none of them. */
export interface QuotedPublication {
  readonly outcome: "counted" | "known" | "over" | "problem";
  readonly price: {
    readonly epsilon: EpsilonAmount | null;
    readonly delta: DeltaAmount;
    readonly mu2: Mu2Amount | null;
  } | null;
  readonly problem: PrivacyError | null;
}

/** Decides each row as `importPublications` would now, and writes nothing. */
export async function quotePublications(
  context: Context,
  { ledger: id, rows, by }: By & { readonly ledger: LedgerId; readonly rows: readonly Publication[] },
): Promise<readonly QuotedPublication[]> {
  const ledger = await importable(context, id, rows);
  const read: (Line | PrivacyError)[] = [];
  for (const [index, row] of rows.entries()) {
    const line = await lineOf(context, ledger, row, index).catch((error: unknown) => {
      if (error instanceof PrivacyError) return error;
      throw error;
    });
    const first = read.find((one): one is Line => !(one instanceof PrivacyError) && one.key === row.key);
    const isOther = !(line instanceof PrivacyError) && first !== undefined && first.hash !== line.hash;
    read.push(isOther ? usedKey(row.key) : line);
  }
  const lines = read.filter((line): line is Line => !(line instanceof PrivacyError));
  const decided = await decisionsOf(context, { ledger, by, lines });
  const problemOf = (problem: PrivacyError) => ({ outcome: "problem", price: null, problem }) as const;
  return read.map((line) => {
    if (line instanceof PrivacyError) return problemOf(line);
    const decision = decided.get(line)?.decision ?? "known";
    if (typeof decision === "string")
      return {
        outcome: decision === "known" ? decision : "problem",
        price: null,
        problem: decision === "known" ? null : usedKey(line.key),
      };
    if (!decision.admitted && isUnpriced(decision.price)) return problemOf(refusalOf(ledger, [ledger], decision));
    const { epsilon, delta, mu2 } = decision.price;
    const price = { epsilon, delta, mu2: mu2 === null ? null : leastMu2(mu2) };
    return { outcome: decision.admitted ? "counted" : "over", price, problem: null };
  });
}

interface Counting extends By {
  /** As it was when the lines were priced. */
  readonly ledger: Tables["ledger"];
  readonly lines: readonly Line[];
}

/** Null where the prices of plans are those of another state. */
async function count(
  context: Context,
  { tx, chain }: Writing,
  { ledger: { id, ...priced }, by, lines }: Counting,
): Promise<Imported | null> {
  let row = await ledgerRow(tx, id);
  const hasQuotes = lines.some(({ quotes }) => quotes.length > 0);
  const isStale = row.active_rule !== priced.active_rule || row.terms !== priced.terms;
  if (isStale || (hasQuotes && row.state_remaining_mu2 !== priced.state_remaining_mu2)) return null;
  const unpaid = row.status === "open" ? null : await missingOf(tx, id);
  if (unpaid !== null) refuseOtherFreeze(unpaid, lines);
  const over: Line[] = [];
  let [imported, repeated] = [0, 0];
  for (const line of lines) {
    const { key, events, text, hash, quotes } = line;
    const known = await rowWith(tx.db, "entry", { principal_id: by, key });
    if (known !== undefined && known.request_hash !== hash) throw usedKey(key);
    if (known !== undefined) {
      repeated += 1;
      continue;
    }
    const decision = admit(admissionTermsOf(row), [nodeOf(row)], events, quotes);
    const [state] = decision.admitted ? decision.states : [];
    if (!decision.admitted || state === undefined) {
      if (decision.admitted || isUnpriced(decision.price))
        throw decision.admitted ? new PrivacyError("INTERNAL") : refusalOf(row, [row], decision);
      over.push(line);
      continue;
    }
    const { activeRule: active_rule, price } = decision;
    const left = { active_rule, events, price, remaining_mu2_after: state.mu2 };
    const said = { key, request: text, request_hash: hash };
    const entry = await appendEntry(context, tx, row, { kind: "writeOff", principal_id: by, ...left, ...said });
    const paid = quotes.filter(({ before }) => before === row.state_remaining_mu2);
    await putQuotes({ tx, chain }, { entry: entry.seq, quotes: paid, actor: by, ledger: id });
    row = { ...row, ...stateColumns(state), active_rule, entries: entry.number, head_hash: entry.hash };
    const detail = { entry: Number(entry.number), entryHash: entry.hash, key };
    chain.append({ actor: by, action: "ledger.publication", subject: id, ledger: id, detail });
    imported += 1;
  }
  const published = over.length === 0 ? null : unpaidOf(over, parseTerms(row.terms).adjacency);
  const isOpen = published === null && (unpaid === null || !(isUnproven(unpaid) || unpaid.isImported));
  if (isOpen) row = { ...row, status: "open" };
  const { active_rule, state_epsilon, state_delta, state_remaining_mu2, entries, head_hash, status } = row;
  const set = { active_rule, state_epsilon, state_delta, state_remaining_mu2, entries, head_hash, status };
  await tx.db.updateTable("ledger").set(set).where("id", "=", id).execute();
  const reason = published === null ? "what was published before is counted" : overText(published);
  if (!isOpen) row = await freezeRow({ tx, chain }, row, { by, reason, published });
  else if (unpaid !== null)
    chain.append({ actor: by, action: "ledger.reopen", ledger: id, detail: { reason }, ...images.ledger(row) });
  const said = await sentenceOf(tx, row, published ?? undefined);
  return { ledger: toLedger(row, said), imported, repeated, over: published === null ? null : reason };
}

/** CONFLICT where it is not frozen for what was published; INVALID_PARAMETER without a row of that. */
function refuseOtherFreeze({ published }: { readonly published: Unpaid | null }, lines: readonly Line[]): void {
  if (published === null) throw new PrivacyError("CONFLICT", { name: "ledger", got: "frozen", want: "open" });
  const lacking = published.rows.find((row) => !lines.some(({ key, hash }) => key === row.key && hash === row.hash));
  if (lacking !== undefined) invalid("rows", `without ${lacking.key} as it was`, "all that did not fit, as they were");
}

function refuseTwoTexts(lines: readonly Line[]): void {
  const known = new Map<string, string>();
  for (const { key, hash } of lines) {
    if ((known.get(key) ?? hash) !== hash) throw usedKey(key);
    known.set(key, hash);
  }
}

/** A thousand rows take seconds: requests go through between two. */
const othersFirst = () => new Promise((resume) => setImmediate(resume));

interface Decided {
  readonly quotes: readonly Mu2Quote[];
  /** `known`: counted before; `other`: its key was, for something else. */
  readonly decision: ReturnType<typeof admit> | "known" | "other";
}

/** Of each row, one after another from the state of the ledger, with the prices of those that are plans. [M150] */
async function decisionsOf(context: Context, { ledger, by, lines }: Counting): Promise<ReadonlyMap<Line, Decided>> {
  let [node, terms] = [nodeOf(ledger), admissionTermsOf(ledger)];
  const decided = new Map<Line, Decided>();
  const seen = new Set<string>();
  for (const line of lines) {
    await othersFirst();
    const { events, key, hash } = line;
    const known = await rowWith(context.store.read, "entry", { principal_id: by, key });
    if (known !== undefined || seen.has(key)) {
      const isOther = known !== undefined && known.request_hash !== hash;
      decided.set(line, { quotes: [], decision: isOther ? "other" : "known" });
      continue;
    }
    seen.add(key);
    const isPlan = isCompound({ events }) && needsQuotes(terms, [node], events);
    const quotes = isPlan ? await context.quotes([node], events, terms.adjacency) : [];
    const decision = admit(terms, [node], events, quotes);
    decided.set(line, { quotes, decision });
    if (!decision.admitted) continue;
    const [state = node.state] = decision.states;
    node = { ...node, state };
    terms = { ...terms, activeRule: decision.activeRule };
  }
  return decided;
}

interface Line {
  readonly key: string;
  readonly events: Awaited<ReturnType<typeof countedOn>>["events"];
  readonly text: string;
  readonly hash: string;
  readonly quotes: readonly Mu2Quote[];
}

async function lineOf(
  context: Context,
  ledger: Tables["ledger"],
  { key, ...given }: Publication,
  index: number,
): Promise<Line> {
  await othersFirst();
  try {
    if (key.length < 1 || key.length > 200) invalid("key", key.length, "1 to 200 characters");
    const declared = checkDeclared(given);
    if (declared.published === undefined || declared.published.on > context.store.now().slice(0, 10))
      invalid("published.on", declared.published?.on, "a day that has come");
    const { events } = await countedOn(context, declared, { ledger, room: ledger.cap_delta });
    const text = canonicalJson(statedIn(declared));
    return { key, events, text, hash: publicationHash(context, ledger.id, text), quotes: [] };
  } catch (error) {
    if (!(error instanceof PrivacyError)) throw error;
    const { name, ...facts } = error.details;
    throw new PrivacyError(error.code, { ...facts, name: `rows[${index}]${name === undefined ? "" : `.${name}`}` });
  }
}

const isUnpriced = ({ epsilon, mu2 }: Price): boolean => epsilon === null && mu2 === null;

/** Of all of them together: their ε, or the least μ² that pays them where one has none. */
function unpaidOf(over: readonly Line[], adjacency: Adjacency): Unpaid {
  const { epsilon, delta, mu2 } = priceEvents(
    over.flatMap(({ events }) => events),
    adjacency,
  );
  const least = mu2 === null ? null : leastMu2(mu2);
  const loss = [
    epsilon === null
      ? least === null
        ? "more than any lifetime"
        : `μ² = ${formatMu2(least)}`
      : `ε = ${formatEpsilon(epsilon)}`,
    ...(delta > 0n ? [`δ = ${formatDelta(delta)}`] : []),
  ];
  return { rows: over.map(({ key, hash }) => ({ key, hash })), amounts: loss.join(", ") };
}
