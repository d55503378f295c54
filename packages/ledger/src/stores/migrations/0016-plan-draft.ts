import type { Migration } from "./migration.ts";

/** Plans that people keep before they release them, with what others say about them. They can be changed and deleted. */
export const planDraft: Migration = {
  version: 16,
  name: "planDraft",
  statements: ({ strict }) => [
    `CREATE TABLE plan_draft (
      id TEXT PRIMARY KEY,
      dataset_id TEXT NOT NULL REFERENCES dataset (id),
      account_id TEXT NOT NULL REFERENCES account (id),
      owner_id TEXT NOT NULL REFERENCES principal (id),
      team_id TEXT REFERENCES team (id),
      name TEXT NOT NULL,
      plan TEXT NOT NULL,
      changed_at TEXT NOT NULL
    ) ${strict}`,
    "CREATE INDEX plan_draft_owner ON plan_draft (dataset_id, owner_id)",
    "CREATE INDEX plan_draft_team ON plan_draft (dataset_id, team_id)",
    `CREATE TABLE draft_comment (
      id TEXT PRIMARY KEY,
      draft_id TEXT NOT NULL REFERENCES plan_draft (id),
      author_id TEXT NOT NULL REFERENCES principal (id),
      text TEXT NOT NULL,
      at TEXT NOT NULL
    ) ${strict}`,
    "CREATE INDEX draft_comment_draft ON draft_comment (draft_id)",
  ],
};
