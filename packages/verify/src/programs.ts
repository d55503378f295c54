import type { Blocks } from "./blocks.ts";
import type { Charging, Say } from "./charge.ts";
import type { Question } from "./derive.ts";
import { type Row, sha256 } from "./export.ts";
import { priceOf } from "./price.ts";
import { sorted } from "./report.ts";

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

/** Whose rows a ledger protects. */
interface Protected {
  readonly blocks: Blocks | null;
  readonly unit: string | null;
}

/** Follows what entries declare of programs outside: that it is what they count, and how many programs there are. [M388] [M390] */
export function followPrograms({ blocks: periods, unit }: Protected) {
  const isPart = periods !== null && periods.protects === undefined && unit !== "row";
  const programs = new Map<string, Program>();
  return {
    programs: (): readonly Program[] => [...programs.values()],
    /** What is to derive again, where it is counted by a certified ε. [M389] */
    async charge(entry: Row, { terms, ranges, mayRepeat }: Charging, say: Say): Promise<Question | null> {
      const declared = declaredBy(entry);
      if (declared === null) return null;
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
      const read = isPublished ? 0 : ranges.reduce((count, { from, to }) => count + to - from + 1, 0);
      const times = isPart && read > 1 ? 2 : 1;
      return counts(entry, declared, { adjacency: terms.adjacency, times, mayRepeat }, say);
    },
  };
}

function declaredBy({ request }: Row): Declared | null {
  if (request?.startsWith('{"declared":') !== true) return null;
  return (JSON.parse(request) as { readonly declared: Declared }).declared;
}

interface Counting extends Pick<Charging, "mayRepeat"> {
  readonly adjacency: string;
  /** 2: in several periods of a person's rows, of which the ledger protects one. */
  readonly times: 1 | 2;
}

function counts(
  entry: Row,
  { events = [], relation }: Declared,
  { adjacency, times, mayRepeat }: Counting,
  say: Say,
): Question | null {
  const charged = JSON.parse(entry.events ?? "[]") as readonly unknown[];
  const isOwn = relation === (adjacency === "addRemove" ? "add-or-remove-one" : "replace-one");
  const isOnce = isOwn && times === 1;
  if (isOnce && JSON.stringify(sorted(charged)) === JSON.stringify(sorted(events))) return null;
  if (!isOwn && (adjacency !== "replace" || relation !== "add-or-remove-one")) {
    say("counts a guarantee for another relation between neighbours");
    return null;
  }
  const [only, other] = charged as readonly Event[];
  const once = priceOf(events, adjacency, {
    units: isOwn ? (times === 2 ? 2n : 1n) : times === 2 ? 4n : 2n,
    mayRepeat,
  });
  if (only?.kind === "approximate" && other === undefined && once.epsilon === null) {
    const declared = atomsOf(events, Number(only.delta), isOwn ? times : 2 * times);
    if (ratio(only.epsilon) < leastEpsilon(declared, Number(only.delta))) say("counts less than it declares");
    return (accountant) => accountant.isCertified({ events, relation, times }, adjacency, only);
  }
  // Other events than were stated are those of a copy, which counts them twice. [M168]
  const least = isOnce ? priceOf(events, adjacency, { units: 2n, mayRepeat }) : once;
  const price = priceOf(charged, adjacency, { mayRepeat });
  const isLess = (has: bigint | null, wants: bigint | null): boolean => wants !== null && (has === null || has < wants);
  const lacks = isLess(price.epsilon, least.epsilon) || isLess(price.flat, least.flat);
  const hasPart = price.pure >= least.pure && price.gaussian >= least.gaussian;
  if (lacks || !hasPart || price.delta + price.slack < least.delta) say("counts less than it declares");
  return null;
}

interface Event {
  readonly [field: string]: unknown;
}

/**
 * The ε of parts whose loss is all of it with probability 1/2 at least, `times` over, the largest first: as many as can show in a δ.
 * All others are left out, which asks for less.
 */
function atomsOf(events: readonly unknown[], delta: number, times: number): readonly number[] {
  const most = Math.max(0, Math.min(MAX_ATOMS, Math.floor(-Math.log2(delta))));
  const largest = (parts: readonly number[]) => parts.toSorted((a, b) => b - a).slice(0, most);
  const atoms = (event: Event): readonly number[] => {
    const { kind } = event;
    if (kind === "pure") return [ratio(event.epsilon)];
    if (kind === "laplace") return [1 / ratio(event.noiseMultiplier)];
    if (kind === "discreteLaplace") return [ratio(event.sensitivity) / ratio(event.scale)];
    if (kind === "composed") return largest((event.events as readonly Event[]).flatMap(atoms));
    if (kind !== "repeated") return [];
    const each = atoms(event.event as Event);
    return largest(Array.from({ length: Math.min(Number(event.count), most) }, () => each).flat());
  };
  return largest(events.flatMap((event) => atoms(event as Event))).map((epsilon) => epsilon * times);
}

/** Of a δ of 10⁻¹⁸, the smallest. */
const MAX_ATOMS = 60;

const ratio = (value: unknown): number => {
  const [over, under = 1] = String(value).split("/").map(Number);
  return (over ?? Number.NaN) / under;
};

/** δ(ε) ≥ 2⁻ᵐ (1 − e^(ε − s)) for the m largest, which add up to s: the least ε for a δ, and 10⁻⁶ of it less for another build. [M389] */
function leastEpsilon(atoms: readonly number[], delta: number): number {
  let [least, sum, part] = [0, 0, delta];
  for (const epsilon of atoms) {
    [sum, part] = [sum + epsilon, part * 2];
    if (part < 1) least = Math.max(least, sum + Math.log1p(-part));
  }
  return least * (1 - 1e-6);
}
