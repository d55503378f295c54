import { type Decimal, formatRational, PrivacyError, parseRational } from "@dosimeter/core";
import { canonicalJson } from "@dosimeter/core/internal";
import type { AccountId, Charge, ChargeId, Dataset, Json } from "@dosimeter/ledger";
import { plainPlan } from "@dosimeter/query/plan";
import type { Plan } from "@dosimeter/query/statistics";
import type { ReuseChoice } from "../reuse/choice.ts";
import type { Resolution } from "../reuse/resolve.ts";
import { asJson } from "../sources/tables.ts";

/** The request as the charge stores it, and how its rows were decided. */
export interface StoredRequest {
  readonly dataset: Dataset["id"];
  readonly account: AccountId;
  readonly plan: Plan;
  readonly reuse?: ReuseChoice;
  readonly asOf?: number | null;
  readonly version?: number;
  readonly joined?: number;
  /** The version of the program that drew the noise. */
  readonly software?: string;
  readonly resolutions?: readonly Resolution[];
  /** Of a running total that goes on, the charges of all its steps before: they paid for the other blocks that it reads [M209]. */
  readonly continues?: readonly ChargeId[];
  /** The blocks that its plan meant when it was charged; absent where the population has none. */
  readonly window?: { readonly blocks: readonly string[] };
}

/** The fields that were asked for; the others were decided. */
const ASKED = ["dataset", "account", "plan", "reuse", "asOf"] as const;
export type AskedRequest = Pick<StoredRequest, (typeof ASKED)[number]>;

/** What the ledger keeps as JSON: the server wrote it. */
export const storedIn = ({ request }: Pick<Charge, "request">): StoredRequest => request as unknown as StoredRequest;

/** The request of a charge; its plan names the blocks that were charged, also where it was asked as `latest 12`. */
export function requestOf(charge: Pick<Charge, "request">): StoredRequest {
  const { window, ...stored } = storedIn(charge);
  return window === undefined ? stored : { ...stored, plan: { ...(plainPlan(stored.plan) as Plan), window } };
}

/** The charges that paid for the earlier answers in a release. */
export const originsOf = ({
  resolutions = [],
  continues = [],
}: Pick<StoredRequest, "resolutions" | "continues">): readonly ChargeId[] => [...sourcesOf(resolutions), ...continues];

/** The charges that paid for the answers that these rows use. */
export const sourcesOf = (resolutions: readonly Resolution[]): readonly ChargeId[] => [
  ...new Set(resolutions.flatMap(({ from }) => from.map(({ release }) => release as ChargeId))),
];

/** IDEMPOTENCY_CONFLICT unless the charge of this key has the same request, however its prices are written; its decisions stay. */
export function refuseOtherRequest(charge: Charge, request: AskedRequest): void {
  const stored = storedIn(charge);
  const before = Object.fromEntries(ASKED.map((name) => [name, stored[name]])) as unknown as AskedRequest;
  if (isSameJson(asJson(before), asJson(request))) return;
  const isAsLong = before.plan.statistics.length === request.plan.statistics.length;
  if (isAsLong && isSameJson(asJson(exactly(before)), asJson(exactly(request)))) return;
  const other =
    before.dataset !== request.dataset ? "dataset" : before.account !== request.account ? "account" : "plan";
  throw new PrivacyError(
    "IDEMPOTENCY_CONFLICT",
    { name: "idempotency-key", other },
    `this idempotency key was used for another ${other}: a new question needs a new key`,
  );
}

/** The request with each price as an exact fraction: 0.01, "0.01" and "0.010" are one price. */
function exactly(request: AskedRequest): AskedRequest {
  const price = (name: "epsilon" | "rho", value: Decimal | undefined) =>
    value === undefined ? {} : { [name]: formatRational(parseRational(value, name)) };
  const statistics = request.plan.statistics.map((row) => ({
    ...row,
    ...price("epsilon", row.epsilon),
    ...price("rho", row.rho),
  }));
  return { ...request, plan: { ...request.plan, statistics } };
}

/** Whether two values are the same JSON, whatever the order of their fields. */
export const isSameJson = (a: Json, b: Json): boolean => canonicalJson(a) === canonicalJson(b);
