import {
  deltaAmount,
  epsilonAmount,
  formatDelta,
  formatEpsilon,
  formatRational,
  MAX_EPSILON,
  PrivacyError,
  parseRational,
  type Rounding,
} from "@dosimeter/core";
import { type NumberWish, typedNumber } from "@dosimeter/core/internal";
import { grouped } from "./words.ts";

/** What a field takes. An `amount` is sent as a decimal of its unit; what has more digits is rounded to the safe side. */
export interface Wish extends NumberWish {
  readonly amount?: "epsilon" | "delta";
  /** `down` where a limit is set or quota is given, `up` where something counts as spent. */
  readonly rounding?: Rounding;
}

/** The most that a ledger or a plan takes. */
const MAX_TYPED_EPSILON = Number(formatEpsilon(MAX_EPSILON));
export const EPSILON: Wish = { above: 0, max: MAX_TYPED_EPSILON, amount: "epsilon", rounding: "down" };
export const DELTA: Wish = { min: 0, below: 1, amount: "delta", rounding: "down" };
export const SPENT_EPSILON: Wish = { min: 0, max: MAX_TYPED_EPSILON, amount: "epsilon", rounding: "up" };
export const SPENT_DELTA: Wish = { min: 0, below: 1, amount: "delta", rounding: "up" };
export const WHOLE: Wish = { min: 1, isWhole: true };
export const SHARE: Wish = { min: 0, max: 1, isShare: true };

/** A text of a number field: its value, or the fault to be shown below it. */
export type Typed =
  | { readonly fault: string }
  | {
      readonly fault: undefined;
      readonly value: number;
      /** What is sent: a text that every part of the product reads. */
      readonly plain: string;
      /** How it was rounded, where it was. */
      readonly note: string | undefined;
    };

const MAX_SHOWN = 24;

const units = {
  epsilon: (text: string, rounding: Rounding) => formatEpsilon(epsilonAmount(text, rounding)),
  delta: (text: string, rounding: Rounding) => formatDelta(deltaAmount(text, rounding)),
} as const;

const leastUnit = { epsilon: "10⁻¹²", delta: "10⁻¹⁸" } as const;

export function readTyped(text: string, wish: Wish): Typed {
  try {
    const { exact, plain, value } = typedNumber(text, wish, "This");
    const { amount, rounding = "down" } = wish;
    if (amount === undefined) return { fault: undefined, value, plain, note: undefined };
    const decimal = units[amount](plain, rounding);
    if (decimal === "0" && exact.numerator !== 0n)
      return { fault: faultText(text, `${wish.min === 0 ? "0, or " : ""}a number of at least ${leastUnit[amount]}`) };
    const isSame = formatRational(parseRational(decimal)) === formatRational(exact);
    const note = isSame ? undefined : `Taken as ${decimal}, rounded ${rounding}.`;
    return { fault: undefined, value: isSame ? value : Number(decimal), plain: decimal, note };
  } catch (error) {
    if (!(error instanceof PrivacyError)) throw error;
    return { fault: faultText(text, error.details.want ?? "a number") };
  }
}

/** *This is got, must be want.* */
export function faultText(text: string, want: string): string {
  const got = text.trim();
  if (got === "") return grouped(`This is empty, must be ${want}.`);
  return grouped(`This is “${got.length > MAX_SHOWN ? `${got.slice(0, MAX_SHOWN)}…` : got}”, must be ${want}.`);
}

export const isTyped = (text: string, wish: Wish): boolean => readTyped(text, wish).fault === undefined;
export const isTypedOrEmpty = (text: string, wish: Wish): boolean => text.trim() === "" || isTyped(text, wish);

/** The number of a text; NaN for a text that is none, or outside its range. */
export function numberOf(text: string, wish: Wish = {}): number {
  const read = readTyped(text, wish);
  return read.fault === undefined ? read.value : Number.NaN;
}

/** What is sent for a text; a text that is no number goes as it is, and is refused. */
export function plainOf(text: string, wish: Wish): string {
  const read = readTyped(text, wish);
  return read.fault === undefined ? read.plain : text.trim();
}

/** The δ of a change, absent where nothing was typed. */
export const deltaField = (text: string): { delta?: string } =>
  text.trim() === "" ? {} : { delta: plainOf(text, DELTA) };

/** The labels of a δ that may be left out. */
export const OPTIONAL_DELTA = {
  label: "δ (optional)",
  description: "Empty: in proportion to ε.",
  wish: DELTA,
} as const;
