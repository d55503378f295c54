import type { Found } from "@dosimeter/client";
import type { Charge, Dataset } from "@dosimeter/ledger";
import { planColumns } from "@dosimeter/query/answer";
import type { Declaration } from "@dosimeter/query/declaration";
import { holds, listedFor, readable } from "../access/authority.ts";
import type { Caller } from "../access/credentials.ts";
import { lookedThrough, releaseReaderOf } from "../access/readable-releases.ts";
import type { Deps } from "../http/deps.ts";
import { aboutReleases } from "../view/about-releases.ts";
import { madeTitle, titleOf } from "../view/release.ts";
import { holdsText } from "./names.ts";
import { visibleTeams } from "./teams.ts";

/** The most results of each kind. */
const MAX_FOUND = 8;

/** A single letter is in every declaration. */
const MIN_COLUMN_TEXT = 2;

/** Everything that this person can see or may ask for, and whose name contains the text or whose id equals it. */
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
  // Only what this person may see is looked through: the time says nothing about the rest.
  const visible = await readable(caller, await catalog.names(), deps);
  take(visible, ({ id }) => ({
    kind: "dataset",
    hint: "dataset",
    path: `/datasets/${id}`,
  }));
  take(await listedFor(caller, deps), ({ id }) => ({
    kind: "listing",
    hint: "dataset that you may ask for",
    path: `/catalog/${id}`,
  }));
  if (text.length >= MIN_COLUMN_TEXT)
    found.push(...columnsIn(await catalog.datasetsWith({ text, among: visible.map(({ id }) => id) }), text));
  take(await visibleTeams(caller, deps.database), ({ id, closedAt }) => ({
    kind: "team",
    hint: closedAt === null ? "team" : "closed team",
    path: `/teams/${id}`,
  }));
  take(await people.principals(), ({ kind, removedAt }) => ({
    kind: "person",
    hint: removedAt === null ? (kind === "user" ? "person" : kind) : "removed",
    path: "/people",
  }));
  found.push(...(await foundReleases(text, caller, deps)));
  for (const [prefix, who, subject, path] of byId)
    if (text.startsWith(prefix) && (await holds(who, caller, { [subject]: text }, deps)))
      found.push({ kind: subject, id: text, name: text, hint: subject, path: path(text) });
  return found;
}

/** How many of the newest releases a search looks through. */
const SEARCHED = 200;

/** Releases that this person may read, newest first, whose title, note, columns or labels of columns contain the text. */
async function foundReleases(text: string, caller: Caller, deps: Deps): Promise<readonly Found[]> {
  const { releases, catalog } = deps.database;
  const reads = releaseReaderOf(caller, deps);
  const { items } = await releases.releases({ ...(await lookedThrough(caller, deps)), limit: SEARCHED });
  const readable: Charge[] = [];
  for (const item of items) if (await reads(item)) readable.push(await releases.chargeOf(item.charge));
  const aboutOf = await aboutReleases(readable, deps);
  const fitting = readable.filter((charge) => {
    const about = aboutOf(charge);
    const { label, request, declaration } = about;
    const words = [label?.title, label?.note, madeTitle(charge, about)];
    const columns = planColumns(request.plan).flatMap((name) => [name, declaration.columns[name]?.label]);
    return [...words, ...columns].some((word) => word != null && holdsText(word, text));
  });
  const names = new Map((await catalog.names()).map(({ id, name }) => [id, name]));
  return fitting.slice(0, MAX_FOUND).map((charge) => ({
    kind: "release",
    id: charge.id,
    name: titleOf(charge, aboutOf(charge)),
    hint: `release · ${names.get(charge.dataset) ?? ""}`,
    path: `/releases/${charge.id}`,
  }));
}

/** Columns are public once their dataset is visible; their values are not. */
function columnsIn(datasets: readonly Dataset[], text: string): readonly Found[] {
  const found = datasets.flatMap(({ id, name: dataset, declaration }) =>
    Object.entries((declaration as Partial<Declaration>).columns ?? {})
      .filter(([name, { label = "" }]) => [name, label].some((word) => holdsText(word, text)))
      .map(([name, { label }]) => ({
        kind: "column" as const,
        id,
        name: label ?? name,
        hint: `column ${label === undefined ? "" : `${name} `}of ${dataset}`,
        path: `/datasets/${id}`,
      })),
  );
  return found.slice(0, MAX_FOUND);
}

const byId = [
  ["chg_", "releaseReader", "release", (id: string) => `/releases/${id}`],
  ["req_", "requestReader", "request", () => "/requests"],
] as const;
