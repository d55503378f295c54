import type { Client, Plan, Quote } from "@dosimeter/client";
import { formatEpsilon, invalid } from "@dosimeter/core";
import { readableUnits } from "@dosimeter/planner";

interface AccuracyRequest {
  readonly dataset: string;
  readonly account: string;
  readonly plan: Plan;
  readonly people?: number | undefined;
  /** The largest half-width: of every row, or of some rows by id. */
  readonly within: number | Readonly<Record<string, number>>;
}

/** The search for one row's least price; `price` is tried next. */
interface Search {
  readonly id: string;
  readonly paidIn: "epsilon" | "rho";
  readonly target: number;
  /** Too little, and enough as far as is known. */
  readonly low: number;
  readonly high: number | null;
  readonly price: number;
  readonly isOver: boolean;
}

const MAX_QUOTES = 14;
const MAX_PRICE = 100;
/** A price that is this much above one that is too little is the least. */
const CLOSE = 1.01;

/**
 * The plan with prices of three digits, at most two in a hundred above the least at which each row meets its error, and its
 * quote. A quote costs nothing, and the error falls as the price rises, so a few quotes find it. INVALID_PARAMETER for an error
 * that no price reaches.
 */
export async function planForAccuracy(
  client: Pick<Client, "quotePlan">,
  { within, plan, ...rest }: AccuracyRequest,
  signal: AbortSignal,
): Promise<{ plan: Plan; quote: Quote }> {
  const ids = plan.statistics.map(({ id }, index) => id ?? `s${index + 1}`);
  if (typeof within === "object")
    for (const id of Object.keys(within))
      if (!ids.includes(id)) invalid("within", id, `ids of rows: ${ids.join(", ")}`);
  const quoted = (priced: Plan) => client.quotePlan({ ...rest, plan: priced }, { signal });
  let searches = plan.statistics.map((row, index): Search | null => {
    const id = ids[index] ?? "";
    const target = typeof within === "number" ? within : within[id];
    if (target === undefined) return null;
    const paidIn = row.rho !== undefined || row.noise === "gaussian" ? "rho" : "epsilon";
    return { id, paidIn, target, low: 0, high: null, price: 1, isOver: false };
  });
  for (let asked = 0; asked < MAX_QUOTES && searches.some((search) => search?.isOver === false); asked++) {
    const { statistics } = await quoted(pricedBy(plan, searches, ({ price }) => price));
    searches = searches.map(
      (search, index) => search && narrowed(search, statistics[index]?.accuracy.halfWidth ?? null, asked % 3 === 2),
    );
  }
  for (const search of searches) if (search?.high === null) throw unreachable(search);
  const priced = pricedBy(plan, searches, ({ high }) => high ?? MAX_PRICE);
  return { plan: priced, quote: await quoted(priced) };
}

/** What one quote says; the next price is a guess, or the middle of what is left. */
function narrowed(search: Search, halfWidth: number | null, isMiddle: boolean): Search {
  if (halfWidth === null)
    invalid("people", undefined, `about how many people there are: the error of ${search.id} depends on it`);
  const { target, price, paidIn } = search;
  if (search.isOver) return search;
  const isEnough = halfWidth <= target;
  const low = isEnough ? search.low : Math.max(search.low, price);
  const high = isEnough ? Math.min(search.high ?? price, price) : search.high;
  if (high === null && price >= MAX_PRICE) return { ...search, low, isOver: true };
  const isOver = high !== null && high <= readable(low * CLOSE);
  // The error of Laplace noise falls as 1/ε, that of Gaussian noise as 1/√ρ; that of a count falls in steps.
  const guess = readable(Math.min(price * (halfWidth / target) ** (paidIn === "rho" ? 2 : 1), MAX_PRICE));
  const next =
    high === null
      ? Math.max(guess, readable(2 * low))
      : isMiddle || guess <= low || guess >= high
        ? readable(low === 0 ? high / 4 : Math.sqrt(low * high))
        : guess;
  return { ...search, low, high, price: isOver ? high : Math.min(next, MAX_PRICE), isOver };
}

const unreachable = ({ id, target, paidIn }: Search): never =>
  invalid(`within.${id}`, target, `an error that a price of at most ${paidIn} = ${MAX_PRICE} reaches`);

const unitsOf = (price: number): bigint => BigInt(Math.ceil(price * 1e12));
const textOf = (units: bigint): string => formatEpsilon(units);
/** A price of three digits, rounded up. */
const formatted = (price: number): string => textOf(readableUnits(unitsOf(price)));
const readable = (price: number): number => Number(formatted(price));

function pricedBy(plan: Plan, searches: readonly (Search | null)[], priceOf: (search: Search) => number): Plan {
  const statistics = plan.statistics.map((row, index) => {
    const search = searches[index];
    if (search == null) return row;
    const { epsilon: _, rho: __, ...asked } = row;
    return { ...asked, statistic: row.statistic, [search.paidIn]: formatted(priceOf(search)) };
  });
  return { ...plan, statistics };
}
