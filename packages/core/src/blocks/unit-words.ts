import type { CalendarUnit } from "../calendar.ts";

/** The blocks of a population, as far as words need them; absent or null: it has none. */
type Blocks = { readonly every: CalendarUnit; readonly protects?: "person" | undefined } | null | undefined;

/**
 * What a guarantee is about: "one patient" or, where each period has a budget of its own, "what is recorded of one patient in one
 * month". Of cohorts it is the patient. [M160]
 */
export const protectedUnit = (which: "one" | "any one" | "each", noun: string, blocks: Blocks): string =>
  blocks == null || blocks.protects === "person"
    ? `${which} ${noun}`
    : `what is recorded of ${which} ${noun} in ${which} ${blocks.every}`;

/** What one block is called: a month or another period, or a cohort. */
export const blockWord = ({ every, protects }: NonNullable<Blocks>): string =>
  protects === undefined ? every : "cohort";

/** Up to when the guarantee of a cohort is that of its people. [M170] */
export const whileInCohort = (noun: string, every: CalendarUnit): string =>
  `It holds as long as the source does not rewrite anyone's cohort, which is the ${every} of their least date; one ${noun} who was moved has the ε of all their cohorts together, and more than the δ of them together.`;

/** What the guarantee of one block comes to for a whole unit, next to a sentence that names its ε. [M163] [M170] */
export const acrossBlocks = (noun: string, { every, protects }: NonNullable<Blocks>, hasDelta = false): string =>
  protects === "person"
    ? whileInCohort(noun, every)
    : `One ${noun} recorded in k ${every}s: k times this ε${hasDelta ? ", and more than k times this δ" : ""}. A record that gets another date counts in both ${every}s.`;
