import { PrivacyError } from "@dosimeter/core";
import type { Books, Dataset, DatasetId } from "@dosimeter/ledger";
import type { Caller } from "./credentials.ts";
import { digestOf } from "./tables.ts";

/** Datasets over the same bytes: the caller's own, and others', which are never shown: a match would tell who is in them. */
export interface Twins {
  readonly mine: readonly Dataset[];
  readonly theirs: readonly Dataset[];
}

export async function tablesOver(digest: string, { roles }: Caller, { catalog }: Books): Promise<Twins> {
  const matches = (await catalog.datasets()).filter((dataset) => digestOf(dataset) === digest);
  const isMine = ({ id }: Dataset) => roles.datasetAdminOf.includes(id);
  return { mine: matches.filter(isMine), theirs: matches.filter((dataset) => !isMine(dataset)) };
}

/** Those whose people have another ledger than this population: their admins are told. */
export const others = (population: string, twins: readonly Dataset[]): readonly DatasetId[] =>
  twins.flatMap((twin) => (twin.population === population ? [] : [twin.id]));

/** The same bytes are the same people: a second ledger for them would give their budget twice. */
export function refuseSecondLedger(population: string | undefined, mine: readonly Dataset[]): void {
  const [first] = mine;
  if (first === undefined || mine.some((match) => match.population === population)) return;
  throw new PrivacyError(
    "CONFLICT",
    { name: "body.population", want: first.population, dataset: first.id },
    `these are the bytes of your dataset ${JSON.stringify(first.name)}: declare the same people, they share its ledger`,
  );
}
