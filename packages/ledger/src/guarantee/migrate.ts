import {
  blockAt,
  type CalendarUnit,
  checkBlockTerms,
  formatDate,
  formatDelta,
  formatEpsilon,
  invalid,
  openingRule,
  PrivacyError,
  readPeriod,
  type Terms,
} from "@dosimeter/core";
import { change } from "../audit/change.ts";
import { populationRow, toPopulation } from "../catalog/population.ts";
import { unitWhenOpened } from "../catalog/unit.ts";
import type { Context } from "../context.ts";
import { firstTerms } from "../ledger/first-terms.ts";
import { type Ledger, ledgerRow, sentenceOf, toLedger } from "../ledger/ledger.ts";
import { migratedSentence } from "../ledger/sentence.ts";
import { LOST } from "../release/lost.ts";
import type { Tx } from "../stores/store.ts";
import type { Tables } from "../stores/tables.ts";
import { checkName } from "../values/check.ts";
import type { By, LedgerId } from "../values/id.ts";
import {
  blocksOfTerms,
  checkLedgerBlocks,
  type Earlier,
  type LedgerBlocks,
  parseCeiling,
  parseTerms,
} from "../values/terms.ts";
import { applyVersion } from "./amend.ts";
import { hasSecond } from "./amendment.ts";
import { openAsks, otherAsker } from "./asks.ts";

interface Migrating extends By {
  readonly ledger: LedgerId;
  readonly every: CalendarUnit;
  readonly zone: string;
  /** The last block of which rows may have been measured, such as 2026-12; the one that has begun when absent, and at least that one. */
  readonly through?: string | undefined;
  /** Whether nothing more is asked about the blocks through that one. */
  readonly isClosed?: boolean | undefined;
  readonly reason: string;
}

/**
 * Gives a ledger blocks: from here on each period has the lifetime for itself, and those of which rows may have been measured have paid for it. A
 * second person asks for the same; until then nothing changes, unless no one could be that person. Declarations with these blocks come
 * afterwards. CONFLICT where it cannot have them, or what was spent has no room; FORBIDDEN for a platform admin before an admin of the datasets. [M168]
 * [M305]
 */
export function migrateLedger(context: Context, migrating: Migrating): Promise<Ledger> {
  const { ledger: id, reason, by } = migrating;
  return change(context, async (tx, chain) => {
    const row = await ledgerRow(tx, id);
    const terms = await migratable(tx, row);
    const at = context.store.now();
    const earlier = earlierOf(row, migrating, { at, unit: await unitWhenOpened(tx, id) });
    const blocks: LedgerBlocks = { ...checkLedgerBlocks(migrating), earlier };
    const asked = askedOf(row, migrating);
    const isSame = (detail: string) => sameRequest(JSON.parse(detail), asked);
    const first = await otherAsker(tx, { ledger: id, action: ASK }, { by, isSame });
    if (first === null && (await hasSecond(tx, id, by))) {
      const detail = { ...asked, reason: checkName(reason, "reason") };
      chain.append({ actor: by, action: ASK, subject: id, ledger: id, detail });
      return toLedger(row, await sentenceOf(tx, row));
    }
    const about = toPopulation(await populationRow(tx, row.population_id));
    const text = migratedSentence(terms, { about, blocks });
    const people = first === null ? { by, second: null } : { by: first, second: by };
    const ceiling = { epsilon: terms.epsilon, delta: terms.delta };
    const version = { ...people, ledger: row, terms, ceiling, blocks, text, reason: checkName(reason, "reason") };
    const after = await applyVersion(context, { tx, chain }, { ...version, action: "ledger.migrate", want: WANT, at });
    return toLedger(after, { sentence: text, over: null });
  });
}

const ASK = "ledger.migrateAsk";
const WANT =
  "room for what was spent, which counts twice in each block through the last one that was measured: raise the lifetime first, or close these blocks";

/** The terms, which stay. CONFLICT where a ledger cannot have blocks. */
async function migratable(tx: Tx, row: Tables["ledger"]): Promise<Terms> {
  const refuse = (name: string, got: string, want: string): never => {
    throw new PrivacyError("CONFLICT", { name, got, want });
  };
  if (blocksOfTerms(row.terms) !== null) refuse("ledger.blocks", "there", "a ledger without blocks");
  if (row.status !== "open") refuse("ledger", row.status, "open");
  const terms = parseTerms(row.terms);
  if (row.active_rule !== openingRule(terms.rule))
    refuse(
      "rule",
      row.active_rule,
      "a ledger that has not switched its rule: its blocks would have switched without a charge",
    );
  checkBlockTerms({ ...terms, rule: row.active_rule });
  const { epsilon, delta } = await firstTerms(tx, row.id);
  const ceiling = parseCeiling(row.terms);
  if (ceiling.epsilon > epsilon || ceiling.delta > delta)
    refuse(
      "ceiling",
      `(${formatEpsilon(ceiling.epsilon)}, ${formatDelta(ceiling.delta)})`,
      "the lifetime at opening: a higher one was promised to each person through every raise up to it",
    );
  const cap = await tx.db
    .selectFrom("account")
    .select("id")
    .where("ledger_id", "=", row.id)
    .where("kind", "=", "cap")
    .where("status", "<>", "closed")
    .executeTakeFirst();
  if (cap !== undefined) refuse("account", cap.id, "closed first: a cap is not counted block by block");
  const waiting = await tx.db
    .selectFrom("charge")
    .select("id")
    .where("ledger_id", "=", row.id)
    .where("status", "=", "charged")
    .where("lease_owner", "<>", LOST)
    .executeTakeFirst();
  if (waiting !== undefined)
    refuse("charge", waiting.id, "answered first: it would read rows of blocks that did not pay");
  return terms;
}

/** What each block counts of the time before: those that have begun, and as far ahead as the owner says. */
function earlierOf(
  { version }: Tables["ledger"],
  { every, zone, through, isClosed = false }: Migrating,
  { at, unit }: { readonly at: string; readonly unit: "row" | "column" | null },
): Earlier {
  checkLedgerBlocks({ every, zone });
  const begun = blockAt({ every, zone }, Date.parse(at) / 1000);
  // A row comes or goes as a whole; a person's rows of one block leave the others behind.
  const times = isClosed || unit === "row" ? 1 : 2;
  const last = through === undefined ? begun : namedOrLater(through, every, begun);
  return { version: Number(version), through: last, times, isClosed };
}

function namedOrLater(text: string, every: CalendarUnit, begun: number): number {
  const read = readPeriod(text);
  return read?.unit === every && read.period >= begun
    ? read.period
    : invalid("through", text, `a ${every} such as ${formatDate(begun, every)}, or a later one`);
}

interface MigrationRequest {
  readonly base: number;
  readonly every: string;
  readonly zone: string;
  readonly through: string | null;
  readonly isClosed: boolean;
}

const askedOf = (
  { version }: Tables["ledger"],
  { every, zone, through, isClosed = false }: Migrating,
): MigrationRequest => ({
  base: Number(version),
  every,
  zone,
  through: through ?? null,
  isClosed,
});

const sameRequest = (before: MigrationRequest, asked: MigrationRequest): boolean =>
  (Object.keys(asked) as (keyof MigrationRequest)[]).every((name) => before[name] === asked[name]);

/** Whether an admin asks for blocks under the version in force, and a second person has not. */
export async function isMigrationAsked({ store: { read } }: Context, ledger: LedgerId): Promise<boolean> {
  const { version, terms } = await ledgerRow({ db: read }, ledger);
  if (blocksOfTerms(terms) !== null) return false;
  const asks = await openAsks({ db: read }, { ledger, action: ASK });
  return asks.some(({ detail }) => (JSON.parse(detail) as MigrationRequest).base === Number(version));
}
