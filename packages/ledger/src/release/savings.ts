import { formatEpsilon, formatMu2 } from "@dosimeter/core";
import { change } from "../audit/change.ts";
import { images } from "../audit/image.ts";
import { datasetRow } from "../catalog/dataset.ts";
import type { Context } from "../context.ts";
import { putRow, rowWith } from "../stores/row.ts";
import type { By, DatasetId } from "../values/id.ts";

/** Whose released answers a person may reuse, and whether their own share pays for that. */
export interface ReusePolicy {
  /** `member`: one's own; `team`: those of the teams one is in; `dataset`: those of everyone who spends on it. */
  readonly visibility: "dataset" | "team" | "member";
  /** `free`: a share pays nothing; `ownLevel`: it pays what the earlier answers cost, the ledger nothing. */
  readonly price: "free" | "ownLevel";
}

const DEFAULT: ReusePolicy = { visibility: "member", price: "free" };

export async function reusePolicy({ store: { read } }: Context, dataset: DatasetId): Promise<ReusePolicy> {
  const row = await rowWith(read, "reuse_policy", { dataset_id: dataset });
  return row === undefined ? DEFAULT : { visibility: row.visibility, price: row.price };
}

export function setReusePolicy(
  context: Context,
  { dataset, visibility, price, by }: By & ReusePolicy & { dataset: DatasetId },
): Promise<ReusePolicy> {
  return change(context, async (tx, chain) => {
    await datasetRow(tx, dataset);
    const row = { dataset_id: dataset, visibility, price, changed_at: context.store.now(), changed_by: by };
    await putRow(tx.db, "reuse_policy", row, "dataset_id");
    chain.append({ actor: by, action: "dataset.reuse", detail: { visibility, price }, ...images.reuse_policy(row) });
    return { visibility, price };
  });
}

/** The total cost that reuse avoided: ε of Laplace noise and μ² of Gaussian noise. */
export interface Savings {
  readonly answers: number;
  readonly epsilon: string;
  readonly muSquared: string;
  /** By kind: the same answer, averaged, derived, topped up. */
  readonly kinds: Readonly<Record<string, number>>;
}

export async function savings({ store: { read } }: Context, dataset: DatasetId): Promise<Savings> {
  const rows = await read
    .selectFrom("reuse")
    .select(({ fn }) => [
      "kind",
      fn.countAll<bigint>().as("answers"),
      fn.sum<bigint | null>("saved_epsilon").as("epsilon"),
      fn.sum<bigint | null>("saved_mu2").as("mu2"),
    ])
    .where("dataset_id", "=", dataset)
    .groupBy("kind")
    .execute();
  const sum = (of: (row: (typeof rows)[number]) => bigint | null): bigint =>
    rows.reduce((total, row) => total + BigInt(of(row) ?? 0n), 0n);
  return {
    answers: rows.reduce((total, { answers }) => total + Number(answers), 0),
    epsilon: formatEpsilon(sum(({ epsilon }) => epsilon)),
    muSquared: formatMu2(sum(({ mu2 }) => mu2)),
    kinds: Object.fromEntries(rows.map(({ kind, answers }) => [kind, Number(answers)])),
  };
}
