import { availableFor, type PlanDraft, type WayOut } from "@dosimeter/planner";
import { formatNumber } from "@dosimeter/plot";
import type { WorkRow } from "./workbench.ts";

/** What an edit did, in one sentence for those who cannot see the grid. */
export function announcement(
  label: string,
  before: readonly WorkRow[],
  after: readonly WorkRow[],
  draft: PlanDraft,
  ways: readonly WayOut[],
): string {
  if (draft.pending !== null)
    return `${capital(label)} does not fit: needs ${number(draft.pending.needs)}, ${number(availableFor(draft, ways))} available. The plan is as it was.`;
  const errorOf = (row: WorkRow | undefined): number | null => row?.quote?.accuracy.halfWidth ?? null;
  const changed = after.flatMap((row) => {
    const [was, is] = [errorOf(before.find(({ id }) => id === row.id)), errorOf(row)];
    return was === null || is === null || was === is || was === 0
      ? []
      : [{ name: row.quote?.label ?? "", was, is, size: Math.abs(Math.log((is || 1e-9) / was)) }];
  });
  const released = draft.notices.map(
    ({ id, from, to }) =>
      ` Changed ${after.find((row) => row.id === id)?.quote?.label ?? id} to make room: ${number(from)} to ${number(to)}.`,
  );
  const unfit = after.flatMap((row) => {
    const was = before.find(({ id }) => id === row.id)?.quote;
    return was && row.quote === null && row.fault !== null
      ? [` ${capital(was.label)} waits: ${row.fault.message}`]
      : [];
  });
  const [largest] = changed.sort((a, b) => b.size - a.size);
  const errors =
    largest === undefined
      ? ""
      : ` ${changed.length === 1 ? "One error" : `${changed.length} errors`} changed; largest: ${largest.name} ${formatNumber(largest.was, 3)} to ${formatNumber(largest.is, 3)}.`;
  return `${capital(label)}.${unfit.join("")}${errors}${released.join("")}`;
}

const number = (decimal: string): string => formatNumber(Number(decimal), 3);
/** ε and δ stay: Ε and Δ are other letters, which are read out as others. */
const capital = (text: string): string => text.replace(/^[a-z]/, (letter) => letter.toUpperCase());
