import type { Account, Ledger } from "@dosimeter/client";
import {
  deltaAmount,
  deltaFromUnits,
  epsilonAmount,
  epsilonFromUnits,
  formatDelta,
  formatEpsilon,
} from "@dosimeter/core";
import { failureOf } from "../exit.ts";
import { listOf, pathOf } from "../find.ts";
import { idOf, type Roles, roleKey, type Scene, type Step } from "./scene.ts";
import type { Wanted, WantedDataset, WantedQuota } from "./wanted.ts";

interface Amounts {
  readonly epsilon: string;
  readonly delta?: string | undefined;
}

/**
 * What brings a quota to what is asked for: nothing where it is there; `apart` where ε and δ go in different directions, which no one move does.
 * Without δ, δ moves in proportion.
 */
type Move =
  | { readonly kind: "none" | "apart" }
  | { readonly kind: "allocateQuota" | "withdrawQuota"; readonly by: { epsilon: string; delta?: string } };

function moveTo(now: Required<Amounts>, asked: Amounts): Move {
  const epsilon = epsilonAmount(asked.epsilon, "down") - epsilonAmount(now.epsilon, "down");
  const delta =
    asked.delta === undefined ? 0n : deltaAmount(asked.delta, "down") - deltaAmount(now.delta ?? "0", "down");
  if (epsilon === 0n && delta === 0n) return { kind: "none" };
  if (epsilon * delta < 0n) return { kind: "apart" };
  return {
    kind: epsilon < 0n || delta < 0n ? "withdrawQuota" : "allocateQuota",
    by: {
      epsilon: formatEpsilon(epsilonFromUnits(size(epsilon))),
      ...(asked.delta === undefined ? {} : { delta: formatDelta(deltaFromUnits(size(delta))) }),
    },
  };
}

const size = (units: bigint): bigint => (units < 0n ? -units : units);

export async function datasetSteps(
  one: WantedDataset,
  scene: Scene,
  wanted: Wanted,
  roles: Roles,
): Promise<readonly Step[]> {
  const { client, datasets, problems, ids } = scene;
  const named = datasets.filter(({ name }) => name === one.name);
  if (named.length > 1) problems.push(`more than one dataset is called ${JSON.stringify(one.name)}`);
  const there = named[0];
  const made = { dataset: there?.id, ledger: there?.ledger?.id };
  const dataset = () => made.dataset ?? "";
  const steps: Step[] = [];
  if (there === undefined) {
    const same = one.samePeopleAs;
    if (same !== undefined && ![...datasets, ...wanted.datasets].some(({ name }) => name === same))
      problems.push(`${one.name}: no dataset is called ${JSON.stringify(same)}`);
    const declare = await scene.declare(one).catch((error: unknown) => {
      problems.push(`${one.name}: ${failureOf(error).message}`);
      return null;
    });
    steps.push({
      says: `declare the dataset ${one.name}${same === undefined ? "" : ` about the same people as ${same}`}`,
      async run() {
        const all = same === undefined ? [] : await listOf(client.all("listDatasets"));
        const population = all.find(({ name }) => name === same)?.population;
        made.dataset = (await declare?.(population))?.id;
        if (made.dataset === undefined) return;
        made.ledger = (await client.showDataset({ dataset: made.dataset })).ledger?.id;
      },
    });
  }
  for (const [role, holders] of [
    ["datasetAdmin", one.admins],
    ["auditor", one.auditors],
  ] as const)
    for (const name of holders)
      if (there === undefined || !roles.has(roleKey(role, ids.people.get(name), there.id)))
        steps.push({
          says: `make ${name} ${role === "auditor" ? "an auditor" : "an admin"} of ${one.name}`,
          run: () =>
            client.grantRole({ person: idOf(ids.people, name), role, object: { kind: "dataset", id: dataset() } }),
        });
  const ledger = there?.ledger == null ? null : await client.showLedger({ ledger: there.ledger.id });
  steps.push(...ledgerSteps(one, ledger, { client, problems, made }));
  const accounts = ledger === null ? [] : await listOf(client.all("listAccounts", { ledger: ledger.id }));
  for (const quota of one.quotas) steps.push(...quotaSteps(one, quota, accounts, scene, () => made.ledger ?? ""));
  return steps;
}

function ledgerSteps(
  { name, ledger: asked, quotas }: WantedDataset,
  there: Ledger | null,
  {
    client,
    problems,
    made,
  }: Pick<Scene, "client" | "problems"> & {
    readonly made: { dataset?: string | undefined; ledger?: string | undefined };
  },
): readonly Step[] {
  if (asked === undefined) {
    if (there === null && quotas.length > 0) problems.push(`${name}: budgets need a ledger`);
    return [];
  }
  if (there !== null) {
    const { epsilon, delta } = there.guarantee;
    if (moveTo({ epsilon, delta }, asked).kind !== "none" || there.rule !== asked.rule)
      problems.push(
        `the ledger of ${name} promises ε ${epsilon}, δ ${delta} under ${there.rule}: a file changes no promise; see dosimeter ledger amend`,
      );
    return [];
  }
  return [
    {
      says: `open the ledger of ${name} with ε ${asked.epsilon}, δ ${asked.delta}`,
      async run() {
        const population = await client.showDataset({ dataset: made.dataset ?? "" });
        made.ledger = population.ledger?.id ?? (await client.openLedger({ dataset: made.dataset ?? "", ...asked })).id;
      },
    },
  ];
}

function quotaSteps(
  { name: dataset, quotas }: WantedDataset,
  quota: WantedQuota,
  accounts: readonly Account[],
  { client, ids, problems }: Scene,
  ledger: () => string,
): readonly Step[] {
  const { team, person, parent, kind, epsilon, delta } = quota;
  const holder = team ?? person ?? "";
  const path = parent === undefined ? holder : `${parent}/${holder}`;
  const label = `${path} on ${dataset}`;
  const open = accounts.filter(({ status }) => status !== "closed");
  const there = open.find((one) => pathOf(one) === path);
  const amounts = { epsilon, ...(delta === undefined ? {} : { delta }) };
  if (there === undefined) {
    const isAbove =
      parent === undefined ||
      open.some((one) => pathOf(one) === parent) ||
      quotas.some((one) => pathIn(one) === parent);
    if (!isAbove) problems.push(`${label}: no budget is called ${JSON.stringify(parent)}`);
    return [
      {
        says: `open the budget ${label} with ε ${epsilon}`,
        async run() {
          const all = parent === undefined ? [] : await listOf(client.all("listAccounts", { ledger: ledger() }));
          const above = all.find((one) => pathOf(one) === parent && one.status !== "closed")?.id;
          await client.createAccount({
            ledger: ledger(),
            ...(above === undefined ? {} : { parent: above }),
            holder:
              team === undefined
                ? { kind: "person", id: idOf(ids.people, holder) }
                : { kind: "team", id: idOf(ids.teams, holder) },
            kind,
            ...amounts,
          });
        },
      },
    ];
  }
  if (there.kind !== kind) problems.push(`${label} is a ${there.kind}, not a ${kind}`);
  const move = moveTo(there.quota, { epsilon, delta });
  if (!("by" in move)) {
    if (move.kind === "apart") problems.push(`${label}: ε and δ go in different directions; move one of them by hand`);
    return [];
  }
  const { kind: route, by } = move;
  return [
    {
      says: `${route === "allocateQuota" ? "raise" : "lower"} the budget of ${label} from ε ${there.quota.epsilon} to ε ${epsilon}`,
      run: () => client[route]({ account: there.id, ...by }),
    },
  ];
}

const pathIn = ({ team, person, parent }: WantedQuota): string =>
  [...(parent === undefined ? [] : [parent]), team ?? person ?? ""].join("/");
