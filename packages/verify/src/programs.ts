import type { Charging, Say } from "./charge.ts";
import { type Row, sha256 } from "./export.ts";
import { priceOf } from "./price.ts";
import { sorted } from "./sorted.ts";

/** A program outside, whose loss someone vouches for: nothing here can check that it did what it declared. */
export interface Program {
  /** What is before the first slash of its charges' keys. */
  readonly name: string;
  /** Who vouches, by id. */
  readonly person: string;
  readonly charges: number;
  /** It was declared after it had run. */
  readonly isPublished: boolean;
}

interface Declared {
  readonly events?: readonly unknown[];
  readonly relation?: unknown;
}

/** Follows what entries declare of programs outside: that it is what they count, and how many programs there are. [M388] [M390] */
export function followPrograms() {
  const programs = new Map<string, Program>();
  return {
    programs: (): readonly Program[] => [...programs.values()],
    /** Whether it is counted by a certified ε, which is not derived again here. [M389] */
    async charge(entry: Row, { terms, ranges, mayRepeat }: Charging, say: Say): Promise<boolean> {
      const declared = declaredBy(entry);
      if (declared === null) return false;
      const isPublished = entry.kind !== "charge";
      const blocks =
        isPublished || ranges.length === 0 ? "" : `,${JSON.stringify(ranges.map(({ from, to }) => [from, to]))}`;
      const place = isPublished ? [entry.ledger_id] : [entry.account_id, entry.dataset_id];
      const line = `[${place.map((id) => JSON.stringify(id)).join(",")},${entry.request}${blocks}]`;
      if (entry.request_hash !== (await sha256(line))) say("declares something else than was charged");
      const key = entry.key ?? "";
      const name = isPublished ? key : key.split("/", 1)[0] || key;
      const at = JSON.stringify([isPublished, entry.principal_id, name]);
      const { charges } = programs.get(at) ?? { charges: 0 };
      programs.set(at, { name, person: entry.principal_id ?? "", charges: charges + 1, isPublished });
      return counts(entry, declared, { adjacency: terms.adjacency, mayRepeat }, say);
    },
  };
}

function declaredBy({ request }: Row): Declared | null {
  if (request?.startsWith('{"declared":') !== true) return null;
  return (JSON.parse(request) as { readonly declared: Declared }).declared;
}

function counts(
  entry: Row,
  { events = [], relation }: Declared,
  { adjacency, mayRepeat }: Pick<Charging, "mayRepeat"> & { readonly adjacency: string },
  say: Say,
): boolean {
  const charged = JSON.parse(entry.events ?? "[]") as readonly unknown[];
  const isOwn = relation === (adjacency === "addRemove" ? "add-or-remove-one" : "replace-one");
  if (isOwn && JSON.stringify(sorted(charged)) === JSON.stringify(sorted(events))) return false;
  if (!isOwn && (adjacency !== "replace" || relation !== "add-or-remove-one")) {
    say("counts a guarantee for another relation between neighbours");
    return false;
  }
  const least = priceOf(events, adjacency, { units: isOwn ? 1n : 2n, mayRepeat });
  const [only, other] = charged as readonly { readonly kind?: unknown }[];
  if (only?.kind === "approximate" && other === undefined && least.epsilon === null) return true;
  const price = priceOf(charged, adjacency, { mayRepeat });
  const isLess = (has: bigint | null, wants: bigint | null): boolean => wants !== null && (has === null || has < wants);
  const hasOther = isOwn || isLess(price.epsilon, least.epsilon) || isLess(price.flat, least.flat);
  if (hasOther || price.delta + price.slack < least.delta) say("counts less than it declares");
  return false;
}
