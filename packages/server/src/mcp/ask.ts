import type { Client, Plan, Quote } from "@dosimeter/client";
import { invalid } from "@dosimeter/core";
import { present } from "@dosimeter/core/internal";
import type { StatisticRequest } from "@dosimeter/query/statistics";
import { type Currency, withTotal } from "@dosimeter/sql-text";
import type { Arguments } from "./arguments.ts";
import { accountLine, datasetOf, payerOf, releaseLines } from "./found.ts";
import { paged } from "./paged.ts";
import { planForAccuracy } from "./plan-for-accuracy.ts";
import { buyRelease, WAIT_SECONDS } from "./wait-for-release.ts";

/** The listed tools that ask: in SQL, or by the rows of a plan. */

export async function quote(client: Client, given: Arguments<"quote">, signal: AbortSignal): Promise<object> {
  oneQuestion(given);
  const { sql, plan: _, within, people, ...rest } = given;
  if (sql !== undefined) {
    if (within !== undefined) invalid("within", within, "given with a plan, not with SQL");
    const account = await payerOf(client, rest);
    const { dataset: __, ...priced } = rest;
    const quoted = await client.quoteSql({ ...priced, account, sql, ...present({ people }) }, { signal });
    return quoteLines(quoted.quote, account, { notes: quoted.notes });
  }
  const { dataset, account } = await placeOf(client, given);
  const { epsilon, rho, reuse } = rest;
  const request = { dataset, account, plan: planOf(given), ...present({ people, reuse, epsilon, rho }) };
  if (within === undefined) return quoteLines(await client.quotePlan(request, { signal }), account, {});
  const found = await planForAccuracy(client, { ...request, within }, signal);
  return quoteLines(found.quote, account, { plan: found.plan });
}

export async function release(client: Client, given: Arguments<"release">, signal: AbortSignal): Promise<object> {
  oneQuestion(given);
  const { sql, key, purpose, reuse, epsilon, rho, delta } = given;
  if (sql !== undefined) {
    const account = await payerOf(client, given);
    const found = await client.releaseSql(
      { sql, account, wait: WAIT_SECONDS, ...present({ epsilon, rho, delta, reuse, purpose }) },
      { idempotencyKey: key },
    );
    return releaseLines(found.release, { tables: found.tables ?? undefined, notes: found.notes });
  }
  const { dataset, account } = await placeOf(client, given);
  const plan = priced(planOf(given), { epsilon, rho });
  return releaseLines(
    await buyRelease(client, { dataset, account, plan, key, ...present({ reuse, purpose }) }, signal),
  );
}

/** A total is split here, in the same way as by a quote: the same key names the same request, whatever a quote would say now. */
function priced(plan: Plan, totals: Pick<Arguments<"release">, Currency>): Plan {
  let statistics = plan.statistics as readonly StatisticRequest[];
  for (const currency of ["epsilon", "rho"] as const) {
    const total = totals[currency];
    if (total !== undefined)
      statistics = withTotal(statistics, currency, total, (want) => invalid(currency, total, want));
  }
  return { ...plan, statistics } as Plan;
}

export async function budget(
  client: Client,
  { dataset, account, epsilon, note, page }: Arguments<"budget">,
  signal: AbortSignal,
): Promise<object> {
  if (epsilon === undefined) {
    const { items } = await client.listMyAccounts({}, { signal });
    return paged(items.map(accountLine), page);
  }
  if (dataset === undefined) invalid("dataset", undefined, "the dataset that more is asked of, by name or id");
  const { id } = await datasetOf(client, dataset);
  const request = { dataset: id, epsilon, ...present({ account, note }) };
  const { id: made, status } = await client.createRequest(request);
  return { request: made, status };
}

async function placeOf(client: Client, given: Pick<Arguments<"quote">, "dataset" | "account">) {
  const { dataset } = given;
  if (dataset === undefined) invalid("dataset", undefined, "given with a plan, by name or id; or ask in sql");
  const { id } = await datasetOf(client, dataset);
  return { dataset: id, account: await payerOf(client, { ...given, dataset: id }) };
}

function oneQuestion({ sql, plan, delta }: Pick<Arguments<"quote">, "sql" | "plan" | "delta">): void {
  if (sql !== undefined && plan !== undefined) invalid("plan", plan, "absent where sql asks: send one of the two");
  if (sql === undefined && delta !== undefined) invalid("delta", delta, "given with SQL; a plan states it in its rows");
}

const planOf = ({ plan }: Pick<Arguments<"quote">, "plan">): Plan =>
  plan === undefined ? invalid("sql", undefined, "a SELECT, or `plan` instead") : (plan as Plan);

function quoteLines(found: Quote, account: string, more: object): object {
  const { admitted, statistics, warnings, cost, path, refusal, agent, plan } = found;
  const left = path.find((one) => one.account === account)?.after?.epsilon.left;
  return {
    admitted,
    account,
    cost,
    ...present({ left: left ?? undefined, plan }),
    statistics: statistics.map(statisticLine),
    ...(warnings.length === 0 ? {} : { warnings }),
    ...(agent?.outcome === "waits" ? { waits: "for a click of my person" } : {}),
    ...(refusal === null ? {} : { refusal: { detail: refusal.detail, largestEpsilon: refusal.largestEpsilon } }),
    ...more,
  };
}

function statisticLine({ id, label, caps, cells, accuracy, reuse }: Quote["statistics"][number]): object {
  const { halfWidth, confidence, scale, useless, remedy, bias, bestBounds } = accuracy;
  const free = reuse.offers.find(({ cost }) => "epsilon" in cost && Number(cost.epsilon) === 0);
  return {
    id,
    label,
    off: halfWidth,
    in: confidence,
    ...(cells === 1 ? {} : { answers: cells }),
    ...(useless ? { useless, ...present({ measuredBy: scale?.by, remedy: remedy ?? undefined }) } : {}),
    ...(caps === null ? {} : { caps, capping: bias ?? "unknown" }),
    ...present({ bestBounds: bestBounds ?? undefined }),
    ...(free === undefined ? {} : { free: { off: free.halfWidth, asAccurate: free.asAccurate } }),
  };
}
