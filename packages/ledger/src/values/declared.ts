import {
  type BlockRange,
  type DpEvent,
  deltaAmount,
  formatDelta,
  invalid,
  MAX_STATED,
  PrivacyError,
  parseEvent,
  type Relation,
  relationNames,
} from "@dosimeter/core";
import { canonicalJson, isRecord, present, visible } from "@dosimeter/core/internal";
import { checkInstant, checkName, checkNote } from "./check.ts";
import type { Json } from "./json.ts";
import type { LedgerBlocks } from "./terms.ts";

/** What a person states of a program outside, and vouches for: its events bound its loss for the population's unit and this relation. [M388] */
export interface Declared {
  readonly events: readonly DpEvent[];
  readonly relation: Relation;
  /** The most rows of one unit that the events were computed for. */
  readonly rowsPerUnit?: number | undefined;
  readonly purpose: string;
  readonly tool?: { readonly name: string; readonly version: string } | undefined;
  /** It ran before it was declared: when and where its results were published. */
  readonly published?: { readonly on: string; readonly where: string } | undefined;
  /** The δ at which ε is certified, where the rule in force only adds. */
  readonly delta?: string | undefined;
}

const MAX_PURPOSE = 500;

/** INVALID_PARAMETER, UNSUPPORTED_EVENT, TOO_MUCH_WORK or EMPTY_PLAN before anything is queued. */
export function checkDeclared({ events, relation, rowsPerUnit, purpose, tool, published, delta }: Declared): Declared {
  if (events.length === 0) throw new PrivacyError("EMPTY_PLAN");
  if (events.length > MAX_STATED)
    throw new PrivacyError("TOO_MUCH_WORK", { name: "events", got: events.length, want: `at most ${MAX_STATED}` });
  if (!relationNames.includes(relation)) invalid("relation", relation, `one of ${relationNames.join(", ")}`);
  if (rowsPerUnit !== undefined && !(Number.isSafeInteger(rowsPerUnit) && rowsPerUnit >= 1))
    invalid("rowsPerUnit", rowsPerUnit, "a whole number, at least 1");
  const said = visible(checkNote(purpose)).replace(/\s+/g, " ").trim();
  if (said === "" || said.length > MAX_PURPOSE) invalid("purpose", said.length, `1 to ${MAX_PURPOSE} characters`);
  return {
    events: events.map((event, index) => parseEvent(event, `events[${index}]`)),
    relation,
    purpose: said,
    ...present({
      rowsPerUnit,
      tool: tool && { name: checkName(tool.name, "tool.name"), version: checkName(tool.version, "tool.version") },
      published: published && {
        on: checkInstant(published.on, "published.on").slice(0, 10),
        where: checkName(published.where, "published.where"),
      },
      delta: delta === undefined ? undefined : formatDelta(deltaAmount(delta, "down", "delta")),
    }),
  };
}

/** As a charge stores it, with its fields in the order of the stored text. */
export const statedIn = (declared: Declared): Json =>
  JSON.parse(canonicalJson({ declared: declared as unknown as Json })) as Json;

/** How its text begins. */
export const STATED = '{"declared":';

/** What a stored request declares; null of a charge that was measured here. */
export function declaredIn(request: Json): Declared | null {
  const stated = isRecord(request) ? request.declared : undefined;
  return isRecord(stated) ? (stated as unknown as Declared) : null;
}

/** The program of a key: its chunks, `train-7/epoch-3`, are one. */
export const programOf = (key: string): string => key.split("/", 1)[0] || key;

/**
 * How often a ledger counts what bounds the whole of a person: twice where it protects their rows of one period and the program reads several,
 * since the rows of the others stay. [M390]
 */
export function timesIn(
  blocks: LedgerBlocks | null,
  { unit, window }: { readonly unit: string | null; readonly window: readonly BlockRange[] },
): 1 | 2 {
  const isPart = blocks !== null && blocks.protects === undefined && unit !== "row";
  return isPart && window.reduce((count, { from, to }) => count + to - from + 1, 0) > 1 ? 2 : 1;
}

/** What was published before and does not fit: a freeze keeps it until it is counted. */
export interface Unpaid {
  readonly rows: readonly { readonly key: string; readonly hash: string }[];
  /** In words. */
  readonly amounts: string;
}

/** Why a ledger is frozen that was opened over its lifetime. [M391] */
export const overText = ({ amounts }: Unpaid): string =>
  `over its lifetime: of what was published before, ${amounts} does not fit`;

/** As the line of a freeze says it. */
export const unpaidIn = (freeze: string | null | undefined): Unpaid | null =>
  (JSON.parse(freeze ?? "{}") as { readonly published?: Unpaid }).published ?? null;

/** The sentence with what it takes for granted of programs outside [M388], and what it is not about [M391]. */
export function withPrograms(sentence: string, counted: number, unpaid: Unpaid | null): string {
  const programs = counted + (unpaid?.rows.length ?? 0);
  if (programs === 0) return sentence;
  const except = unpaid === null ? "" : `, except for what was published before (${unpaid.amounts}),`;
  return `${sentence} It holds${except} provided that ${programs === 1 ? "one program" : `${programs} programs`} outside did what ${programs === 1 ? "it" : "they"} declared.`;
}
