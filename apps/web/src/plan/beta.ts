import { numberOf, SHARE } from "../parts/number-text.ts";

/** Doubles have no more digits. */
const MAX_DIGITS = 17;

/** β = 1 − confidence as it was typed: the shortest decimal that gives this confidence. */
export function betaText(confidence: number): string {
  const texts = Array.from({ length: MAX_DIGITS }, (_, at) => String(Number((1 - confidence).toPrecision(at + 1))));
  return texts.find((text) => confidenceOf(text) === confidence) ?? String(1 - confidence);
}

/** For its field: three digits of a β that has more than eight, which no one typed. */
export const shownBeta = (text: string): string => text.replace(/^(0\.0*[1-9]\d\d)\d{6,}$/, "$1…");

/** The confidence of a β as typed; NaN, which the planner refuses, for anything else. */
export const confidenceOf = (text: string): number => Number((1 - numberOf(text, SHARE)).toPrecision(15));
