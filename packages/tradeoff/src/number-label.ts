/** A number as the R language writes it: at most 15 significant digits, no trailing zeros, the shorter of fixed and 1e-04 form. */
export function numberLabel(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "Inf" : "-Inf";
  if (value === 0) return "0";
  const sign = value < 0 ? "-" : "";
  const [mantissa = "0", power = "0"] = Math.abs(value).toExponential(14).split("e");
  const digits = mantissa.replace(".", "").replace(/0+$/, "");
  const exponent = Number(power);
  const fixed = writeFixed(digits, exponent);
  const scientific = writeScientific(digits, exponent);
  return sign + (fixed.length <= scientific.length ? fixed : scientific);
}

function writeFixed(digits: string, exponent: number): string {
  if (exponent < 0) return `0.${"0".repeat(-exponent - 1)}${digits}`;
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, "0");
  const fraction = digits.slice(exponent + 1);
  return fraction === "" ? whole : `${whole}.${fraction}`;
}

function writeScientific(digits: string, exponent: number): string {
  const mantissa = digits.length === 1 ? digits : `${digits[0]}.${digits.slice(1)}`;
  const size = String(Math.abs(exponent)).padStart(2, "0");
  return `${mantissa}e${exponent < 0 ? "-" : "+"}${size}`;
}
