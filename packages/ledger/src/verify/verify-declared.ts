import { type BlockRange, countedFor, countedTwice, type DpEvent, type priceEvents } from "@dosimeter/core";
import { isCertified } from "@dosimeter/core/accounting";
import { canonicalJson } from "@dosimeter/core/internal";
import { type Unit, unitWhenOpened } from "../catalog/unit.ts";
import type { Tx } from "../stores/store.ts";
import type { Tables } from "../stores/tables.ts";
import { type Declared, declaredIn, programOf, timesIn } from "../values/declared.ts";
import type { Json } from "../values/json.ts";
import { blocksOfTerms, parseTerms } from "../values/terms.ts";
import { type Report, readable } from "./verify-steps.ts";

type ChargeRow = Pick<Tables["charge"], "id" | "ledger_id" | "principal_id" | "key" | "status"> &
  Pick<Tables["entry"], "events">;

/** Checks in order that each charge of a program outside counts what it declares, and that the programs are counted. [M389] [M390] */
export async function declaredVerifier(db: Tx["db"], report: Report) {
  const ledgers = await db.selectFrom("ledger").select(["id", "terms"]).execute();
  const termsOf = new Map(ledgers.map(({ id, terms }) => [id, terms]));
  const rows = await db
    .selectFrom("declared_charge")
    .select(["charge_id", "ledger_id", "principal_id", "program", "programs"])
    .execute();
  const kept = new Map(rows.map((row) => [row.charge_id, row]));
  const known = new Map<string, Set<string>>();
  const units = new Map<string, Unit | null>();
  for (const id of new Set(rows.map(({ ledger_id }) => ledger_id)))
    units.set(id, await unitWhenOpened({ db }, id).catch(unreadableUnit));
  const countsAll = (
    ledger: string,
    events: string,
    { events: stated, relation }: Declared,
    window: readonly BlockRange[] = [],
  ): boolean =>
    readable(() => {
      const terms = termsOf.get(ledger as never) ?? "";
      const { adjacency } = parseTerms(terms);
      const times = timesIn(blocksOfTerms(terms), { unit: units.get(ledger) ?? null, window });
      const counted = countedFor(stated, relation, adjacency, times);
      return counts(JSON.parse(events) as DpEvent[], counted, adjacency);
    }) === true;
  return {
    charge(row: ChargeRow, request: Json, window?: readonly BlockRange[]): void {
      const declared = declaredIn(request);
      const own = kept.get(row.id);
      kept.delete(row.id);
      if ((declared === null) !== (row.status !== "declared") || (declared === null) !== (own === undefined))
        report("charge", row.id, "is declared, or not, against what its lease says");
      if (declared === null || own === undefined) return;
      const programs = known.get(row.ledger_id) ?? new Set<string>();
      known.set(row.ledger_id, programs.add(JSON.stringify([row.principal_id, programOf(row.key)])));
      if (
        own.programs !== BigInt(programs.size) ||
        own.program !== programOf(row.key) ||
        own.principal_id !== row.principal_id
      )
        report("declared_charge", row.id, "counts other programs than its ledger");
      if (!countsAll(row.ledger_id, row.events, declared, window))
        report("charge", row.id, "counts less than it declares");
    },
    /** What was published before, which no account has paid for. */
    publication(entry: Tables["entry"], hash: string): void {
      const declared = readable(() => declaredIn(JSON.parse(entry.request ?? "") as Json)) ?? null;
      const isCounted =
        declared !== null && entry.request_hash === hash && countsAll(entry.ledger_id, entry.events, declared);
      if (!isCounted)
        report("entry", `${entry.ledger_id}/${entry.number}`, "counts less than what was published, or something else");
    },
    close(): void {
      for (const id of kept.keys()) report("declared_charge", id, "belongs to no charge");
    },
  };
}

/** An edited line, which is reported as such: the unit that counts more. */
function unreadableUnit(error: unknown): null {
  if (error instanceof SyntaxError) return null;
  throw error;
}

/** The events themselves, or twice as a copy with blocks counts them [M168], or their ε at the δ that is charged. */
function counts(
  charged: readonly DpEvent[],
  declared: readonly DpEvent[],
  adjacency: Parameters<typeof priceEvents>[1],
): boolean {
  const text = canonicalJson(charged as unknown as Json);
  if ([declared, countedTwice(declared)].some((same) => canonicalJson(same as unknown as Json) === text)) return true;
  const [only, other] = charged;
  return only !== undefined && other === undefined && isCertified(declared, only, adjacency);
}
