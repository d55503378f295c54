/** β = 1 − confidence, without the last digits that the subtraction leaves. */
export const betaText = (confidence: number): string => String(Number((1 - confidence).toPrecision(12)));

/** The confidence of a β as typed, `0.05` or `5 %`; NaN, which the planner refuses, for anything else. */
export function confidenceOf(text: string): number {
  const [, number = "", percent] = /^([\d.eE+-]+)\s*(%?)$/.exec(text.trim()) ?? [];
  const beta = number === "" ? Number.NaN : Number(number) / (percent ? 100 : 1);
  return Number((1 - beta).toPrecision(15));
}
