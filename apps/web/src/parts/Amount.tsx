import { formatAmount, formatDecimal } from "@dosimeter/plot";

/**
 * An exact amount in three digits, with all of them in its tooltip; "–" where there is none. What is paid, spent or promised is
 * never shown as less; what is left, free or may be used (`isRoom`) never as more.
 */
export function Amount({
  of,
  unit,
  isRoom = false,
}: {
  of: string | null | undefined;
  unit?: "ε" | "δ" | "μ²";
  isRoom?: boolean;
}) {
  if (of === null || of === undefined) return <span className="soft">–</span>;
  const shown = isRoom ? formatRoom(of) : formatCost(of);
  return (
    <span className="nowrap" title={formatDecimal(of)} data-places={placesOf(shown)}>
      {unit === undefined ? null : <span aria-hidden="true">{unit} </span>}
      {unit === undefined ? null : <span className="visually-hidden">{unitNames[unit]} </span>}
      {shown}
    </span>
  );
}

/** Digits after the point, for tables, which align on it. */
const placesOf = (shown: string): number => /^[\d,]+\.(\d+)$/.exec(shown)?.[1]?.length ?? 0;

/** What is paid, spent, promised or asked for: three digits, rounded up. */
export const formatCost = (decimal: string): string => formatAmount(decimal, "up");
/** What is left, free or may be used: three digits, rounded down. */
export const formatRoom = (decimal: string): string => formatAmount(decimal, "down");

const unitNames = { ε: "epsilon", δ: "delta", "μ²": "mu squared" } as const;
