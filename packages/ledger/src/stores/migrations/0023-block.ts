import type { Migration } from "./migration.ts";

/**
 * What each period of a population has spent, where its ledger has blocks: the state of a filter as runs of equal blocks, and for each
 * charge the blocks that it named, with the remaining μ² that it found and left there. A block in no run has spent nothing. Amounts as in `ledger`.
 */
export const block: Migration = {
  version: 23,
  name: "block",
  statements: ({ integer, strict, appendOnly }) => [
    `CREATE TABLE block_run (
      node_id TEXT NOT NULL,
      block_from ${integer} NOT NULL,
      block_to ${integer} NOT NULL CHECK (block_to >= block_from),
      state_epsilon ${integer} CHECK (state_epsilon >= 0),
      state_delta ${integer} NOT NULL CHECK (state_delta >= 0),
      state_remaining_mu2 ${integer} CHECK (state_remaining_mu2 >= 0),
      PRIMARY KEY (node_id, block_from)
    ) ${strict}`,
    `CREATE TABLE charge_block (
      entry_seq ${integer} NOT NULL REFERENCES entry (seq),
      block_from ${integer} NOT NULL,
      block_to ${integer} NOT NULL CHECK (block_to >= block_from),
      remaining_mu2_before ${integer} CHECK (remaining_mu2_before >= 0),
      remaining_mu2_after ${integer} CHECK (remaining_mu2_after >= 0 AND remaining_mu2_after <= remaining_mu2_before),
      PRIMARY KEY (entry_seq, block_from)
    ) ${strict}`,
    ...appendOnly("charge_block"),
  ],
};
