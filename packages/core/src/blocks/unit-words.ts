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

/** What one block's promises come to for a unit that is in several. [M163] [M170] */
export function acrossBlocks(
  noun: string,
  { every, protects }: NonNullable<Blocks>,
  ...promises: readonly BlockPromise[]
): string {
  const sums = promises.map(({ epsilon, delta }) => {
    const [named, sum] = /[1-9]/.test(delta) ? [` and δ = ${delta}`, " and (e^(kε) − 1)/(e^ε − 1) times δ"] : ["", ""];
    return `with ε = ${epsilon}${named} promised for each, at most k times ε${sum}`;
  });
  return protects === "person"
    ? `It holds as long as the source does not rewrite anyone's cohort, which is the ${every} of their least date; one ${noun} who has been in k cohorts has, ${sums.join("; ")}.`
    : `One ${noun} recorded in k ${every}s has, ${sums.join("; ")}. A record that gets other dates counts in each ${every} that it has been in.`;
}
