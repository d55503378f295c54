import { formatDecimal } from "@dosimeter/plot";

/** An exact amount, digit by digit; "–" where there is none. */
export function Amount({ of, unit }: { of: string | null | undefined; unit?: "ε" | "δ" | "μ²" }) {
  if (of === null || of === undefined) return <span className="soft">–</span>;
  return (
    <span className="nowrap">
      {unit === undefined ? null : <span aria-hidden="true">{unit} </span>}
      {unit === undefined ? null : <span className="visually-hidden">{unitNames[unit]} </span>}
      {shortest(of)}
    </span>
  );
}

const unitNames = { ε: "epsilon", δ: "delta", "μ²": "mu squared" } as const;

/** Exact still: 0.000001 becomes 10⁻⁶ and 0.0000009 becomes 9×10⁻⁷ by moving the point, never through a double. */
export function shortest(decimal: string): string {
  const tiny = /^0\.(0{4,})(\d+)$/.exec(decimal);
  if (tiny === null) return formatDecimal(decimal);
  const [, zeros = "", digits = ""] = tiny;
  const exponent = `⁻${[...String(zeros.length + 1)].map((digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(digit)]).join("")}`;
  const mantissa = digits.length === 1 ? digits : `${digits[0]}.${digits.slice(1)}`;
  return mantissa === "1" ? `10${exponent}` : `${mantissa}×10${exponent}`;
}
