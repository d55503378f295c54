/** The fraction that a person types as `0.05`, `1e-5` or `5 %`; NaN for anything else. */
export function fractionOf(text: string): number {
  const [, number = "", percent] = /^([\d.eE+-]+)\s*(%?)$/.exec(text.trim()) ?? [];
  return number === "" ? Number.NaN : Number(number) / (percent ? 100 : 1);
}
