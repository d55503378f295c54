import { type Client, createClient, type Plan } from "@dosimeter/client";
import { seedClinic } from "./clinic.ts";
import { adultsDeclaration, commutesDeclaration, visitsDeclaration } from "./declarations.ts";
import { accountOf, datasetOf, idOf, memberOf, namesToIds, teamOf } from "./find-or-make.ts";
import { syntheticCommutes, syntheticPeople, syntheticVisits, toCsv } from "./people.ts";
import { type Door, signedIn } from "./sign-in.ts";

/** How many synthetic people the demo has. */
export const DEMO_PEOPLE = 20_000;
const DEMO_WORKERS = 6_000;

/** The people of the demo, and what each of them shows. */
const demoCast = {
  dana: "Dana Ortiz",
  lea: "Lea Park",
  ana: "Ana Silva",
  ben: "Ben Okafor",
  aud: "Audrey Chen",
} as const;
type Role = keyof typeof demoCast;

interface DemoInstance {
  readonly door: Door;
  readonly operatorToken: string;
  /** Adds a person of the demo, who signs in by link until the first real person exists. */
  readonly createDemoPerson: (name: string) => Promise<void>;
}

export interface Demo {
  readonly adults: string;
  readonly visits: string;
  readonly ledger: string;
  /** A signed-in client of each person. */
  readonly as: Readonly<Record<Role, Client>>;
  /** The account that each analyst spends from. */
  readonly accounts: { readonly ana: string; readonly ben: string };
}

interface Seeding {
  /** Called after each step. */
  readonly onStep?: (step: string) => void;
  /** Whether there is a table that grows too, with a budget for each month and a report that comes by itself. */
  readonly clinic?: boolean;
}

/**
 * Builds the demo through the same interface as anyone: every step finds what is there before it makes it, and releases
 * run under fixed keys, so that a second run, or one after a crash, changes nothing that is done.
 */
export async function seedDemo(
  instance: DemoInstance,
  { onStep = () => {}, clinic = false }: Seeding = {},
): Promise<Demo> {
  onStep("people");
  const as = await castOf(instance);
  onStep("tables");
  const people = syntheticPeople(DEMO_PEOPLE);
  const adults = await datasetOf(as.dana, adultsDeclaration, () => toCsv(people));
  const visits = await datasetOf(as.dana, visitsDeclaration, () => toCsv(syntheticVisits(people)), adults.population);
  onStep("ledger");
  const ledger = adults.ledger?.id ?? (await as.dana.openLedger({ dataset: adults.id, ...lifetime })).id;
  await listedDataset(as.dana);
  const operator = createClient({ ...instance.door, token: instance.operatorToken });
  const ids = await namesToIds(operator);
  await operator.grantRole({
    person: idOf(ids, demoCast.aud),
    role: "auditor",
    object: { kind: "dataset", id: adults.id },
  });
  onStep("teams");
  const accounts = await accountsOf(as, ledger, ids);
  onStep("releases");
  const asking = async () => {
    for (const { key, who, dataset, plan } of firstReleases) {
      const asked = { dataset: (dataset === "adults" ? adults : visits).id, account: accounts[who], plan };
      await as[who].releaseAndWait(asked, { idempotencyKey: key });
    }
  };
  await Promise.all([asking(), clinic ? seedClinic(as, ids) : null]);
  // Last, because `demoState` takes it for the sign that everything before it is done.
  await operator.grantRole({
    person: idOf(ids, demoCast.aud),
    role: "auditor",
    object: { kind: "dataset", id: visits.id },
  });
  return { adults: adults.id, visits: visits.id, ledger, as, accounts };
}

/** `empty`: nothing here yet; `begun`: a demo that was interrupted; `done`; `foreign`: data that is not the demo's. */
export type DemoState = "empty" | "begun" | "done" | "foreign";

export async function demoState({
  door,
  operatorToken,
}: Pick<DemoInstance, "door" | "operatorToken">): Promise<DemoState> {
  const operator = createClient({ ...door, token: operatorToken });
  const people = [];
  for await (const person of operator.all("listPeople")) if (person.kind === "user") people.push(person);
  const auditor = people.find(({ name, demo }) => demo && name === demoCast.aud);
  let auditing = 0;
  for await (const { person, role } of operator.all("listRoles")) {
    if (person === auditor?.id && role === "auditor") auditing += 1;
  }
  if (auditing >= 2) return "done";
  if (people.some(({ demo }) => demo)) return "begun";
  const datasets = await operator.listDatasets();
  return people.length === 0 && datasets.items.length === 0 ? "empty" : "foreign";
}

const lifetime = { epsilon: "5", delta: "1e-6" } as const;

/** A dataset that no analyst sees, in the catalogue: there one can ask for a part of its budget. */
async function listedDataset(admin: Client): Promise<void> {
  const { id, ledger } = await datasetOf(admin, commutesDeclaration, () => toCsv(syntheticCommutes(DEMO_WORKERS)));
  if (ledger === null) await admin.openLedger({ dataset: id, epsilon: "3", delta: "1e-6" });
  await admin.setListing({
    dataset: id,
    isListed: true,
    showsColumns: true,
    description: "How workers get to work, and how often they stay at home. For questions of traffic and planning.",
  });
}

async function castOf({ door, operatorToken, createDemoPerson }: DemoInstance): Promise<Demo["as"]> {
  const operator = createClient({ ...door, token: operatorToken });
  const there = await namesToIds(operator);
  for (const name of Object.values(demoCast)) if (!there.has(name)) await createDemoPerson(name);
  const ids = await namesToIds(operator);
  const enter = async (role: Role): Promise<[Role, Client]> => {
    const { url } = await operator.createSignInLink({ person: idOf(ids, demoCast[role]) });
    return [role, await signedIn(door, url)];
  };
  const entered = await Promise.all((Object.keys(demoCast) as Role[]).map(enter));
  return Object.fromEntries(entered) as Demo["as"];
}

/** The tree of accounts: 2 of the 5 to one team, whose lead gives it on to its analysts, and 3 to another team. */
async function accountsOf(as: Demo["as"], ledger: string, ids: ReadonlyMap<string, string>): Promise<Demo["accounts"]> {
  const health = await teamOf(as.dana, "Public health");
  const labour = await teamOf(as.dana, "Labour economics");
  await memberOf(as.dana, health, idOf(ids, demoCast.lea), "teamAdmin");
  for (const name of [demoCast.ana, demoCast.ben]) await memberOf(as.dana, health, idOf(ids, name), "member");
  const team = await accountOf(as.dana, {
    ledger,
    parent: null,
    holder: { kind: "team", id: health.id },
    epsilon: "2",
  });
  await accountOf(as.dana, { ledger, parent: null, holder: { kind: "team", id: labour.id }, epsilon: "3" });
  const person = (giver: Client, name: string, epsilon: string) => {
    const holder = { kind: "person", id: idOf(ids, name) } as const;
    return accountOf(giver, { ledger, parent: team.id, holder, epsilon });
  };
  const ana = await person(as.lea, demoCast.ana, "1");
  const ben = await person(as.lea, demoCast.ben, "0.6");
  // who leads a team gives herself nothing
  await person(as.dana, demoCast.lea, "0.2");
  return { ana: ana.id, ben: ben.id };
}

interface FirstRelease {
  readonly key: string;
  readonly who: "ana" | "ben";
  readonly dataset: "adults" | "visits";
  readonly plan: Plan;
}

/** What the two analysts have asked before you come; their noise is drawn afresh on each machine. */
export const firstReleases: readonly FirstRelease[] = [
  {
    key: "demo-ana-1",
    who: "ana",
    dataset: "adults",
    plan: {
      statistics: [
        { id: "adults", statistic: "count", epsilon: "0.05" },
        { id: "income", statistic: "mean", column: "income", groupBy: ["education"], epsilon: "0.2" },
      ],
    },
  },
  {
    key: "demo-ana-2",
    who: "ana",
    dataset: "adults",
    plan: { statistics: [{ id: "ages", statistic: "histogram", column: "age", bins: 15, epsilon: "0.1" }] },
  },
  {
    key: "demo-ben-1",
    who: "ben",
    dataset: "visits",
    plan: { statistics: [{ id: "kinds", statistic: "histogram", column: "kind", epsilon: "0.25" }] },
  },
];
