import { PrivacyError } from "@dosimeter/core";
import type { Way } from "@dosimeter/reuse";

/**
 * Which earlier answers the caller accepts. `never` (default): draw afresh;
 * `asAccurate`: free ones at least as accurate as the row asks; `free`: the best free one, whatever its error; or row by row an
 * offer's id, its kind, one of these words, or `fresh`, which also stands for rows that are not named.
 */
export type ReuseChoice = "asAccurate" | "free" | "never" | Readonly<Record<string, string>>;

export const wordFor = (choice: ReuseChoice, row: string): string =>
  typeof choice === "string" ? choice : (choice[row] ?? "fresh");

/** Whether a row may wait for another charge with the same question: not where a fresh draw was requested. */
export const mayWait = (choice: ReuseChoice, row: string): boolean =>
  !["fresh", "never"].includes(wordFor(choice, row));

const kinds = ["same", "pooled", "derived", "refined"];

/** The chosen offer for a row, or null to draw afresh. CONFLICT when that offer no longer exists. */
export function chosenWay(ways: readonly Way[], choice: ReuseChoice, row: string): Way | null {
  const said = wordFor(choice, row);
  const free = ways.filter(({ fresh }) => fresh === null);
  switch (said) {
    case "never":
    case "fresh":
      return null;
    case "asAccurate":
      return best(free.filter(({ asAccurate }) => asAccurate));
    case "free":
      return best(free);
    default: {
      const found = kinds.includes(said)
        ? best(ways.filter(({ kind }) => kind === said))
        : ways.find(({ id }) => id === said);
      if (found != null) return found;
      throw new PrivacyError("CONFLICT", {
        name: `body.reuse.${row}`,
        got: said.slice(0, 200),
        want: "an offer of the newest quote: this one is not there, or not for you, any more",
      });
    }
  }
}

/** The offer with the least error to be expected; of equal ones the stored answer before a derived one. */
const best = (ways: readonly Way[]): Way | null =>
  ways.reduce<Way | null>((a, b) => (a === null || b.expected < a.expected ? b : a), null);
