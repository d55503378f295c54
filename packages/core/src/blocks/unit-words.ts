import type { CalendarUnit } from "../calendar.ts";

/** The periods of a population, as far as words need them; absent or null: it has none. */
type Periods = { readonly every: CalendarUnit } | null | undefined;

/**
 * What a guarantee is about: "one patient" or, where each period has a budget of its own, "what is recorded of one patient in one
 * month". [M160]
 */
export const protectedUnit = (which: "one" | "any one" | "each", noun: string, blocks: Periods): string =>
  blocks == null ? `${which} ${noun}` : `what is recorded of ${which} ${noun} in ${which} ${blocks.every}`;

/** What the guarantee of one period comes to for a whole unit, next to a sentence that names its ε. [M163] */
export const acrossPeriods = (noun: string, { every }: NonNullable<Periods>, hasDelta = false): string =>
  `One ${noun} recorded in k ${every}s: k times this ε${hasDelta ? ", and more than k times this δ" : ""}.`;
