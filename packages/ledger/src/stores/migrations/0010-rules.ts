import type { Migration } from "./migration.ts";

/** The rules of the tables that every charge writes, where a database checks them faster together. None is added or lost. */
export const rules: Migration = {
  version: 10,
  name: "rules",
  statements: ({ gatherRules }) => (gatherRules === undefined ? [] : ["ledger", "account", "entry"].map(gatherRules)),
};
