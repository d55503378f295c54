import type { Charge } from "@dosimeter/ledger";
import type { Declaration } from "@dosimeter/query/declaration";
import { isLive } from "@dosimeter/query/source";
import { requestOf } from "../release/request.ts";

/**
 * Whether two answers of a release are about the same rows of its table: those of a live one where one run drew both, be it that of this
 * release or of an earlier one.
 */
export function ofOneTime(
  charge: Pick<Charge, "id" | "request">,
  { source }: Partial<Pick<Declaration, "source">>,
): (row: string, other: string) => boolean {
  if (source === undefined || !isLive(source)) return () => true;
  const { resolutions = [] } = requestOf(charge);
  const runs = (row: string): readonly string[] => {
    const found = resolutions.find((resolution) => resolution.row === row);
    const earlier = found?.from.map(({ release }) => release) ?? [];
    return found === undefined || found.kind === "refined" ? [...earlier, charge.id] : earlier;
  };
  return (row, other) => new Set([...runs(row), ...runs(other)]).size === 1;
}
