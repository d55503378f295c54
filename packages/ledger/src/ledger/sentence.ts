import { guarantee, type Terms } from "@dosimeter/core";
import type { Population } from "../catalog/population.ts";

const neighbours: Readonly<Record<Population["adjacency"], string>> = {
  addRemove: "is added or removed",
  replace: "is replaced by another",
  replaceSpecial: "is blanked out",
};

/** The sentence of the terms [M13], with whom it protects and from what change. */
export function guaranteeSentence(
  terms: Terms,
  { name, privacyUnit }: Pick<Population, "name" | "privacyUnit">,
): string {
  const protects = `Population: ${name}; it holds when any one ${privacyUnit} ${neighbours[terms.adjacency]}`;
  return `${guarantee(terms).sentence} ${protects}, even if everyone who asks colludes and adapts to earlier answers.`;
}
