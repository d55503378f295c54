import type { Client, Plan } from "@dosimeter/client";
import { clinicDeclaration } from "./declarations.ts";
import { accountOf, datasetOf, idOf, teamOf } from "./find-or-make.ts";
import { syntheticClinic, toCsv } from "./people.ts";

const REPORT = "A year of visits";

/** What each person has of every month. Together it is all that their team has. */
const shares = { lea: ["Lea Park", "0.6"], ana: ["Ana Silva", "0.5"], ben: ["Ben Okafor", "0.3"] } as const;
type Who = keyof typeof shares;

const count = (window: string, epsilon: string): Plan => ({
  window,
  statistics: [{ id: "visits", statistic: "count", groupBy: ["ward"], epsilon }],
});

/** In March 2023 all three spent all they had: their team is full in that month, and in no other one. */
const releases: readonly { readonly key: string; readonly who: Who; readonly plan: Plan }[] = [
  { key: "demo-clinic-lea-1", who: "lea", plan: count("2023-03", "0.6") },
  { key: "demo-clinic-ana-1", who: "ana", plan: count("2023-03", "0.5") },
  { key: "demo-clinic-ben-1", who: "ben", plan: count("2023-03", "0.3") },
  { key: "demo-clinic-ana-2", who: "ana", plan: count("2024-01 to 2024-12", "0.1") },
  { key: "demo-clinic-ben-2", who: "ben", plan: count("2024-10 to 2024-12", "0.15") },
];

/**
 * Two years of visits with a budget for each month, a team that has spent one of them, and a report over the latest twelve that its lead set
 * up. The server makes its first seven after this returns. Every step finds what is there before it makes it.
 */
export async function seedClinic(
  as: Readonly<Record<Who | "dana", Client>>,
  ids: ReadonlyMap<string, string>,
): Promise<void> {
  const dataset = await datasetOf(as.dana, clinicDeclaration, () => toCsv(syntheticClinic()));
  const { items } = await as.dana.listSchedules({ dataset: dataset.id });
  if (items.some(({ name }) => name === REPORT)) return; // made last; from then on its account pays for nothing else
  const ledger =
    dataset.ledger?.id ?? (await as.dana.openLedger({ dataset: dataset.id, epsilon: "2", delta: "1e-6" })).id;
  const team = await teamOf(as.dana, "Public health");
  const above = await accountOf(as.dana, {
    ledger,
    parent: null,
    holder: { kind: "team", id: team.id },
    epsilon: "1.4",
  });
  const account = async ([name, epsilon]: (typeof shares)[Who]) => {
    const holder = { kind: "person", id: idOf(ids, name) } as const;
    return (await accountOf(as.dana, { ledger, parent: above.id, holder, epsilon })).id;
  };
  const accounts = { lea: await account(shares.lea), ana: await account(shares.ana), ben: await account(shares.ben) };
  const asking = releases.map(({ key, who, plan }) =>
    as[who].releaseAndWait({ dataset: dataset.id, account: accounts[who], plan }, { idempotencyKey: key }),
  );
  await Promise.all(asking);
  const { window: _, ...plan } = count("", "0.05");
  await as.lea.createSchedule({
    dataset: dataset.id,
    account: accounts.lea,
    name: REPORT,
    plan,
    latest: 12,
    from: "2024-06",
  });
}
