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

/** What a text promises of one block: the decimals that it names. */
export interface BlockPromise {
  readonly epsilon: string;
  readonly delta: string;
}

/** What the promise of one block comes to for a unit that is in several, and what the ceiling of that promise does where there is one. [M163] [M170] */
export function acrossBlocks(
  noun: string,
  { every, protects }: NonNullable<Blocks>,
  promised: BlockPromise,
  ceiling?: BlockPromise,
): string {
  const each = protects === "person" ? "cohort" : every;
  const most = ({ epsilon, delta }: BlockPromise): string =>
    /[1-9]/.test(delta)
      ? `kε and δ(e^(kε) − 1)/(e^ε − 1), with ε = ${epsilon} and δ = ${delta} of each ${each}`
      : `kε, with ε = ${epsilon} of each ${each}`;
  const sums = ceiling === undefined ? most(promised) : `${most(promised)}; by the ceiling, ${most(ceiling)}`;
  return protects === "person"
    ? `It holds as long as the source does not rewrite anyone's cohort, which is the ${every} of their least date; one ${noun} who has been in k cohorts has at most ${sums}.`
    : `Over k ${every}s together, one ${noun} has at most ${sums}. A record whose date changes counts in each ${every} that it has been in.`;
}
