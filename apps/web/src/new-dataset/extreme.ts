import { type CalendarUnit, protectedUnit } from "@dosimeter/core";
import type { UnitNoun } from "@dosimeter/query/declaration";
import { countError, guessesRight, ofHundred } from "../parts/calculus.ts";

export interface NounProps {
  readonly noun: UnitNoun;
}

const SHARE = 0.01;
const WIDTH_OF_UNKNOWN = 100;

/** How far off a typical count may be: a hundredth of the declared size, or 100 where none is declared. */
export const typicalWidth = (people: number | undefined): number =>
  people === undefined ? WIDTH_OF_UNKNOWN : Math.max(1, Math.round(people * SHARE));

/** Above it a guarantee says little; below the other hardly anything can be answered. */
const MAX_USUAL = 10;
const MIN_USUAL = 0.01;

/** What an unusual lifetime ε means; undefined for a usual one. */
export function extremeEpsilon(
  epsilon: number,
  { noun, blocks }: NounProps & { readonly blocks?: { readonly every: CalendarUnit } | undefined },
): { readonly title: string; readonly means: string } | undefined {
  if (epsilon > MAX_USUAL)
    return {
      title: "This ε is so large that the guarantee says little",
      means: `Of 100 guesses whether ${protectedUnit("one", noun.one, blocks)} is in the table, ${ofHundred(guessesRight(epsilon))} may be right. Most use an ε of at most ${MAX_USUAL}.`,
    };
  if (epsilon < MIN_USUAL)
    return {
      title: "This ε is so small that hardly any question can be answered",
      means: `One count that spends all of it is off by up to ${countError(epsilon, 0.05).toLocaleString("en")} ${noun.many} in 95 of 100 cases, and then nothing is left.`,
    };
  return undefined;
}
