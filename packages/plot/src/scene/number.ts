const MINUS = "\u2212";
const superscripts: Readonly<Record<string, string>> = {
  "0": "⁰",
  "1": "¹",
  "2": "²",
  "3": "³",
  "4": "⁴",
  "5": "⁵",
  "6": "⁶",
  "7": "⁷",
  "8": "⁸",
  "9": "⁹",
  "-": "⁻",
};

/** A number for people: `digits` significant ones, thousands grouped, a true minus; powers of ten when tiny or huge. */
export function formatNumber(value: number, digits = 4): string {
  if (Number.isNaN(value)) return "not a number";
  if (value === Number.POSITIVE_INFINITY) return "∞";
  if (value === Number.NEGATIVE_INFINITY) return `${MINUS}∞`;
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size < 1e-4 || size >= 1e15) return powerOfTen(value, digits);
  const decimals = Math.max(0, digits - 1 - Math.floor(Math.log10(size)));
  const fixed = trimZeros(value.toFixed(Math.min(decimals, 20)));
  return groupThousands(fixed).replace("-", MINUS);
}

/** A decimal string exactly as it is, thousands grouped and with a true minus: for amounts, which are never doubles. */
export const formatDecimal = (decimal: string): string => groupThousands(decimal).replace("-", MINUS);

function powerOfTen(value: number, digits: number): string {
  const [mantissa = "0", exponent = "0"] = value.toExponential(Math.max(0, digits - 1)).split("e");
  const raised = [...String(Number(exponent))].map((c) => superscripts[c] ?? c).join("");
  const shown = trimZeros(mantissa).replace("-", MINUS);
  return shown === "1" ? `10${raised}` : shown === `${MINUS}1` ? `${MINUS}10${raised}` : `${shown}×10${raised}`;
}

const trimZeros = (text: string): string => (text.includes(".") ? text.replace(/0+$/, "").replace(/\.$/, "") : text);

function groupThousands(text: string): string {
  const [whole = "", fraction] = text.split(".");
  const digits = whole.replace(/^-/, "");
  const grouped = digits.length > 4 ? whole.replace(/\B(?=(\d{3})+$)/g, ",") : whole;
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}
