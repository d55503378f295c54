import { formatAmount, formatDecimal, formatNumber } from "@dosimeter/plot";

interface AmountProps {
  of: string | null | undefined;
  unit?: "ε" | "δ" | "μ²";
  isRoom?: boolean;
  /** Three when absent. */
  digits?: number | undefined;
  /** As it is written where several amounts add up. */
  as?: string;
}

/**
 * An exact amount in three digits, with all of them in its tooltip; "–" where there is none. What is paid, spent or promised is
 * never shown as less; what is left, free or may be used (`isRoom`) never as more.
 */
export function Amount({ of, unit, isRoom = false, digits, as }: AmountProps) {
  if (of === null || of === undefined) return <span className="soft">–</span>;
  const shown = as ?? formatAmount(of, isRoom ? "down" : "up", digits);
  return (
    <span className="nowrap" title={formatDecimal(of)} data-places={placesOf(shown)}>
      {unit === undefined ? null : <span aria-hidden="true">{unit} </span>}
      {unit === undefined ? null : <span className="visually-hidden">{unitNames[unit]} </span>}
      {shown}
    </span>
  );
}

/**
 * A calculated loss in three digits, with all that were computed in its tooltip: an upper bound is never shown as less, a lower
 * one never as more. "∞" where there is no bound.
 */
export function Loss({ of, isLower = false }: { of: number | null; isLower?: boolean }) {
  const shown = of === null ? "∞" : formatNumber(roundedTo3(of, isLower ? -1 : 1), 3);
  return (
    <span className="whole" title={of === null ? undefined : formatNumber(of, 15)} data-places={placesOf(shown)}>
      {shown}
    </span>
  );
}

/** The number of three digits next to `value` in this direction, or itself. */
function roundedTo3(value: number, towards: 1 | -1): number {
  const nearest = Number(value.toPrecision(3));
  if (!Number.isFinite(value) || value === 0 || (nearest - value) * towards >= 0) return nearest;
  return Number((nearest + towards * 10 ** (Math.floor(Math.log10(Math.abs(value))) - 2)).toPrecision(3));
}

/** Digits after the point, for tables, which align on it. */
export const placesOf = (shown: string): number => /^\u2212?[\d,]+\.(\d+)$/.exec(shown)?.[1]?.length ?? 0;

/** What is paid, spent, promised or asked for: three digits, rounded up. */
export const formatCost = (decimal: string): string => formatAmount(decimal, "up");
/** What is left, free or may be used: three digits, rounded down. */
export const formatRoom = (decimal: string): string => formatAmount(decimal, "down");

const MAX_DIGITS = 9;

/** The digits of what is left that tell how much less it is than before: to the last of three digits of the difference. */
export function digitsFrom(before: string | null, after: string | null): number | undefined {
  if (before === null || after === null || before === after) return undefined;
  const [from, to] = [Number(before), Number(after)];
  const isEnough = (digits: number): boolean => {
    const shown = Number(formatAmount(after, "down", digits).replaceAll(",", ""));
    return !(Math.abs(shown - to) > 0.005 * Math.abs(from - to));
  };
  for (let digits = 3; digits < MAX_DIGITS; digits++) if (isEnough(digits)) return digits;
  return MAX_DIGITS;
}

const unitNames = { ε: "epsilon", δ: "delta", "μ²": "mu squared" } as const;
