import { PrivacyError } from "@dosimeter/core";
import { type Population, toPopulation } from "../catalog/population.ts";
import { type Unit, unitOf } from "../catalog/unit.ts";
import { raisedBy, raiseTo } from "../guarantee/amend.ts";
import { amendedSentence, guaranteeSentence, migratedSentence } from "../ledger/sentence.ts";
import type { Tx } from "../stores/store.ts";
import type { Tables } from "../stores/tables.ts";
import type { LedgerId } from "../values/id.ts";
import { blocksOfTerms, parseCeiling, parseTerms } from "../values/terms.ts";

/** The people whom a ledger of another database protects. */
export interface CopiedPopulation extends Pick<Population, "name" | "privacyUnit" | "adjacency"> {
  readonly unit: Unit | null;
}

/** One version of its promise: the terms as stored, and whether any answer had been paid for before it. */
export interface CopiedVersion {
  readonly terms: string;
  readonly answersSeen: boolean;
}

/** The source of a copy: its ledger up to a line, and the ledgers of which that was a copy, up to theirs. */
export interface Origin {
  readonly ledger: string;
  /** Hash of its newest line. */
  readonly entry: string;
}

/** CONFLICT unless both protect the same: neighbour relation, rows or people of a column, and the name of the unit. */
export async function refuseOtherPeople(
  tx: Tx,
  row: Tables["population"],
  theirs: CopiedPopulation,
): Promise<{ readonly about: Population; readonly unit: Unit }> {
  const about = toPopulation(row);
  const unit = await unitOf(tx, row.id);
  const differs = (name: string, got: unknown, want: string | null) => {
    if (got === want && want !== null) return;
    throw new PrivacyError("CONFLICT", { name, got, want: want ?? "declared" });
  };
  differs("adjacency", theirs.adjacency, about.adjacency);
  differs("population.unit", theirs.unit, unit);
  differs("population.privacyUnit", theirs.privacyUnit, about.privacyUnit);
  if (unit === null) throw new PrivacyError("CONFLICT", { name: "population.unit", want: "declared" });
  return { about, unit };
}

/** The sentence of the newest version for these people. [M13] [M22] [M168] */
export function copiedSentence(
  versions: readonly CopiedVersion[],
  about: Pick<Population, "name" | "privacyUnit">,
): string {
  const [first, last, before] = [versions[0], versions.at(-1), versions.at(-2)];
  if (first === undefined || last === undefined)
    throw new PrivacyError("CONFLICT", { name: "versions" }, "the copy promises nothing");
  const terms = parseTerms(last.terms);
  const blocks = blocksOfTerms(last.terms);
  const said = { about, blocks };
  if (before === undefined) return guaranteeSentence(terms, parseCeiling(last.terms), said);
  if (blocks !== null && blocksOfTerms(before.terms) === null) return migratedSentence(terms, { ...said, blocks });
  const { answersSeen } = last;
  const ceiling = blocks?.earlier === undefined ? parseCeiling(first.terms) : null;
  const amended = raisedBy(
    { current: parseTerms(before.terms), first: parseTerms(first.terms), ceiling },
    raiseTo(terms),
    answersSeen,
  );
  return amendedSentence(amended, { ...said, answersSeen });
}

/** Refuses a copy of a ledger that is already here, because its budget would exist twice. */
export async function refuseSecondCopy({ db }: Tx, origins: readonly Origin[]): Promise<void> {
  const ids = origins.map(({ ledger }) => ledger as LedgerId); // of another database, or of this one
  const here = await db.selectFrom("ledger").select(["id", "status", "head_hash"]).where("id", "in", ids).execute();
  for (const { id, status, head_hash } of here) {
    const isSame = origins.some(({ ledger, entry }) => ledger === id && entry === head_hash);
    if (status !== "frozen" || !isSame)
      throw new PrivacyError(
        "CONFLICT",
        { name: "ledger", got: id },
        status === "frozen"
          ? `ledger ${id} is here and has gone on since this export: export it again`
          : `ledger ${id} is here and open: two that both spend give these people's budget twice; freeze it first`,
      );
    const readings = db
      .selectFrom("cap_reading")
      .innerJoin("account", "account.id", "cap_reading.account_id")
      .select("cap_reading.entry_seq")
      .where("account.ledger_id", "=", id);
    const open = db.selectFrom("public_answer").select("entry_seq").where("ledger_id", "=", id);
    if ((await readings.union(open).executeTakeFirst()) !== undefined)
      throw new PrivacyError(
        "CONFLICT",
        { name: "ledger", got: id },
        `ledger ${id} is here and people have read under caps of it, or its public pages, which a copy would forget`,
      );
  }
  const known = new Set<string>(ids);
  for (const { into, of } of await copiesHere(db)) {
    const twice = of.find(({ ledger }) => known.has(ledger));
    if (twice !== undefined && !known.has(into))
      throw new PrivacyError(
        "CONFLICT",
        { name: "ledger", got: twice.ledger },
        `ledger ${twice.ledger} was imported here before, as ${into}`,
      );
  }
}

/** CONFLICT when a copy of this ledger has replaced it here. */
export async function refuseMoved({ db }: Tx, ledger: LedgerId): Promise<void> {
  const copy = (await copiesHere(db)).find(({ of }) => of.some((origin) => origin.ledger === ledger));
  if (copy !== undefined)
    throw new PrivacyError(
      "CONFLICT",
      { name: "ledger", got: ledger },
      `this ledger goes on as ${copy.into}: opened again, both would spend the same budget`,
    );
}

async function copiesHere(db: Tx["db"]): Promise<readonly { readonly into: string; readonly of: readonly Origin[] }[]> {
  const lines = await db
    .selectFrom("audit")
    .select(["ledger_id", "detail"])
    .where("action", "=", "ledger.import")
    .execute();
  return lines.map(({ ledger_id, detail }) => ({
    into: ledger_id ?? "",
    of: (JSON.parse(detail) as { readonly origins: readonly Origin[] }).origins,
  }));
}
