import type { Agent, Confirmation as ConfirmationView } from "@dosimeter/client";
import { formatEpsilon } from "@dosimeter/core";
import { unlessRefused, visible } from "@dosimeter/core/internal";
import {
  type AgentLimits,
  type Charge,
  type Confirmation,
  declaredIn,
  type LedgerDatabase,
  type PrincipalId,
  type Share,
} from "@dosimeter/ledger";
import { planTable, planTitle } from "@dosimeter/query/answer";
import type { Declaration } from "@dosimeter/query/declaration";
import type { Plan } from "@dosimeter/query/statistics";
import { sqlOfPlan } from "@dosimeter/sql-text";
import { storedIn } from "../release/request.ts";
import { type Tables, versionOf } from "../reuse/versioned-table.ts";
import { joinedId } from "../sources/tables.ts";
import { aboutReleases } from "./about-releases.ts";
import { epsilonOrNull } from "./balance.ts";
import type { Directory } from "./directory.ts";
import { planView } from "./plan.ts";

/** The charges of an agent that its person is shown. */
const NEWEST = 20;

export async function agentView(
  { id, name, removedAt }: { readonly id: PrincipalId; readonly name: string; readonly removedAt: string | null },
  names: Pick<Directory, "nameOf">,
  deps: Tables,
): Promise<Agent> {
  const { agents, releases } = deps.database;
  const waiting = await agents.openConfirmations({ agents: [id] });
  const charges = await agents.agentCharges({ agent: id, limit: NEWEST });
  const full = await Promise.all(charges.map(({ charge }) => releases.chargeOf(charge)));
  const about = await aboutReleases(
    full.filter(({ status }) => status !== "declared"),
    deps,
  );
  const titleOf = (one: Charge) => {
    const declared = declaredIn(one.request);
    if (declared !== null) return `Made outside: ${visible(declared.purpose)}`;
    return visible(planTitle(about(one).request.plan, about(one).declaration));
  };
  const person = (await deps.database.people.analystsBehind()).get(id);
  const shares = person === undefined ? [] : await agents.sharesOf({ agent: id, person });
  return {
    id,
    name,
    removedAt,
    ...limitsView(await agents.agentLimits(id)),
    spentThisHour: epsilonOrNull(await agents.spentThisHour(id)),
    shares: await Promise.all(shares.map((share) => shareView(share, deps.database))),
    waiting: await Promise.all(
      waiting.map(async (one) => confirmationView(await confirmationNow(one, deps.database), names, deps)),
    ),
    charges: charges.map(({ charge, dataset, epsilon, purpose, at }, index) => {
      const one = full[index];
      // Never its label: the agent may have written that.
      const title = one === undefined ? "" : titleOf(one);
      return {
        release: charge,
        dataset,
        datasetName: names.nameOf(dataset),
        title,
        epsilon: epsilonOrNull(epsilon),
        purpose,
        at,
      };
    }),
  };
}

async function shareView({ account, own, given }: Share, { ledgers, catalog }: LedgerDatabase) {
  const { population } = await ledgers.ledger(account.ledger);
  return {
    account: account.id,
    own: own.id,
    ledger: account.ledger,
    datasetNames: (await catalog.datasetsOf(population)).map(({ name }) => name),
    given: formatEpsilon(given.epsilon),
    free: formatEpsilon((await ledgers.free(account.id)).epsilon),
    ownFree: formatEpsilon((await ledgers.free(own.id)).epsilon),
  };
}

export const limitsView = ({ hourEpsilon, confirmAbove }: AgentLimits) => ({
  hourEpsilon: epsilonOrNull(hourEpsilon),
  confirmAbove: epsilonOrNull(confirmAbove),
});

/** As SQL, or as JSON where that cannot say it: with columns that are no longer declared. */
function textOf(plan: Plan, declaration: Declaration): string {
  return unlessRefused(() => sqlOfPlan(plan, declaration), JSON.stringify(plan, null, 2));
}

/** A confirmation with what became of it up to now: its charge, or that its time is over. */
export async function confirmationNow(confirmation: Confirmation, { releases }: Pick<LedgerDatabase, "releases">) {
  const { agent, key, status, expiresAt } = confirmation;
  const charge = await releases.chargeByKey({ principal: agent, key });
  const isOver = status !== "refused" && charge === null && expiresAt <= new Date().toISOString();
  return { ...confirmation, charge, status: isOver ? ("expired" as const) : status };
}

/** What is asked, as the dataset is declared now. */
export async function confirmationView(
  confirmation: Awaited<ReturnType<typeof confirmationNow>>,
  { nameOf }: Pick<Directory, "nameOf">,
  { database, files }: Tables,
): Promise<ConfirmationView> {
  const { id, agent, account, dataset, asked, epsilon, purpose, status, askedAt, expiresAt, charge } = confirmation;
  const { plan } = storedIn({ request: asked });
  const other = joinedId(plan);
  const join =
    other === null ? null : { dataset: await database.catalog.dataset(other), version: plan.join?.version ?? null };
  const { declaration } = await versionOf({ database, files }, await database.catalog.dataset(dataset), null, join);
  return {
    id,
    agent,
    agentName: nameOf(agent),
    dataset,
    datasetName: nameOf(dataset),
    account,
    title: visible(planTitle(plan, planTable(plan, declaration))),
    text: visible(textOf(plan, declaration)),
    plan: planView(plan),
    epsilon: epsilonOrNull(epsilon),
    purpose,
    status,
    askedAt,
    expiresAt,
    release: charge?.id ?? null,
  };
}
