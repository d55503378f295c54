import type { UnitNoun } from "@dosimeter/query/declaration";

export interface NounProps {
  readonly noun: UnitNoun;
}

const SHARE = 0.01;
const WIDTH_OF_UNKNOWN = 100;

/** How far off a typical count may be: a hundredth of the declared size, or 100 where none is declared. */
export const typicalWidth = (people: number | undefined): number =>
  people === undefined ? WIDTH_OF_UNKNOWN : Math.max(1, Math.round(people * SHARE));
