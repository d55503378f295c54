import type { Migration } from "./migration.ts";

/** Whom the invitation links of a team let in; a team without a row keeps what held before: only people who are here already. */
export const teamPolicy: Migration = {
  version: 15,
  name: "teamPolicy",
  statements: ({ strict, neverDeleted }) => [
    `CREATE TABLE team_policy (
      team_id TEXT PRIMARY KEY REFERENCES team (id),
      links_admit TEXT NOT NULL CHECK (links_admit IN ('known', 'newcomers')),
      changed_at TEXT NOT NULL,
      changed_by TEXT NOT NULL REFERENCES principal (id)
    ) ${strict}`,
    ...neverDeleted("team_policy"),
  ],
};
