import { PrivacyError } from "@dosimeter/core";
import { notFound, redirect } from "@tanstack/react-router";
import { isId, type NamedKind, type Names, pageOf, partsOf } from "../addresses.ts";
import { client, queryClient } from "./connection.ts";
import { sessionQuery } from "./session.ts";

/** The most entries of the catalogue with a text that are looked through for a name. */
const MAX_LISTED = 100;

const find: Record<NamedKind, (name: string) => Promise<readonly { readonly id: string; readonly name: string }[]>> = {
  datasets: async (name: string) => (await client.listDatasets({ name })).items,
  // A dataset that one sees is in no list of the catalogue; its page there leads to the dataset.
  catalog: async (name: string) => {
    const [listed, seen] = await Promise.all([
      client.listCatalog({ text: name, limit: MAX_LISTED }),
      client.listDatasets({ name }),
    ]);
    return [...listed.items.filter((one) => one.name === name), ...seen.items];
  },
  teams: async (name: string) => (await client.listTeams({ name })).items,
};

/** The names in the answers that the person who is signed in has seen; forgotten with everything else when another person signs in. */
export const namesKnown = (): Names | undefined => queryClient.getQueryData(["names"]);

/**
 * Finds the thing whose name stands in an address, and goes to its page. A name that several have leads to a search;
 * one that is absent and one that is hidden get the same answer.
 */
export async function findNamed(href: string): Promise<void> {
  const { kind, name } = partsOf(href) ?? {};
  if (kind === undefined || name === undefined || isId(kind, name)) return;
  if ((await queryClient.ensureQueryData(sessionQuery)).me === null) return; // the shell asks for a sign-in
  const found = await queryClient
    .fetchQuery({ queryKey: ["named", kind, name], queryFn: () => find[kind](name) })
    .catch((error: unknown) => {
      if (error instanceof PrivacyError && error.code === "UNAUTHENTICATED") return null;
      throw error;
    });
  if (found === null) return; // the session has ended since
  const [only, another] = found;
  if (only === undefined) throw notFound();
  if (another !== undefined) throw redirect({ to: "/search", search: { text: name }, replace: true });
  throw redirect({ href: pageOf(href, only.id), replace: true });
}
