import { type DpEvent, PrivacyError, type SecureRandom } from "@dosimeter/core";
import type { AccountId, Books, Charge, Dataset, DatasetId, Json, PrincipalId, Release } from "@dosimeter/ledger";
import { boundPlan, type Engine, eventsOf, noiseSteps, type Plan } from "@dosimeter/query";
import type { Files } from "./files.ts";
import { inSlices } from "./slices.ts";
import { asJson, tableOf } from "./tables.ts";

/** What a release is made with; `random` is the operating system's generator, by type. */
export interface ReleaseDeps {
  readonly books: Books;
  readonly engine: Engine;
  readonly files: Files;
  readonly random: SecureRandom;
  /** Who holds the leases of this server's charges. */
  readonly owner: string;
  /** Labelled steps for tests that kill the process there. */
  readonly step: (label: ReleaseStep) => void;
}

export const releaseSteps = [
  "release.bounded",
  "release.charged",
  "release.measured",
  "release.noised",
  "release.stored",
] as const;
export type ReleaseStep = (typeof releaseSteps)[number];

export interface ReleaseRequest {
  readonly principal: PrincipalId;
  readonly account: AccountId;
  readonly dataset: DatasetId;
  readonly plan: Plan;
  /** Idempotency key: the same key is charged once. */
  readonly key: string;
}

/** A charge nobody works on belongs to whoever comes after so many seconds. */
export const LEASE_SECONDS = 30;

/**
 * plan → bound → charge. Reads no private byte. When it returns, the plan's events are durably debited from the ledger and
 * every account on the path, once for this key; when it throws, nothing was.
 */
export async function chargePlan({ books, files, owner, step }: ReleaseDeps, request: ReleaseRequest): Promise<Charge> {
  const { principal, account, key } = request;
  const asked = asJson({ dataset: request.dataset, account, plan: request.plan });
  const earlier = await books.releases.chargeByKey({ principal, key });
  if (earlier !== null) return sameRequest(earlier, asked);

  const dataset = await books.catalog.dataset(request.dataset);
  const { declaration } = tableOf(dataset, files);
  const bounded = boundPlan(request.plan, declaration); // refuses what it cannot bound
  step("release.bounded");

  const { charge } = await books.ledgers.charge({
    principal,
    account,
    dataset: dataset.id,
    key,
    request: asked,
    events: eventsOf(bounded),
    adjacency: bounded.adjacency,
    lease: { owner, seconds: LEASE_SECONDS },
  }); // refuses what the budget cannot pay; durable
  step("release.charged");
  return charge;
}

/**
 * measure → noise → release. From here the cost is spent whatever happens. The answers are durable before anyone can see
 * them; a charge that was finished before gives its stored release and draws nothing.
 */
export async function finishCharge(deps: ReleaseDeps, charge: Charge, until: Settled): Promise<Release> {
  const { books, engine, files, random, owner, step } = deps;
  const { dataset, plan } = requestOf(charge);
  const { declaration, version } = tableOf(await books.catalog.dataset(dataset), files);
  const bounded = boundPlan(plan, declaration);
  refuseOtherEvents(charge, eventsOf(bounded));

  const exact = await engine.run(bounded, version);
  step("release.measured");
  const answers = await inSlices(noiseSteps(bounded, exact, random));
  step("release.noised");
  await until.settled(); // whoever waits learns a class of durations, not how long the rows took

  const release = await books.releases.complete({ charge: charge.id, owner, answers: asJson(answers) });
  step("release.stored");
  return release;
}

/** What runs is exactly what was charged: a planner or declaration that has changed since may not draw other noise. */
function refuseOtherEvents(charge: Charge, events: readonly DpEvent[]): void {
  if (canonical(asJson(events)) !== canonical(asJson(charge.events)))
    throw new PrivacyError("ENGINE_FAILED", {}, "the plan no longer means the events that were charged");
}

/** Holds an outcome back until its class of durations has passed. */
export interface Settled {
  readonly settled: () => Promise<void>;
}

/** What was asked, as the charge keeps it. */
export function requestOf(charge: Pick<Charge, "request">): {
  readonly dataset: Dataset["id"];
  readonly account: AccountId;
  readonly plan: Plan;
} {
  return charge.request as unknown as ReturnType<typeof requestOf>;
}

function sameRequest(charge: Charge, asked: Json): Charge {
  if (canonical(charge.request) === canonical(asked)) return charge;
  throw new PrivacyError("IDEMPOTENCY_CONFLICT", { name: "idempotency-key" });
}

/** Text that is equal for equal JSON, whatever the order of its fields. */
function canonical(json: Json): string {
  return JSON.stringify(json, (_, value: unknown) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
}
