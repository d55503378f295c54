import { followBlocks } from "./block-ledger.ts";
import { type Blocks, blocksOf, checkMigration, earlierRange, sameBlocks } from "./blocks.ts";
import { isPeriod } from "./calendar.ts";
import type { Vouched } from "./chain.ts";
import { type Charged, type Charging, chargedBy } from "./charge.ts";
import { deriveBy, type PlanAccountant, type Question } from "./derive.ts";
import { type Row, sha256 } from "./export.ts";
import { priceOf, repeatLimit } from "./price.ts";
import { followPrograms, type Program } from "./programs.ts";
import { attempt, type Report } from "./report.ts";
import { mayFollow, ruleOf } from "./rules.ts";
import { followSteps } from "./steps.ts";
import { checkTerms, hasFallen, sameTerms, type Terms, termsOf, units } from "./terms.ts";
import { type Follower, followWhole, sumColumns } from "./whole.ts";
import { windowsOf } from "./windows.ts";

export interface Ledger {
  readonly terms: Terms;
  readonly activeRule: string;
  readonly charges: readonly Charged[];
  /** Charges with a price for their whole plan: how many were derived again, and how many are taken over. */
  readonly plans: { readonly derived: number; readonly takenOver: number };
  readonly programs: readonly Program[];
  /** Where the stretches of alike blocks begin; null where the ledger has no blocks. */
  readonly cuts: readonly number[] | null;
}

export interface LedgerRows {
  readonly ledger: Row;
  readonly versions: readonly Row[];
  readonly entries: readonly Row[];
  readonly quotes: readonly Row[];
  readonly pieces: readonly Row[];
  /** What the ledger and its accounts have counted in their blocks. */
  readonly runs: readonly Row[];
}

const GENESIS = "0".repeat(64);

/** The promise of each version, then every entry: its place in the chain, its price, what it left, and the caps after it. */
export async function checkLedger(
  rows: LedgerRows,
  vouched: Vouched,
  { report, accountant }: { readonly report: Report; readonly accountant: PlanAccountant | null },
): Promise<Ledger> {
  const { ledger, versions, entries } = rows;
  const quotesOf = Map.groupBy(rows.quotes, ({ entry_seq }) => entry_seq);
  const blocks = blocksOf(ledger.terms ?? "{}");
  const say = (problem: string): void => report("ledger", problem);
  if (blocks !== null && !isPeriod(blocks.every))
    say(`has blocks of a ${blocks.every}, which this check does not know`);
  const windows = await windowsOf({ ...rows, earlier: blocks === null ? [] : earlierRange(blocks) }, vouched, report);
  const mayRepeat = repeatLimit(say);
  const steps = followSteps(blocks);
  const programs = followPrograms({ blocks, unit: vouched.unit });
  const charges: Charged[] = [];
  let version = 0;
  const derive = deriveBy(accountant);
  let terms = termsOf(versions[0]?.terms ?? "{}");
  checkTerms(terms, report);
  let [number, last, activeRule]: [bigint, string, string] = [0n, GENESIS, ruleOf(terms.rule).opens];
  const follow = (text: string | null | undefined, says: (problem: string) => void): Follower =>
    blocks === null || blocksOf(text ?? "{}") === null
      ? followWhole(terms)
      : followBlocks({ blocks, terms, activeRule, cuts: windows.cuts, earlier: charges, say: says });
  let followed = follow(versions[0]?.terms, say);
  const read = async (entry: Row, says: (problem: string) => void): Promise<void> => {
    number += 1n;
    if (entry.number !== String(number)) says(`should be entry ${number}: entries are missing`);
    await checkPlace(entry, last, { vouched, says });
    last = entry.hash ?? "";
    number = units(entry.number) ?? 0n;
    if (!mayFollow(terms.rule, activeRule, entry.active_rule))
      says(`has the rule ${entry.active_rule} in force after ${activeRule}`);
    activeRule = entry.active_rule ?? activeRule;
    if (entry.kind === "amend") {
      version += 1;
      const [before, text] = [versions[version - 1]?.terms ?? "{}", versions[version]?.terms ?? "{}"];
      const getsBlocks = blocks !== null && blocksOf(before) === null && blocksOf(text) !== null;
      terms = await amendedTo(
        entry,
        { before, text, blocks: getsBlocks ? blocks : blocksOf(before) },
        { report, says },
      );
      if (getsBlocks) {
        checkMigration(blocks, { entry, version, unit: vouched.unit }, says);
        for (const [at, charge] of charges.entries()) charges[at] = earlierOn(blocks, charge, { terms, mayRepeat });
        followed = follow(text, says);
      } else followed.raise(entry, terms, says);
    }
    if (entry.kind !== "charge" && entry.kind !== "writeOff") return;
    const quotes = quotesOf.get(entry.seq ?? null) ?? [];
    const charging = { terms, quotes, ranges: windows.rangesOf(entry), mayRepeat };
    const charged = chargedBy(entry, charging, says);
    const certified = await programs.charge(entry, charging, says);
    const paid = quotes.map(paidFor(charged, terms.adjacency));
    derive.charge(certified === null ? paid : [...paid, certified], says);
    charges.push(charged);
    if (entry.kind === "writeOff") steps.writeOff();
    else steps.charge(entry, charged, says);
    const pieces = windows.pieces.get(entry.seq) ?? [];
    followed.charge(entry, charged, { activeRule, pieces, say: says });
  };
  for (const entry of entries) {
    const where = `entry ${entry.number}`;
    await attempt(where, report, () => read(entry, (problem) => report(where, problem)));
  }
  checkEnd({ rows, version, number, last, activeRule }, vouched, report);
  const own = rows.runs.filter(({ node_id }) => node_id === ledger.id);
  await attempt("ledger", report, () => checkSums(ledger, followed.close(own, say), say));
  return {
    terms,
    activeRule,
    charges,
    plans: derive.charges,
    programs: programs.programs(),
    cuts: blocks === null ? null : windows.cuts,
  };
}

const paidFor =
  (charged: Charged, adjacency: string) =>
  (row: Row): Question =>
  (by) =>
    by.isPaid(charged.events, adjacency, stepOf(row));

function checkSums(ledger: Row, counted: ReturnType<Follower["close"]>, say: (problem: string) => void): void {
  for (const { name, column, words } of sumColumns)
    if (units(ledger[column]) !== counted[name]) say(`has another ${words} than its entries add up to`);
}

const stepOf = ({ remaining_mu2_before, remaining_mu2_after, slack }: Row) => ({
  before: remaining_mu2_before ?? "",
  after: remaining_mu2_after ?? "",
  slack: slack ?? "",
});

interface Saying {
  readonly says: (problem: string) => void;
}

async function checkPlace(
  entry: Row,
  last: string,
  { vouched, says }: Saying & { readonly vouched: Vouched },
): Promise<void> {
  if (entry.prev_hash !== last) says("does not hang on the entry before it");
  if (entry.hash !== (await sha256(textOf(entry)))) says("has another hash than its text");
  if (!vouched.entries.has(entry.hash ?? "")) says("is unknown to the audit chain");
}

/** The terms of a new version: nothing falls, and blocks stay what they are. */
async function amendedTo(
  entry: Row,
  { before, text, blocks }: { readonly before: string; readonly text: string; readonly blocks: Blocks | null },
  { report, says }: Saying & { readonly report: Report },
): Promise<Terms> {
  if (entry.request_hash !== (await sha256(text))) says("amends to other terms than its version");
  const [now, next] = [termsOf(before), termsOf(text)];
  if (hasFallen(now, next)) says("lowers what was promised");
  if (blocksOf(before) === null && blocks !== null && !sameTerms(now, next))
    says("has other terms than the ledger before it");
  if (!sameBlocks(blocksOf(text), blocks)) says("has other blocks than its ledger");
  checkTerms(next, report);
  return next;
}

/** A charge from before there were blocks, as they count it. [M168] */
function earlierOn(
  blocks: Blocks,
  charge: Charged,
  { terms: { adjacency }, mayRepeat }: Pick<Charging, "terms" | "mayRepeat">,
): Charged {
  if (charge.events.length === 0) return charge;
  const ranges = earlierRange(blocks);
  if (blocks.earlier?.times !== 2) return { ...charge, ranges };
  const counted = priceOf(charge.events, adjacency, { units: 2n, mayRepeat });
  return { ...charge, ranges, counted: { ...counted, quotes: [] } };
}

interface End {
  readonly rows: LedgerRows;
  readonly version: number;
  readonly number: bigint;
  readonly last: string;
  readonly activeRule: string;
}

function checkEnd({ rows, version, number, last, activeRule }: End, vouched: Vouched, report: Report): void {
  const { ledger, versions, entries } = rows;
  const hashes = new Set(entries.map(({ hash }) => hash));
  for (const hash of vouched.entries) if (!hashes.has(hash)) report("entry", `with the hash ${hash} is missing`);
  if (versions.length !== version + 1 || ledger.version !== String(version + 1))
    report("ledger", "has other versions than its entries");
  if (ledger.terms !== versions[version]?.terms) report("ledger", "has other terms than its version");
  if (String(number) !== ledger.entries || last !== ledger.head_hash)
    report("ledger", "has another head than its entries");
  if (activeRule !== ledger.active_rule) report("ledger", "has another rule in force than its entries");
}

const textOf = (row: Row): string =>
  JSON.stringify([
    row.prev_hash,
    row.ledger_id,
    row.number,
    row.kind,
    row.charge_id,
    row.account_id,
    row.principal_id,
    row.dataset_id,
    row.active_rule,
    row.events,
    row.price_epsilon,
    row.price_delta,
    row.remaining_mu2_before,
    row.remaining_mu2_after,
    row.key,
    row.request_hash,
    row.at,
  ]);
