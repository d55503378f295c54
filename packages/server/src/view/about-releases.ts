import type { Charge, Dataset } from "@dosimeter/ledger";
import type { Answer } from "@dosimeter/query";
import type { Caller } from "../access/credentials.ts";
import type { Deps } from "../instance/deps.ts";
import { originsOf } from "../release/request.ts";
import { tableOf } from "../sources/tables.ts";
import type { About } from "./release.ts";

/** The title, the note and the declaration of each charge, read once for a list. */
export async function aboutReleases(
  charges: readonly Charge[],
  { database, files }: Pick<Deps, "database" | "files">,
): Promise<(charge: Charge) => About> {
  const labels = await database.releases.labelsOf(charges.map(({ id }) => id));
  const declarations = new Map<Dataset["id"], About["declaration"]>();
  for (const { dataset } of charges)
    if (!declarations.has(dataset))
      declarations.set(dataset, tableOf(await database.catalog.dataset(dataset), files).declaration);
  return ({ id, dataset }) => ({ label: labels.get(id), declaration: declarations.get(dataset) ?? { columns: {} } });
}

/** The most characters of answers in a list: a few numbers. */
const SHORT = 4000;

/**
 * The answers that a list may show: short ones that no cap of the reader would have to count first. A list never charges a
 * cap; who opens the release does.
 */
export async function listedAnswers(
  charges: readonly Charge[],
  caller: Caller,
  { database }: Pick<Deps, "database">,
): Promise<(charge: Charge) => readonly Answer[] | null> {
  const short = await database.releases.shortAnswers({ charges: charges.map(({ id }) => id), longest: SHORT });
  const shown = charges.filter(({ id }) => short.has(id));
  const sources = new Set(shown.flatMap((charge) => [charge.id, ...originsOf(charge)]));
  const reader = caller.principal.id;
  const unread = new Set<string>(await database.ledgers.unreadUnderCaps({ charges: [...sources], reader }));
  return (charge) =>
    [charge.id, ...originsOf(charge)].some((id) => unread.has(id))
      ? null
      : ((short.get(charge.id) as readonly Answer[] | undefined) ?? null);
}
