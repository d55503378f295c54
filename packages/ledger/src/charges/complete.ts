import { PrivacyError } from "@dosimeter/core";
import { carryChargeCache } from "../accounts/charge-cache.ts";
import { openChain } from "../audit/chain.ts";
import type { Context } from "../context.ts";
import {
  answeredBy,
  type EntryFacts,
  guaranteeOf,
  lastRelease,
  putRelease,
  type Release,
  toRelease,
} from "../release/release.ts";
import type { NewAnswers } from "../release/statistic.ts";
import { grouped } from "../stores/group.ts";
import type { Tables } from "../stores/tables.ts";
import { found } from "../values/check.ts";
import { type ChargeId, entryOf } from "../values/id.ts";

interface Completion extends NewAnswers {
  readonly charge: ChargeId;
  readonly owner: string;
}

type ChargeRow = Tables["charge"];
type ReleaseRow = Tables["release"];

const CHARGE = "SELECT * FROM charge WHERE entry_seq = ? AND id = ?";
const RELEASE = "SELECT * FROM release WHERE entry_seq = ?";
const ENTRY = "SELECT number, hash, price_epsilon, price_delta FROM entry WHERE seq = ?";
const FINISH = "UPDATE lease SET status = 'released' WHERE entry_seq = ?";

/** Stores answers durably, with the sentence in force and a receipt; releases finished together share one commit. */
function completer(context: Context): (completion: Completion) => Promise<Release> {
  const { store, step } = context;
  return grouped({
    store,
    most: context.commitGroup,
    open: async (tx) => {
      const chain = await openChain(context, tx);
      carryChargeCache(context, tx);
      let seq = await lastRelease(tx);
      return {
        one: async ({ charge: id, owner, ...given }) => {
          step("release.begin");
          const charge = found((await tx.get(CHARGE, [entryOf(id) ?? 0n, id])) as ChargeRow | undefined, "charge", id);
          const before = (await tx.get(RELEASE, [charge.entry_seq])) as ReleaseRow | undefined;
          if (before !== undefined) return toRelease(before, charge);
          if (charge.lease_owner !== owner) {
            throw new PrivacyError("CONFLICT", {
              name: "lease",
              got: owner,
              want: "the owner who took the charge last",
            });
          }
          const entry = found((await tx.get(ENTRY, [charge.entry_seq])) as EntryFacts | undefined, "entry", id);
          const guarantee = await guaranteeOf(tx, charge.ledger_id);
          const answered = answeredBy(context, { charge, entry, given, guarantee });
          await tx.run(FINISH, [charge.entry_seq]);
          step("release.status");
          seq += 1n;
          await putRelease(context, { tx, chain }, { ...answered, seq });
          return answered.release;
        },
        settle: () => chain.settle(),
      };
    },
    committed: () => step("release.committed"),
  });
}

/**
 * Stores the answers permanently; only then may a person see them. A charge that was released before gives its stored
 * release. CONFLICT when another owner took the lease since.
 */
export const complete = (context: Context, completion: Completion): Promise<Release> =>
  context.kept(completer)(completion);
