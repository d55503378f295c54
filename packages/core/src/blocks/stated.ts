import { neededAdjacency } from "../accounting/classes.ts";
import { PrivacyError } from "../error.ts";
import type { DpEvent, EventKind } from "../event.ts";
import type { Adjacency, EventAdjacency } from "../filter/adjacency.ts";
import { countedTwice } from "./counted-twice.ts";

const relations = {
  "add-or-remove-one": "addRemove",
  "replace-one": "replace",
} as const satisfies Record<string, EventAdjacency>;

/** The relation between neighbours for which a program outside states its events, as such programs name it. */
export type Relation = keyof typeof relations;
export const relationNames = Object.keys(relations) as [Relation, ...Relation[]];

/** Most events, nested ones counted, that one declared charge may list. */
export const MAX_STATED = 1000;

/**
 * What a ledger of this relation counts of events that a program states for its own [M390]: the events where both are one, those of a group of
 * two where a record that is replaced is one that leaves and one that comes. `times` 2: a group of two again. ADJACENCY_MISMATCH the
 * other way round, which bounds nothing; UNSUPPORTED_EVENT for a kind without a group's price; TOO_MUCH_WORK for a long list.
 */
export function countedFor(
  events: readonly DpEvent[],
  relation: Relation,
  adjacency: Adjacency,
  times: 1 | 2 = 1,
): readonly DpEvent[] {
  const kinds = kindsOf(events);
  const stated = relations[relation];
  neededAdjacency(events, stated);
  if (stated === adjacency && times === 1) return events;
  const mayConvert = stated === "addRemove" && adjacency === "replace";
  if (stated !== adjacency && !mayConvert)
    throw new PrivacyError("ADJACENCY_MISMATCH", {
      name: "relation",
      got: relation,
      want:
        adjacency === "addRemove"
          ? "add-or-remove-one: to publish the number of records costs nothing under replace-one, and is unbounded here"
          : "that of the ledger",
    });
  const without = kinds.find((kind) => UNGROUPED.has(kind));
  if (without !== undefined)
    throw new PrivacyError("UNSUPPORTED_EVENT", {
      name: "events",
      got: without,
      want: `stated ${mayConvert ? "for replace-one" : "for one block"}, or as pure, approximate or gdp: this kind has no price for a group of two`,
    });
  const counted = mayConvert ? countedTwice(events) : events;
  return times === 2 ? countedTwice(counted) : counted;
}

/** Kinds that `countedTwice` leaves as they are. */
const UNGROUPED: ReadonlySet<EventKind> = new Set([
  "discreteGaussian",
  "zcdp",
  "rdp",
  "gaussianMixture",
  "truncatedPoisson",
  "randomAllocation",
]);

function kindsOf(events: readonly DpEvent[]): readonly EventKind[] {
  const kinds: EventKind[] = [];
  const waiting = [...events];
  for (let event = waiting.pop(); event !== undefined; event = waiting.pop()) {
    if (kinds.push(event.kind) + waiting.length > MAX_STATED)
      throw new PrivacyError("TOO_MUCH_WORK", {
        name: "events",
        got: `more than ${MAX_STATED}`,
        want: `at most ${MAX_STATED}, nested ones counted: equal ones as repeated, others in several charges`,
      });
    if ("events" in event) waiting.push(...event.events);
    else if ("event" in event) waiting.push(event.event);
  }
  return kinds;
}
