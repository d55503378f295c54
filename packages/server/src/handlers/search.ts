import type { Found } from "@dosimeter/client";
import type { Dataset } from "@dosimeter/ledger";
import type { Declaration } from "@dosimeter/query";
import { holds, readable } from "../access/authority.ts";
import type { Caller } from "../access/credentials.ts";
import type { Deps } from "../instance/deps.ts";
import { holdsText } from "./names.ts";
import { visibleTeams } from "./teams.ts";

/** The most results of each kind. */
const MAX_FOUND = 8;

/** Everything that this person can see and whose name contains the text or whose id equals it. */
export async function search(text: string, caller: Caller, deps: Deps): Promise<readonly Found[]> {
  const fits = ({ id, name }: { readonly id: string; readonly name: string }) => id === text || holdsText(name, text);
  const { people, catalog } = deps.database;
  const found: Found[] = [];
  const take = <T extends { readonly id: string; readonly name: string }>(
    visible: readonly T[],
    show: (one: T) => Omit<Found, "id" | "name">,
  ) => {
    for (const one of visible.filter(fits).slice(0, MAX_FOUND))
      found.push({ id: one.id, name: one.name, ...show(one) });
  };
  take(await readable(caller, (await catalog.names()).filter(fits), deps), ({ id }) => ({
    kind: "dataset",
    hint: "dataset",
    path: `/datasets/${id}`,
  }));
  found.push(...columnsIn(await readable(caller, await catalog.datasetsWith(text), deps), text));
  take(await visibleTeams(caller, deps.database), ({ id, closedAt }) => ({
    kind: "team",
    hint: closedAt === null ? "team" : "closed team",
    path: `/teams/${id}`,
  }));
  take(await people.principals(), ({ kind, disabledAt }) => ({
    kind: "person",
    hint: disabledAt === null ? (kind === "user" ? "person" : kind) : "removed",
    path: "/people",
  }));
  for (const [prefix, who, subject, path] of byId)
    if (text.startsWith(prefix) && (await holds(who, caller, { [subject]: text }, deps)))
      found.push({ kind: subject, id: text, name: text, hint: subject, path: path(text) });
  return found;
}

/** Columns are public once their dataset is visible; their values are not. */
function columnsIn(datasets: readonly Dataset[], text: string): readonly Found[] {
  const found = datasets.flatMap(({ id, name: dataset, declaration }) =>
    Object.keys((declaration as Partial<Declaration>).columns ?? {})
      .filter((name) => holdsText(name, text))
      .map((name) => ({ kind: "column" as const, id, name, hint: `column of ${dataset}`, path: `/datasets/${id}` })),
  );
  return found.slice(0, MAX_FOUND);
}

const byId = [
  ["chg_", "releaseReader", "release", (id: string) => `/releases/${id}`],
  ["req_", "requestReader", "request", () => "/requests"],
] as const;
