import { type ChildProcess, spawn } from "node:child_process";
import type { Client } from "@dosimeter/client";
import { seededRandom } from "@dosimeter/core/testing";
import { csvBytes, type Fixture } from "../instance.kit.ts";

/** What an attacker times: the count of the first rows, which a filter lets pass. */
export interface Condition {
  readonly matching: number;
  readonly times: number[];
}

/** How well one can tell two conditions by one time each: the chance that the longer time is the second's, and how far off it may be at 95 %. */
export interface Told {
  readonly auc: number;
  readonly within: number;
}

const SHARES = [0, 0.2, 0.4, 0.6, 0.8, 0.9];

/** Times `runs` releases of each of six conditions in random order, while `load` other processes each take a core. */
export async function attack(
  { as, people }: Pick<Fixture, "as" | "people">,
  { rows, runs, load }: { readonly rows: number; readonly runs: number; readonly load: number },
): Promise<readonly Condition[]> {
  const asked = await tableOf(as.datasetAdmin, people.datasetAdmin, rows);
  const conditions = SHARES.map((share) => ({ matching: Math.round(share * rows), times: [] as number[] }));
  const neighbours: ChildProcess[] = Array.from({ length: load }, () =>
    spawn(process.execPath, ["-e", "for (;;);"], { stdio: "ignore" }),
  );
  const random = seededRandom(33);
  try {
    for (let run = -1; run < runs; run += 1) {
      const order = conditions.map((one) => ({ one, at: random.uint32() })).sort((a, b) => a.at - b.at);
      for (const { one } of order) {
        const where = { op: "<", column: "place", value: one.matching };
        const statistics = [{ statistic: "count", where, epsilon: "0.001" }];
        const started = performance.now();
        await as.datasetAdmin.releaseAndWait({ ...asked, plan: { statistics }, reuse: "never" });
        if (run >= 0) one.times.push(performance.now() - started);
      }
    }
  } finally {
    for (const one of neighbours) one.kill("SIGKILL");
  }
  return conditions;
}

async function tableOf(client: Client, holder: string, rows: number) {
  const lines = Array.from({ length: rows }, (_, at) => at);
  const { id: file } = await client.uploadFile({ name: "rows.csv", content: csvBytes(`place\n${lines.join("\n")}\n`) });
  const { id: dataset } = await client.createDataset({
    file,
    declaration: {
      ...{ name: "rows", source: { csv: "rows.csv" }, privacyUnit: "row", mostRows: rows },
      columns: { place: { type: "integer", lower: 0, upper: rows, provenance: "public" } },
    },
  });
  const { id: ledger } = await client.openLedger({ dataset, epsilon: "50", delta: "1e-6" });
  const { id: account } = await client.createAccount({ ledger, holder: { kind: "person", id: holder }, epsilon: "40" });
  return { dataset, account };
}

/** Mann's and Whitney's statistic, with the deviation of Hanley and McNeil. */
export function told(a: readonly number[], b: readonly number[]): Told {
  const above = a.reduce((sum, x) => sum + b.reduce((of, y) => of + (y > x ? 1 : y === x ? 0.5 : 0), 0), 0);
  const auc = above / (a.length * b.length);
  const [q1, q2] = [auc / (2 - auc), (2 * auc * auc) / (1 + auc)];
  const variance = auc * (1 - auc) + (b.length - 1) * (q1 - auc * auc) + (a.length - 1) * (q2 - auc * auc);
  return { auc, within: 1.96 * Math.sqrt(Math.max(0, variance) / (a.length * b.length)) };
}
