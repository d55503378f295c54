import { PrivacyError } from "@dosimeter/core";
import type { DatasetId, DatasetSource, LedgerDatabase } from "@dosimeter/ledger";
import type { Caller } from "../access/credentials.ts";
import { placesOf } from "./tables.ts";

/**
 * Datasets that have, or had, the same bytes, or read the same table of a connection: the caller's own, and those of others, which are never shown because a match
 * would reveal who is in them.
 */
interface SameBytes {
  readonly mine: readonly DatasetSource[];
  readonly theirs: readonly DatasetSource[];
}

export async function tablesOver(
  places: readonly string[],
  { roles }: Pick<Caller, "roles">,
  { catalog }: LedgerDatabase,
): Promise<SameBytes> {
  const matches = new Map<DatasetId, DatasetSource>();
  for (const place of new Set(places))
    for (const version of await catalog.sourcesWith(place))
      if (placesOf(version).includes(place)) matches.set(version.id, version);
  const found = [...matches.values()];
  const isMine = ({ id }: DatasetSource) => roles.datasetAdminOf.includes(id);
  return { mine: found.filter(isMine), theirs: found.filter((dataset) => !isMine(dataset)) };
}

/** Those under another population than this one. */
export const elsewhere = (population: string | undefined, { mine, theirs }: SameBytes): readonly DatasetSource[] =>
  [...mine, ...theirs].filter((match) => match.population !== population);

/**
 * CONFLICT for a table of a connection whose rows have a ledger already, unless it is about the same people or `reason` says why not. Who declares
 * one is an admin of the platform, so that the other dataset may be named.
 */
export function refuseSecondLedgerOver(
  population: string | undefined,
  same: SameBytes,
  reason: string | undefined,
): void {
  const others = elsewhere(population, same);
  const [first] = others;
  if (first === undefined || reason !== undefined || others.length < same.mine.length + same.theirs.length) return;
  throw new PrivacyError(
    "CONFLICT",
    { name: "body.population", want: first.population, dataset: first.id },
    `the dataset ${JSON.stringify(first.name)} is read from the same table, or from one below it: declare the same people, they share its ledger, or say in secondLedger why they may have a second budget`,
  );
}

/** The datasets whose people may have another ledger than this population, about which the platform's admins are notified. */
export const others = (population: string, sameBytes: readonly DatasetSource[]): readonly DatasetId[] =>
  sameBytes.flatMap((twin) => (twin.population === population ? [] : [twin.id]));

/** CONFLICT for the same bytes under another population: a second ledger would give the same people's budget twice. */
export function refuseSecondLedger(population: string | undefined, mine: readonly DatasetSource[]): void {
  refuse(population, mine, {
    name: "body.population",
    help: "declare the same people, they share its ledger",
  });
}

/** The same check for a new version, whose population is fixed. */
export function refuseOtherPeople(population: string, mine: readonly DatasetSource[]): void {
  refuse(population, mine, {
    name: "body.file",
    help: "a version keeps the people of its dataset, so ask that one, or declare the file as a new dataset about its people",
  });
}

function refuse(
  population: string | undefined,
  mine: readonly DatasetSource[],
  { name, help }: { readonly name: string; readonly help: string },
): void {
  const [first] = mine;
  if (first === undefined || mine.some((match) => match.population === population)) return;
  throw new PrivacyError(
    "CONFLICT",
    { name, want: first.population, dataset: first.id },
    `your dataset ${JSON.stringify(first.name)} has these bytes, or had them in an older version: ${help}`,
  );
}
