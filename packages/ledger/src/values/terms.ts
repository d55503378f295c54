import {
  type CalendarUnit,
  calendarUnits,
  type DeltaAmount,
  deltaFromUnits,
  type EpsilonAmount,
  epsilonFromUnits,
  invalid,
  isZone,
  mu2FromUnits,
  PrivacyError,
  type Terms,
} from "@dosimeter/core";
import { present } from "@dosimeter/core/internal";

/** Permission to spend: ε in 1e-12, δ in 1e-18. */
export interface Quota {
  readonly epsilon: EpsilonAmount;
  readonly delta: DeltaAmount;
}

/** The periods that each have the whole lifetime for themselves [M160]. A block is the number of its period from 1970 on. */
export interface LedgerBlocks {
  readonly every: CalendarUnit;
  /** By whose clocks a period ends. */
  readonly zone: string;
  /** Blocks are cohorts, and a unit is one person in all periods [M170]; absent: one person in one period. */
  readonly protects?: "person";
  /** Of a ledger that had no blocks at first: how they count what was charged then. [M168] */
  readonly earlier?: Earlier;
}

/** Charged before a ledger had blocks. */
export interface Earlier {
  /** The newest version of the guarantee without blocks. */
  readonly version: number;
  /** The last block of which rows may have been measured then. */
  readonly through: number;
  /** How often the ledger counts it in each block through that one; its accounts count it once. */
  readonly times: 1 | 2;
  /** Whether nothing more is asked about these blocks. */
  readonly isClosed: boolean;
}

/** INVALID_PARAMETER. */
export function checkLedgerBlocks({ every, zone, protects }: LedgerBlocks): LedgerBlocks {
  if (!calendarUnits.includes(every)) invalid("blocks.every", every, `one of ${calendarUnits.join(", ")}`);
  if (!isZone(zone)) invalid("blocks.zone", zone, "a time zone such as Europe/Berlin or UTC");
  if (protects !== undefined && protects !== "person") invalid("blocks.protects", protects, "person, or absent");
  return { every, zone, ...present({ protects }) };
}

/** The blocks of a ledger with these stored terms; null where its lifetime is that of the whole population. */
export function blocksOfTerms(text: string): LedgerBlocks | null {
  // Looked for in the text: a ledger without blocks parses nothing for each charge.
  return text.includes('"blocks":') ? (JSON.parse(text) as { blocks: LedgerBlocks }).blocks : null;
}

/** CONFLICT where the ledger has blocks, with what to do instead: for what reads or writes one state of the whole. */
export function refuseBlocks(text: string, instead: string): void {
  const blocks = blocksOfTerms(text);
  if (blocks === null) return;
  const want = `a ledger without blocks: ${instead}`;
  throw new PrivacyError("CONFLICT", { name: "ledger.blocks", got: blocks.every, want });
}

/** The stored form: amounts as decimal strings of units, keys in this order; blocks only where there are any. */
export function termsText(terms: Terms, ceiling: Quota, blocks: LedgerBlocks | null = null): string {
  const { rule, adjacency, epsilon, delta, deltaFilter, deltaSelection, mu2 } = terms;
  return JSON.stringify({
    rule,
    adjacency,
    epsilon: String(epsilon),
    delta: String(delta),
    deltaFilter: String(deltaFilter),
    deltaSelection: String(deltaSelection),
    mu2: String(mu2),
    ceiling: { epsilon: String(ceiling.epsilon), delta: String(ceiling.delta) },
    ...(blocks === null ? {} : { blocks: storedBlocks(blocks) }),
  });
}

const storedBlocks = ({ every, zone, protects, earlier }: LedgerBlocks): LedgerBlocks => {
  if (earlier === undefined) return { every, zone, ...present({ protects }) };
  const { version, through, times, isClosed } = earlier;
  return { every, zone, earlier: { version, through, times, isClosed } };
};

/** The ceiling, declared at opening: it holds until the caps are raised past it. */
export function parseCeiling(text: string): Quota {
  const { ceiling } = JSON.parse(text) as { ceiling: { readonly epsilon: string; readonly delta: string } };
  return { epsilon: epsilonFromUnits(ceiling.epsilon), delta: deltaFromUnits(ceiling.delta) };
}

export const copiedTerms = (
  text: string,
): { readonly terms: Terms; readonly ceiling: Quota; readonly blocks: LedgerBlocks | null } => ({
  terms: parseTerms(text),
  ceiling: parseCeiling(text),
  blocks: blocksOfTerms(text),
});

export function parseTerms(text: string): Terms {
  const stored = JSON.parse(text) as Readonly<Record<keyof Terms, string>> & Pick<Terms, "rule" | "adjacency">;
  return {
    rule: stored.rule,
    adjacency: stored.adjacency,
    epsilon: epsilonFromUnits(stored.epsilon),
    delta: deltaFromUnits(stored.delta),
    deltaFilter: deltaFromUnits(stored.deltaFilter),
    deltaSelection: deltaFromUnits(stored.deltaSelection),
    mu2: mu2FromUnits(stored.mu2),
  };
}
