import { deltaAmount, formatDelta } from "@dosimeter/core";
import { isCounted, type PlanDraft } from "./draft.ts";
import type { Headroom } from "./headroom.ts";

/** A first δ takes at most one part in ten of what is left. */
const PARTS = 10n;
/** 10⁻⁷: a larger one buys little. */
const MAX_DELTA = 10n ** 11n;

/**
 * The first δ of a row that finds its groups: one digit, at most 10⁻⁷ and a tenth of what the account has left after the other
 * rows. Null where nothing is left.
 */
export function firstDelta(draft: Pick<PlanDraft, "rows" | "headroom">, id: string): string | null {
  const others = draft.rows
    .filter((row) => row.id !== id && isCounted(row))
    .reduce((sum, { request }) => sum + deltaAmount(request.delta ?? "0", "up"), 0n);
  const tenth = draft.headroom === null ? MAX_DELTA : (leftOf(draft.headroom) - others) / PARTS;
  const most = tenth < MAX_DELTA ? tenth : MAX_DELTA;
  if (most <= 0n) return null;
  const digit = 10n ** BigInt(String(most).length - 1);
  return formatDelta(most - (most % digit));
}

function leftOf({ path }: Headroom): bigint {
  const left = path.map(({ delta }) => deltaAmount(delta.cap, "down") - deltaAmount(delta.spent ?? delta.cap, "up"));
  return left.reduce((a, b) => (b < a ? b : a));
}
