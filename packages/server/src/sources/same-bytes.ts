import { PrivacyError } from "@dosimeter/core";
import type { DatasetId, DatasetSource, LedgerDatabase } from "@dosimeter/ledger";
import type { Caller } from "../access/credentials.ts";
import { digestOf } from "./tables.ts";

/**
 * Datasets that have, or had, the same bytes: the caller's own, and those of others, which are never shown because a match
 * would reveal who is in them.
 */
interface SameBytes {
  readonly mine: readonly DatasetSource[];
  readonly theirs: readonly DatasetSource[];
}

export async function tablesOver(digest: string, { roles }: Caller, { catalog }: LedgerDatabase): Promise<SameBytes> {
  const over = (await catalog.sourcesWith(digest)).filter((version) => digestOf(version) === digest);
  const matches = [...new Map(over.map((version) => [version.id, version])).values()];
  const isMine = ({ id }: DatasetSource) => roles.datasetAdminOf.includes(id);
  return { mine: matches.filter(isMine), theirs: matches.filter((dataset) => !isMine(dataset)) };
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
