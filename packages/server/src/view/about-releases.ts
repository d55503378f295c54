import type { Charge } from "@dosimeter/ledger";
import { type Answer, planTable } from "@dosimeter/query/answer";
import type { Declaration } from "@dosimeter/query/declaration";
import type { Caller } from "../access/credentials.ts";
import { originsOf, requestOf, storedIn } from "../release/request.ts";
import type { Tables } from "../reuse/versioned-table.ts";
import { declarationOf, joinedId } from "../sources/tables.ts";
import type { About } from "./release.ts";

/** The title, the note and the declaration that each charge asked of, read once for a list: later words never change an old answer. */
export async function aboutReleases(
  charges: readonly Charge[],
  { database }: Pick<Tables, "database">,
): Promise<(charge: Charge) => About> {
  const labels = await database.releases.labelsOf(charges.map(({ id }) => id));
  const tables = new Map<
    string,
    { readonly name: string; readonly declaration: Declaration; readonly isFitted: boolean }
  >();
  const tableAt = async (id: string, version: number) => {
    const key = `${id} ${version}`;
    const known = tables.get(key);
    if (known !== undefined) return known;
    const dataset = await database.catalog.datasetAt(id, version);
    const { name, isFitted } = dataset;
    const table = { name, declaration: declarationOf(dataset), isFitted };
    tables.set(key, table);
    return table;
  };
  const abouts = new Map<Charge["id"], About>();
  for (const charge of charges) {
    const request = requestOf(charge);
    const { plan, joined: version } = request;
    const { name: datasetName, declaration, isFitted } = await tableAt(charge.dataset, request.version ?? 1);
    const about = { label: labels.get(charge.id), request, datasetName, isFitted };
    const dataset = joinedId(plan);
    if (dataset === null || version === undefined)
      abouts.set(charge.id, { ...about, declaration: planTable(plan, declaration), joined: null });
    else {
      const { name, declaration: theirs, isFitted: areTheirs } = await tableAt(dataset, version);
      const both = { ...declaration, joinable: { [dataset]: { version, declaration: theirs } } };
      abouts.set(charge.id, {
        ...about,
        declaration: planTable(plan, both),
        isFitted: isFitted || areTheirs,
        joined: { dataset, version, name },
      });
    }
  }
  return ({ id }) => {
    const about = abouts.get(id);
    if (about === undefined) throw new RangeError(`${id} is not among the charges that were read`);
    return about;
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
    sources += 1 + originsOf(storedIn(charge)).length;
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
  const sources = new Set(shown.flatMap((charge) => [charge.id, ...originsOf(storedIn(charge))]));
  const reader = caller.principal.id;
  const unread = new Set<string>(await database.ledgers.unreadUnderCaps({ charges: [...sources], reader }));
  return (charge) =>
    [charge.id, ...originsOf(storedIn(charge))].some((id) => unread.has(id))
      ? null
      : ((short.get(charge.id) as readonly Answer[] | undefined) ?? null);
}
