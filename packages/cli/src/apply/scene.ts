import type { Client, DatasetSummary } from "@dosimeter/client";
import { PrivacyError } from "@dosimeter/core";
import type { WantedDataset } from "./wanted.ts";

/** One change that is missing, in words, and how it is made. */
export interface Step {
  readonly says: string;
  readonly run: () => Promise<unknown>;
}

/** Reads and checks a declaration. What it returns uploads the rows where they are a file, and declares them. */
export type Declare = (
  dataset: WantedDataset,
) => Promise<(population: string | undefined) => Promise<{ readonly id: string }>>;

export interface Scene {
  readonly client: Client;
  readonly declare: Declare;
  /** Ids by name, of what is there and of what the steps before have made. */
  readonly ids: { readonly people: Map<string, string>; readonly teams: Map<string, string> };
  readonly datasets: readonly DatasetSummary[];
  /** What cannot be done from a file. */
  readonly problems: string[];
}

/** Several of one name cannot be distinguished in a file. */
export function byName(
  kind: string,
  things: readonly { readonly id: string; readonly name: string }[],
  problems: string[],
): Map<string, string> {
  const ids = new Map<string, string>();
  for (const { id, name } of things) {
    if (ids.has(name)) problems.push(`more than one ${kind} is called ${JSON.stringify(name)}`);
    ids.set(name, id);
  }
  return ids;
}

export type Roles = ReadonlySet<string>;
export const roleKey = (role: string, person: string | undefined, object: string | null): string =>
  JSON.stringify([role, person, object]);

export function idOf(ids: ReadonlyMap<string, string>, name: string): string {
  const id = ids.get(name);
  if (id === undefined) throw new PrivacyError("NOT_FOUND", { got: name }, `${JSON.stringify(name)}: not found`);
  return id;
}
