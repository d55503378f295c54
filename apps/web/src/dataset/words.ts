import type { Ledger } from "@dosimeter/client";

export const adjacencyText = {
  addRemove: "protects the presence of any one person",
  replace: "protects the data of any one person",
  replaceSpecial: "protects the data of any one person, compared with leaving it blank",
} as const;

export const ruleText = {
  addition: "addition: ε simply adds up",
  tight: "tight: many answers cost less together",
  additionThenTight: "addition first, then tight",
} as const satisfies Record<Ledger["rule"], string>;
