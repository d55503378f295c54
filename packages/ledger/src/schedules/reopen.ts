import { formatDate } from "@dosimeter/core";
import type { Writing } from "../audit/chain.ts";
import type { Context } from "../context.ts";
import { type Ledger, ledgerRow } from "../ledger/ledger.ts";
import { notify } from "../outbox/notify.ts";
import { nameOf } from "../outbox/recipients.ts";
import { type Proof, type Reopening, reopenLedgerIn } from "../restore/restore-gap.ts";
import { isWrittenOffSince } from "../restore/written-off-since.ts";
import { blocksOfTerms } from "../values/terms.ts";
import { putPointIn } from "./point.ts";
import { endScheduleIn } from "./schedule.ts";

/** Opens a frozen ledger. A write-off ends the running totals that have begun, as none of their reports can come after it. [M209] */
export async function reopenAndEndTotals(
  context: Context,
  { tx, chain }: Writing,
  reopening: Reopening,
  proof: Proof | null,
): Promise<Ledger> {
  const ledger = await reopenLedgerIn(context, { tx, chain }, reopening, proof);
  if (ledger.status === "open") await endTotals(context, { tx, chain }, reopening);
  return ledger;
}

const REASON =
  "The ledger was reopened with a write-off since the first report, so that later ones may have been released before. This running total has ended: begin another one.";

/** Each shows its end as the outcome of its next report, in place of an earlier refusal, and what it had set aside is given back. One whose reports are all there just ends. */
async function endTotals(
  context: Context,
  { tx, chain }: Writing,
  { ledger, by }: Pick<Reopening, "ledger" | "by">,
): Promise<void> {
  const blocks = blocksOfTerms((await ledgerRow(tx, ledger)).terms);
  if (blocks === null) return;
  const open = await tx.db
    .selectFrom("schedule")
    .innerJoin("account", "account.id", "schedule.account_id")
    .selectAll("schedule")
    .where("account.ledger_id", "=", ledger)
    .where("account.status", "<>", "closed")
    .where("schedule.status", "<>", "ended")
    .orderBy("schedule.id")
    .execute();
  for (const row of open) {
    const charges = await tx.db
      .selectFrom("charge")
      .select("id")
      .where("account_id", "=", row.account_id)
      .orderBy("entry_seq")
      .execute();
    const [first, newest] = [charges[0], charges.at(-1)];
    if (row.horizon === null || first === undefined || newest === undefined) continue;
    if (!(await isWrittenOffSince(tx, ledger, first.id))) continue;
    const put = (step: number, came: Pick<Parameters<typeof putPointIn>[2], "charge" | "refusal" | "by">) => {
      const block = Number(row.block_first) + step - 1;
      return putPointIn(
        context,
        { tx, chain },
        { schedule: row.id, block, period: formatDate(block, blocks.every), ...came },
      );
    };
    // Steps are charged in order. The server may have stopped between the newest charge and its point.
    await put(charges.length, { by: row.owner_id, charge: newest.id, refusal: null });
    if (charges.length === Number(row.horizon)) {
      await endScheduleIn(context, { tx, chain }, row, { by });
      continue;
    }
    await put(charges.length + 1, { by, charge: null, refusal: { code: "CONFLICT", message: REASON } });
    await endScheduleIn(context, { tx, chain }, row, { by, reason: REASON });
    const facts = { schedule: row.id, name: row.name, dataset: await nameOf(tx, row.dataset_id), outcome: "ended" };
    const once = `report ${row.id} ended`;
    await notify(context, tx, { to: [row.owner_id], kind: "report", subject: row.id, facts, once });
  }
}
