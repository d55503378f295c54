/** Pages with readable addresses: the part of the address before the name, and how their ids begin. */
const kinds = { datasets: "dat_", teams: "tem_", catalog: "dat_" } as const;
export type NamedKind = keyof typeof kinds;

interface Named {
  readonly id: string;
  readonly name: string;
}

/** The names of things, and the thing of a name; null where several have it. */
export interface Names {
  readonly nameOf: ReadonlyMap<string, string>;
  readonly idOf: ReadonlyMap<string, string | null>;
}

const NO_NAMES: Names = { nameOf: new Map(), idOf: new Map() };

/** A release is at its title and its id, of which the id counts: `/releases/mean-of-age-chg_…`. */
const RELEASE = /^\/releases\/([^/?#]+)/;
const RELEASE_ID = /(?:^|-)(chg_[^-]+)$/;

/** One part of an address: `/datasets/adults` of `/datasets/adults/plan`. */
const ADDRESS = /^\/(datasets|teams|catalog)\/([^/?#]+)/;

export const isId = (kind: NamedKind, text: string): boolean => text.startsWith(kinds[kind]);

/** Whether a name can be an address: no page of its own, no id, nothing that a browser or a proxy reads as a path. */
const isAddress = (kind: NamedKind, name: string): boolean =>
  name !== "new" && name !== "." && name !== ".." && !/[/\\]/.test(name) && !isId(kind, name);

const MAX_SLUG = 60;

/** A title as part of an address: its words without the price. */
const slugOf = (title: string): string =>
  [
    ...title
      .replace(/, ε [^ ]+$/, "")
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}]+/gu, "-"),
  ]
    .slice(0, MAX_SLUG)
    .join("")
    .replaceAll(/^-|-$/g, "");

/** The names with those that an answer of the server tells: a thing, a list of them or its pages. The same object when it tells none. */
export function withNames(known: Names = NO_NAMES, answer: unknown): Names {
  const told = namedIn(answer).filter(
    ({ kind, id, name }) =>
      known.nameOf.get(id) !== name ||
      (kind !== "releases" && isAddress(kind, name) && !known.idOf.has(`${kind}/${name}`)),
  );
  if (told.length === 0) return known;
  const nameOf = new Map(known.nameOf);
  const idOf = new Map(known.idOf);
  for (const { kind, id, name } of told) {
    nameOf.set(id, name);
    if (kind === "releases") continue;
    const key = `${kind}/${name}`;
    const other = idOf.get(key);
    if (isAddress(kind, name)) idOf.set(key, other === undefined || other === id ? id : null);
  }
  return { nameOf, idOf };
}

/** What an answer may hold that tells names: lists, pages of lists, a thing, or an account with its datasets. */
interface Told {
  readonly items: unknown;
  readonly pages: unknown;
  readonly id: unknown;
  readonly name: unknown;
  readonly title: unknown;
  readonly kind: unknown;
  readonly stewards: unknown;
  readonly datasets: unknown;
  readonly datasetNames: unknown;
}

function namedIn(answer: unknown): readonly (Named & { readonly kind: NamedKind | "releases" })[] {
  if (Array.isArray(answer)) return answer.flatMap(namedIn);
  if (typeof answer !== "object" || answer === null) return [];
  const {
    id,
    title,
    name = title,
    kind: what,
    stewards,
    items,
    pages,
    datasets,
    datasetNames,
  } = answer as Partial<Told>;
  if (Array.isArray(items)) return items.flatMap(namedIn);
  if (Array.isArray(pages)) return pages.flatMap(namedIn);
  if (Array.isArray(datasets) && Array.isArray(datasetNames))
    return datasets.flatMap((dataset, index) => namedIn({ id: dataset, name: datasetNames[index] }));
  if (typeof id !== "string" || typeof name !== "string" || what === "column") return [];
  if (RELEASE_ID.test(id)) return [{ kind: "releases", id, name }];
  // The page of the catalogue is not the dataset's.
  if (stewards !== undefined || what === "listing") return [{ kind: "catalog", id, name }];
  const kind = (Object.keys(kinds) as NamedKind[]).find((one) => isId(one, id));
  return kind === undefined ? [] : [{ kind, id, name }];
}

/** The address that a person reads: the name where it is known and no other thing has it; of a release its title before its id. */
export function readable(path: string, { nameOf, idOf }: Names = NO_NAMES): string {
  return path
    .replace(ADDRESS, (whole, kind: NamedKind, id: string) => {
      const name = nameOf.get(id);
      return name !== undefined && idOf.get(`${kind}/${name}`) === id ? `/${kind}/${encodeURIComponent(name)}` : whole;
    })
    .replace(RELEASE, (whole, id: string) => {
      const slug = id.startsWith("chg_") ? slugOf(nameOf.get(id) ?? "") : "";
      return slug === "" ? whole : `/releases/${encodeURIComponent(slug)}-${id}`;
    });
}

/** The address that the routes read: the id, where the name is known. */
export function internal(path: string, { idOf }: Names = NO_NAMES): string {
  return path
    .replace(ADDRESS, (whole, kind: NamedKind, name: string) => {
      const id = idOf.get(`${kind}/${decoded(name)}`);
      return id === undefined || id === null ? whole : `/${kind}/${id}`;
    })
    .replace(RELEASE, (whole, text: string) => {
      const [, id] = RELEASE_ID.exec(text) ?? [];
      return id === undefined ? whole : `/releases/${id}`;
    });
}

export function partsOf(path: string): { readonly kind: NamedKind; readonly name: string } | null {
  const [, kind, name] = ADDRESS.exec(path) ?? [];
  return kind === undefined || name === undefined ? null : { kind: kind as NamedKind, name: decoded(name) };
}

export const pageOf = (path: string, id: string): string =>
  path.replace(ADDRESS, (_, kind: NamedKind) => `/${kind}/${id}`);

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
