import type { Charge } from "@dosimeter/ledger";
import type { Answer, Declaration } from "@dosimeter/query";
import type { Caller } from "../access/credentials.ts";
import { originsOf, requestOf } from "../release/request.ts";
import type { Tables } from "../reuse/versioned-table.ts";
import { joinedId, tableOf } from "../sources/tables.ts";
import type { About } from "./release.ts";

/** The title, the note and the declaration that each charge asked of, read once for a list: later words never change an old answer. */
export async function aboutReleases(
  charges: readonly Charge[],
  { database, files }: Tables,
): Promise<(charge: Charge) => About> {
  const labels = await database.releases.labelsOf(charges.map(({ id }) => id));
  const tables = new Map<string, { readonly name: string; readonly declaration: Declaration }>();
  const tableKey = (dataset: string, version: number) => `${dataset} ${version}`;
  const tableAt = async (id: string, version: number): Promise<void> => {
    const key = tableKey(id, version);
    if (tables.has(key)) return;
    const dataset = await database.catalog.datasetAt(id, version);
    tables.set(key, { name: dataset.name, declaration: tableOf(dataset, files).declaration });
  };
  const joinedOf = (charge: Charge) => {
    const { plan, joined } = requestOf(charge);
    const id = joinedId(plan);
    return id === null || joined === undefined ? null : { dataset: id, version: joined };
  };
  for (const charge of charges) {
    await tableAt(charge.dataset, requestOf(charge).version ?? 1);
    const joined = joinedOf(charge);
    if (joined !== null) await tableAt(joined.dataset, joined.version);
  }
  return (charge) => {
    const own = tables.get(tableKey(charge.dataset, requestOf(charge).version ?? 1));
    const declaration = own?.declaration ?? { columns: {}, privacyUnit: "row" as const };
    const joined = joinedOf(charge);
    const other = joined === null ? undefined : tables.get(tableKey(joined.dataset, joined.version));
    const label = labels.get(charge.id);
    if (joined === null || other === undefined) return { label, declaration, joined: null };
    const { name, declaration: theirs } = other;
    const joinable = { [joined.dataset]: { version: joined.version, declaration: theirs } };
    return { label, declaration: { ...declaration, joinable }, joined: { ...joined, name } };
  };
}

/** The most characters of answers in a list: a few numbers. */
const SHORT = 4000;

/** The most releases of a list whose answers are read, and the most charges that are looked up for the caps of its reader. */
const MAX_ANSWERED = 200;
const MAX_SOURCES = 500;

/** The first of the charges, as long as they and what they were derived from are not too many. */
function lookedUp(charges: readonly Charge[]): readonly Charge[] {
  let sources = 0;
  return charges.slice(0, MAX_ANSWERED).filter((charge) => {
    sources += 1 + originsOf(charge).length;
    return sources <= MAX_SOURCES;
  });
}

/**
 * The answers that a list may show: short ones of its first releases, that no cap of the reader would have to count first. A list
 * never charges a cap; who opens the release does.
 */
export async function listedAnswers(
  charges: readonly Charge[],
  caller: Caller,
  { database }: Pick<Tables, "database">,
  longest = SHORT,
): Promise<(charge: Charge) => readonly Answer[] | null> {
  const asked = lookedUp(charges);
  const short = await database.releases.shortAnswers({ charges: asked.map(({ id }) => id), longest });
  const shown = asked.filter(({ id }) => short.has(id));
  const sources = new Set(shown.flatMap((charge) => [charge.id, ...originsOf(charge)]));
  const reader = caller.principal.id;
  const unread = new Set<string>(await database.ledgers.unreadUnderCaps({ charges: [...sources], reader }));
  return (charge) =>
    [charge.id, ...originsOf(charge)].some((id) => unread.has(id))
      ? null
      : ((short.get(charge.id) as readonly Answer[] | undefined) ?? null);
}
