import { invalid, PrivacyError } from "../error.ts";
import type { DpEvent, EventKind } from "../event.ts";
import type { Adjacency, EventAdjacency } from "../filter/adjacency.ts";
import { isKind, kindAdjacencies, plainEvent } from "./kinds.ts";
import { lower, productOf, upper } from "./rounding.ts";

/** An event that is neither a list nor a repetition. */
export type LeafEvent = Exclude<DpEvent, { readonly kind: "repeated" | "composed" }>;

/** How often one event occurs; `path` names its first place in the list. */
export interface SpendClass {
  readonly event: LeafEvent;
  readonly count: number;
  readonly path: string;
}

/**
 * Groups equal events of a list into classes and drops order and nesting [M31]. Events without privacy loss are left
 * out. Errors: INVALID_PARAMETER where counts multiply beyond 2⁵³ − 1.
 */
export function spendClasses(
  events: readonly DpEvent[],
  path = "events",
  adjacency?: Adjacency,
): readonly SpendClass[] {
  const table = new Map<string, { event: LeafEvent; count: number; path: string }>();
  const seen = new Map<DpEvent, { count: number }>();
  const add = (event: DpEvent, count: number, where: () => string): void => {
    const known = seen.get(event);
    if (known !== undefined) {
      known.count = checkCount(known.count + count, where);
      return;
    }
    if (event.kind === "repeated") {
      if (event.count > 0 && count > 0) {
        add(event.event, checkCount(count * event.count, where), () => `${where()}.event`);
      }
    } else if (event.kind === "composed") {
      event.events.forEach((item, i) => {
        add(item, count, () => `${where()}.events[${i}]`);
      });
    } else {
      const leaf = simplify(underRelation(event, adjacency));
      if (leaf === undefined || count === 0) return;
      if (leaf !== event && (leaf.kind === "repeated" || leaf.kind === "composed")) {
        add(leaf, count, where);
        return;
      }
      const key = leafKey(leaf as LeafEvent);
      const row = table.get(key);
      if (row === undefined) {
        const fresh = { event: leaf as LeafEvent, count, path: where() };
        table.set(key, fresh);
        seen.set(event, fresh);
      } else {
        row.count = checkCount(row.count + count, where);
        seen.set(event, row);
      }
    }
  };
  events.forEach((event, i) => {
    add(event, 1, () => `${path}[${i}]`);
  });
  return [...table.values()];
}

function checkCount(count: number, where: () => string): number {
  if (count > Number.MAX_SAFE_INTEGER) {
    invalid(where(), count, "counted less than 2^53 times");
  }
  return count;
}

/**
 * Randomised response among more than two answers has its own pair under replace-one only; under any other relation its
 * ε alone counts, as a pure ε. Without a stated relation it is replace-one. [M40]
 */
export const underRelation = <E extends DpEvent>(event: E, adjacency: Adjacency | undefined) =>
  event.kind === "randomizedResponse" && adjacency !== undefined && adjacency !== "replace"
    ? ({ kind: "pure", epsilon: event.epsilon } as const)
    : event;

/** The event without wrappers that change nothing; undefined when the event has no privacy loss. */
function simplify(event: LeafEvent): DpEvent | undefined {
  if (isKind(event)) return spendClasses([plainEvent(event)]).length === 0 ? undefined : event;
  switch (event.kind) {
    case "pure":
    case "exponential":
    case "randomizedResponse":
      return upper(event.epsilon) === 0 ? undefined : event;
    case "approximate":
      if (upper(event.delta) > 0) return event;
      return upper(event.epsilon) === 0 ? undefined : { kind: "pure", epsilon: event.epsilon };
    case "zcdp":
      return upper(event.rho) === 0 ? undefined : event;
    case "gdp":
      return upper(event.mu) === 0 ? undefined : event;
    case "rdp":
      return upper(event.epsilon) === 0 ? undefined : event;
    case "poissonSampled":
      if (upper(event.rate) === 0 || spendClasses([event.event]).length === 0) return undefined;
      return oneSample(event);
    case "sampledWithoutReplacement":
      return spendClasses([event.event]).length === 0 ? undefined : event;
    case "parallel": {
      const parts = event.events.filter((part) => spendClasses([part]).length > 0);
      return parts.length === 0 ? undefined : { kind: "parallel", events: parts };
    }
    case "laplace":
    case "gaussian":
    case "discreteLaplace":
    case "discreteGaussian":
      return event;
    default:
      return event satisfies never;
  }
}

/** A Poisson sample of a Poisson sample is one, of the product of the rates: each person's own coins. [M41] */
export function oneSample(event: Extract<DpEvent, { readonly kind: "poissonSampled" }>): typeof event {
  const inner = only(event.event);
  return inner.kind === "poissonSampled"
    ? oneSample({ kind: "poissonSampled", rate: productOf(event.rate, inner.rate), event: inner.event })
    : inner === event.event
      ? event
      : { ...event, event: inner };
}

/** The event itself of a list or a repetition of one. */
function only(event: DpEvent): DpEvent {
  if (event.kind === "repeated" && event.count === 1) return only(event.event);
  const [first, second] = event.kind === "composed" ? event.events : [];
  return first === undefined || second !== undefined ? event : only(first);
}

function leafKey(event: LeafEvent): string {
  switch (event.kind) {
    case "pure":
    case "exponential":
      return `${event.kind} ${event.epsilon}`;
    case "laplace":
    case "gaussian":
      return `${event.kind} ${event.noiseMultiplier}`;
    default:
      return JSON.stringify(event);
  }
}

/**
 * Kinds that hold for one relation only. Parts of a partition by unit are disjoint only when a unit is added or
 * removed.
 */
const OWN_ADJACENCY: Readonly<Partial<Record<EventKind, EventAdjacency>>> = {
  ...kindAdjacencies,
  poissonSampled: "addRemove",
  parallel: "addRemove",
  sampledWithoutReplacement: "replace",
};

/** The only relation that a kind holds for; undefined where it is stated for any. */
export const adjacencyOf = (kind: EventKind): EventAdjacency | undefined => OWN_ADJACENCY[kind];

/**
 * The neighbour relation that a list needs, or none if any will do [M32]. Poisson sampling is for add/remove, sampling
 * without replacement for replace-one; a list or a ledger that mixes them is ADJACENCY_MISMATCH.
 */
export function neededAdjacency(
  events: readonly DpEvent[],
  ledger?: EventAdjacency,
  path = "events",
): EventAdjacency | undefined {
  let needed = ledger;
  const visit = (event: DpEvent, where: string): void => {
    const own = OWN_ADJACENCY[event.kind];
    if (own !== undefined && needed !== undefined && own !== needed) {
      throw new PrivacyError("ADJACENCY_MISMATCH", { name: where, got: own, want: needed });
    }
    needed ??= own;
    if (event.kind === "composed" || event.kind === "parallel") {
      event.events.forEach((item, i) => {
        visit(item, `${where}.events[${i}]`);
      });
    } else if ("event" in event) visit(event.event, `${where}.event`);
  };
  const roots = new Set<DpEvent>();
  events.forEach((event, i) => {
    if (roots.has(event)) return;
    roots.add(event);
    visit(event, `${path}[${i}]`);
  });
  return needed;
}

/** σ/Δ, b/Δ and the like, rounded towards more loss. */
export const noise = (event: { readonly noiseMultiplier: number | string }): number => lower(event.noiseMultiplier);
