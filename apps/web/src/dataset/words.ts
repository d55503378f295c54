import type { Ledger } from "@dosimeter/client";

export const adjacencyText = {
  addRemove: "two tables are neighbours when one has one of them more",
  replace: "two tables are neighbours when one of them is exchanged",
  replaceSpecial: "two tables are neighbours when one of them is blanked",
} as const;

export const ruleText = {
  addition: "addition: ε simply adds up",
  tight: "tight: many answers cost less together",
  additionThenTight: "addition first, then tight",
} as const satisfies Record<Ledger["rule"], string>;
