import { formatDecimal } from "@dosimeter/plot";

/** Stays exact: 0.000001 becomes 10⁻⁶ and 0.0000009 becomes 9×10⁻⁷ by moving the point, without a double. */
export function shortest(decimal: string): string {
  const tiny = /^0\.(0{4,})(\d+)$/.exec(decimal);
  if (tiny === null) return formatDecimal(decimal);
  const [, zeros = "", digits = ""] = tiny;
  const exponent = `⁻${[...String(zeros.length + 1)].map((digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(digit)]).join("")}`;
  const mantissa = digits.length === 1 ? digits : `${digits[0]}.${digits.slice(1)}`;
  return mantissa === "1" ? `10${exponent}` : `${mantissa}×10${exponent}`;
}
