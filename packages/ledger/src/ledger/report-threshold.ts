import { type EpsilonAmount, formatEpsilon, invalid } from "@dosimeter/core";
import type { Chain } from "../audit/chain.ts";
import { images } from "../audit/image.ts";
import type { Context } from "../context.ts";
import { putRow, rowWith } from "../stores/row.ts";
import type { Tx } from "../stores/store.ts";
import type { By, LedgerId } from "../values/id.ts";

/** Stores the ε of one query above which the reports of a ledger compose by addition, with its audit line. */
export async function putThreshold(
  { tx, chain }: { readonly tx: Tx; readonly chain: Chain },
  { ledger, epsilon, at, by }: By & { readonly ledger: LedgerId; readonly epsilon: EpsilonAmount; readonly at: string },
): Promise<void> {
  if (epsilon <= 0n) invalid("threshold", formatEpsilon(epsilon), "above 0: 0.000000000001 always adds up");
  const row = { ledger_id: ledger, epsilon, changed_at: at, changed_by: by };
  await putRow(tx.db, "report_threshold", row, "ledger_id");
  const detail = { threshold: formatEpsilon(epsilon) };
  chain.append({ actor: by, action: "ledger.threshold", ledger, detail, ...images.report_threshold(row) });
}

/** The ε of one query above which the reports of a ledger compose by addition; null: 1. */
export async function reportThreshold({ store: { read } }: Context, ledger: LedgerId): Promise<EpsilonAmount | null> {
  return (await rowWith(read, "report_threshold", { ledger_id: ledger }))?.epsilon ?? null;
}
