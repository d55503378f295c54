import type { Client, Input } from "@dosimeter/client";
import { within } from "../../../../test/within.kit.ts";
import { csvBytes, type Fixture } from "../instance.kit.ts";
import type { Instance } from "../instance.ts";
import { declaredVisits, months } from "../visits.kit.ts";

/** Ten people, each seen in each of 24 months. */
const VISITS = `who,seen\n${months
  .flatMap((month) => Array.from({ length: 10 }, (_, who) => `p${who},${month}-15`))
  .join("\n")}\n`;

/** The visits of a fixture, on a ledger with a budget for each month, of which the member has ε 10. */
export interface Visits {
  readonly dataset: string;
  readonly ledger: string;
  readonly account: string;
  /** Publishes a version whose calendar ends here. */
  readonly publish: (upper: string, rows?: string) => Promise<unknown>;
}

export async function buildVisits(
  { as: { datasetAdmin, teamAdmin }, team, people }: Pick<Fixture, "as" | "team" | "people">,
  declared: Parameters<typeof declaredVisits>[0] = {},
  terms: Pick<Input<"openLedger">, "rule"> = {},
): Promise<Visits> {
  const upload = (rows: string) => datasetAdmin.uploadFile({ name: "visits.csv", content: csvBytes(rows) });
  const { id: file } = await upload(VISITS);
  const { id: dataset } = await datasetAdmin.createDataset({ file, declaration: declaredVisits(declared) });
  const { id: ledger } = await datasetAdmin.openLedger({ dataset, epsilon: "100", delta: "1e-6", ...terms });
  const above = await datasetAdmin.createAccount({ ledger, holder: { kind: "team", id: team }, epsilon: "50" });
  const holder = { kind: "person", id: people.member } as const;
  const { id: account } = await teamAdmin.createAccount({ ledger, parent: above.id, holder, epsilon: "10" });
  return {
    ...{ dataset, ledger, account },
    publish: async (upper, rows = "") =>
      datasetAdmin.createVersion({
        dataset,
        file: (await upload(VISITS + rows)).id,
        declaration: declaredVisits({ upper }),
      }),
  };
}

/** A count of visits, ε 0.5 a report. */
export const scheduleOf = (
  { dataset, account }: Visits,
  more: Partial<Input<"createSchedule">> = {},
): Input<"createSchedule"> => ({
  ...{ dataset, account, name: "Visits a year", latest: 12 },
  plan: { statistics: [{ id: "visits", statistic: "count", epsilon: "0.5" }] },
  ...more,
});

/** What has come of each report: its month, and its release or its refusal. */
export const pointsOf = async (client: Client, schedule: string) =>
  (await client.showSchedule({ schedule })).points.map(({ block, state, refusal }) => [block, refusal?.code ?? state]);

/** By the account, null for the ledger, the share of its budget that is set aside in a block, as this person sees it. */
export const aside = async (
  client: Client,
  ledger: string,
  block: string,
): Promise<ReadonlyMap<string | null, number>> =>
  new Map(
    (await client.showBlocks({ ledger })).rows.map(({ account, runs }) => {
      const run = runs.find(({ from, to }) => from <= block && block <= to);
      return [account, run?.earmarked ?? 0] as const;
    }),
  );

/**
 * Makes what is due, and waits until every report that was charged has its answer and was notified of.
 * An answer can let the next report be charged, so it ends when a whole run after the last answer has added nothing.
 */
export async function released(
  instance: Pick<Instance, "settled" | "schedules">,
  client: Client,
  schedule: string,
): Promise<void> {
  const all = async () => {
    for (let before = ""; ; ) {
      await instance.settled();
      await instance.schedules.run();
      const points = await pointsOf(client, schedule);
      const now = JSON.stringify(points);
      if (now === before && points.every(([, state]) => state !== "pending")) return;
      before = now;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  await within("the answers of the reports", all());
}
