import type { Client, Offer, Quote, SqlRelease } from "@dosimeter/client";
import { type ErrorCode, epsilonAmount, formatEpsilon, PrivacyError } from "@dosimeter/core";
import { present } from "@dosimeter/core/internal";
import { errorText } from "@dosimeter/query/quote";
import { readSql } from "@dosimeter/sql-text";
import { type Placed, roomHint, WireError, wireError } from "./sqlstate.ts";
import type { Variables } from "./variables.ts";

/** The price at which a query without one is quoted, so that its columns and a price that would fit can be named. Nothing is paid. */
const TRIAL_EPSILON = "0.1";

/** The longest that one query waits for its measurement; its charge stands, and the same query is then answered for nothing. */
const WAIT_MS = 600_000;

/** SQL, and where its characters stand in what the client sent. */
export interface Query {
  readonly text: string;
  readonly placed: Placed;
}

export interface Queries {
  /** The columns of each SELECT. Costs nothing. */
  readonly describe: (query: Query, signal: AbortSignal) => Promise<SqlQuote["columns"]>;
  /** The quote as lines of a table. Costs nothing. */
  readonly explain: (query: Query, signal: AbortSignal) => Promise<readonly string[]>;
  /** Answers from earlier releases, or releases for the ε that was stated: one table for each SELECT. */
  readonly answer: (query: Query, signal: AbortSignal) => Promise<readonly Answers[]>;
}

export type Cell = NonNullable<SqlRelease["tables"]>[number]["rows"][number][number];

export interface Answers {
  readonly columns: SqlQuote["columns"][number];
  readonly rows: readonly (readonly Cell[])[];
  readonly notices: readonly string[];
}

type SqlQuote = Awaited<ReturnType<Client["quoteSql"]>>;
type SqlRequest = Parameters<Client["quoteSql"]>[0];

/**
 * SQL of one session, through the routes of the interface: what they decide about rights, prices and reuse is what holds here. A query
 * that was answered before for this reader is a free line of the ledger; one that is being measured is waited for.
 */
// long: operations over what one session has spent
export function openQueries(client: Client, variables: Variables): Queries {
  /** ε that queries of this session have paid, or may have. */
  let spent = 0n;

  async function request({ text }: Query): Promise<SqlRequest> {
    const { dataset } = readSql(text);
    const delta = variables.get("dosimeter.delta");
    const account = await payer(client, dataset.name, variables.get("dosimeter.account"));
    return { sql: text, account, ...present({ delta }) };
  }

  const room = (): bigint => epsilonAmount(variables.show("dosimeter.session_epsilon"), "down") - spent;

  /** With the trial price where none is stated. */
  async function quoteOf(asked: SqlRequest, epsilon: string | undefined): Promise<Quoted> {
    const stated = { ...asked, ...present({ epsilon }) };
    try {
      return { isPriced: true, asked: stated, ...(await client.quoteSql({ ...stated, reuse: "asAccurate" })) };
    } catch (error) {
      if (!isWithoutPrice(error)) throw error;
      const tried = { ...asked, epsilon: TRIAL_EPSILON };
      return { isPriced: false, asked: tried, ...(await client.quoteSql({ ...tried, reuse: "free" })) };
    }
  }

  /** Refuses a price that is more than the session may still pay. */
  function refuseBeyond(full: bigint | null): bigint {
    const left = room();
    if (full === null)
      throw new WireError(
        { code: "0A000", hint: "State ε, or ask through POST /v1/sql/release." },
        "a price in ρ cannot be compared with the ε of this session",
      );
    if (full <= left) return full;
    const hint = left > 0n ? roomHint(formatEpsilon(left)) : "Begin a new session.";
    throw new WireError(
      { code: "53400", hint },
      `the query costs up to ε = ${formatEpsilon(full)}; this session may pay ${formatEpsilon(left > 0n ? left : 0n)} more, by dosimeter.session_epsilon`,
    );
  }

  async function answer(query: Query, signal: AbortSignal): Promise<readonly Answers[]> {
    const { epsilon, key } = variables.take(); // for this query alone, whatever becomes of it
    const asked = await request(query);
    const quoted = await quoteOf(asked, epsilon);
    // From here to the request that charges, nothing is waited for: what was cancelled before is never charged.
    signal.throwIfAborted();
    const offers = key === undefined ? freeOffers(quoted) : null;
    if (!quoted.isPriced && offers === null) return refuseWithoutPrice(quoted, room());
    const full = offers === null ? refuseBeyond(fullPrice(quoted)) : 0n;
    spent += full;
    const { release, tables, notes } = await client
      .releaseSqlAndWait(
        {
          ...quoted.asked,
          dataset: quoted.dataset,
          ...(variables.get("dosimeter.exact") === "on" ? { exact: true } : {}),
          reuse: offers ?? (key === undefined ? "asAccurate" : "never"),
        },
        { signal, ...present({ idempotencyKey: key }) },
      )
      .catch((error: unknown) => {
        if (chargedNothing(error)) spent -= full;
        throw error;
      });
    const paid = release.receipt?.epsilon;
    const cost = paid == null ? full : epsilonAmount(paid, "up");
    spent += cost - full;
    const said = cost > 0n ? `paid ε = ${formatEpsilon(cost)}` : "free: from earlier answers";
    return (tables ?? []).map(({ rows, notes: ofTable }, place) => ({
      columns: quoted.columns[place] ?? [],
      rows,
      notices: [...ofTable, ...(place === 0 ? [...notes, `${said}; release ${release.id}`] : [])],
    }));
  }

  const quoted = async (query: Query): Promise<Quoted> =>
    quoteOf(await request(query), variables.get("dosimeter.epsilon"));

  return {
    explain: (query, signal) => inPlace(query, async () => quoteLines(await within(signal, () => quoted(query)))),
    describe: (query, signal) => inPlace(query, async () => (await within(signal, () => quoted(query))).columns),
    answer: (query, signal) => inPlace(query, () => within(signal, (either) => answer(query, either))),
  };
}

/** Refusals that come before a charge; after any other error, it may stand. */
const UNCHARGED: ReadonlySet<ErrorCode> = new Set([
  "BUDGET_EXHAUSTED",
  "QUOTA_EXHAUSTED",
  "PRICE_TOO_SMALL",
  "FORBIDDEN",
  "IDEMPOTENCY_CONFLICT",
]);
const chargedNothing = (error: unknown): boolean => error instanceof PrivacyError && UNCHARGED.has(error.code);

type Quoted = SqlQuote & { readonly isPriced: boolean; readonly asked: SqlRequest };

/** A refusal is said at its place in the text that the client sent. */
async function inPlace<T>({ placed }: Query, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw error instanceof PrivacyError ? wireError(error, placed) : error;
  }
}

/** Ends the waiting when the client cancels, or after the longest wait. */
async function within<T>(cancelled: AbortSignal, run: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const signal = AbortSignal.any([cancelled, AbortSignal.timeout(WAIT_MS)]);
  const { promise, reject } = Promise.withResolvers<never>();
  const stop = () =>
    reject(
      new WireError(
        { code: "57014", hint: "What was charged stands: the same query is then answered for nothing." },
        cancelled.aborted ? "the query was cancelled" : "the answer is not there yet; ask again",
      ),
    );
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  try {
    return await Promise.race([run(signal), promise]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/** The account that pays: the one that was named, or the only one. Who pays is never guessed. */
async function payer(client: Client, dataset: string, wanted: string | undefined): Promise<string> {
  const { accounts, name } = await datasetCalled(client, dataset);
  const paths = accounts.map(({ path }) => path.join("/"));
  const found = accounts.filter(
    ({ id }, place) =>
      wanted === undefined || id === wanted || paths[place] === wanted || paths[place]?.endsWith(`/${wanted}`),
  );
  const [only, ...rest] = found;
  if (only !== undefined && rest.length === 0) return only.id;
  throw new WireError(
    {
      code: "22023",
      hint:
        accounts.length === 0
          ? "Ask for budget on the page of the dataset."
          : `SET dosimeter.account = '…', one of ${paths.slice(0, 10).join(", ")}.`,
    },
    only === undefined
      ? `you have no budget${wanted === undefined ? "" : ` ${JSON.stringify(wanted.slice(0, 80))}`} on the ledger of ${JSON.stringify(name)}`
      : "several budgets could pay: choose one",
  );
}

async function datasetCalled(client: Client, name: string) {
  try {
    return await client.showDataset({ dataset: name });
  } catch (error) {
    if (!(error instanceof PrivacyError && error.code === "NOT_FOUND")) throw error;
    const { items } = await client.listDatasets({ text: name });
    const alike = items.filter((each) => each.name.toLowerCase() === name.normalize("NFC").toLowerCase());
    const [only] = alike;
    if (only !== undefined && alike.length === 1) return client.showDataset({ dataset: only.id });
    throw new WireError(
      { code: "42P01", hint: "FROM names a dataset that you can see, by name or id." },
      `dataset ${JSON.stringify(name.slice(0, 80))}: not found, or not visible to you`,
    );
  }
}

const isWithoutPrice = (error: unknown): boolean =>
  error instanceof PrivacyError &&
  error.code === "INVALID_PARAMETER" &&
  error.details.name === "epsilon" &&
  error.details.got === undefined;

/** An earlier answer for every row, each by its id: so nothing new can be drawn in their place. Null where one is missing. */
function freeOffers({ quote, isPriced }: Quoted): Readonly<Record<string, string>> | null {
  const chosen: Record<string, string> = {};
  for (const { id, reuse } of quote.statistics) {
    const isSame = ({ kind }: Offer) => kind === "same" || kind === "pooled";
    const free = reuse.offers.filter((offer) => (isPriced ? offer.id === reuse.chosen : isSame(offer)));
    const offer = free.find((one) => one.id === reuse.chosen) ?? free[0];
    if (offer === undefined) return null;
    chosen[id] = offer.id;
  }
  return chosen;
}

/** The sum of what the rows state, which a charge never exceeds; null where a row pays in ρ. */
function fullPrice({ plan }: Pick<Quoted, "plan">): bigint | null {
  let total = 0n;
  for (const { epsilon, rho } of plan.statistics) {
    if (rho !== undefined || epsilon === undefined) return null;
    total += epsilonAmount(epsilon, "up");
  }
  return total;
}

/** No ε, no answer: the hint is the quote, at a price that fits. */
function refuseWithoutPrice({ quote }: Quoted, left: bigint): never {
  throw new WireError(
    { code: "22023", hint: `${quoteWords(quote, left)} It pays for the next query alone.` },
    "no ε is stated, and there is no default",
  );
}

function quoteLines({ quote, plan, isPriced, notes, asked }: Quoted): readonly string[] {
  const { admitted, refusal, statistics, confidence } = quote;
  const full = fullPrice({ plan });
  const drawn = full === null ? "costs what its rows state" : `costs ε = ${formatEpsilon(full)}`;
  const isFree = statistics.every(({ reuse }) => reuse.chosen !== null);
  const price = admitted
    ? `${drawn}${isFree ? " afresh, and nothing by earlier answers" : ""}`
    : (refusal?.detail ?? "");
  return [
    isPriced ? price : `no ε is stated; at ε = ${asked.epsilon} it ${price}`,
    ...statistics.map(({ label, accuracy: { halfWidth }, noise, reuse }) => {
      const unit = noise === "selection" ? "rows" : null;
      const error =
        halfWidth === null
          ? ""
          : `, within ± ${errorText(halfWidth, unit)} in ${Math.round(confidence * 100)} of 100 cases`;
      const free = reuse.chosen === null ? "" : ", free from earlier answers";
      return `${label}${error}${free}; question ${reuse.key}`;
    }),
    ...quote.warnings,
    ...notes,
  ];
}

function quoteWords({ admitted, refusal, statistics, confidence }: Quote, left: bigint): string {
  const fits = admitted ? TRIAL_EPSILON : (refusal?.largestEpsilon ?? "0");
  const most = epsilonAmount(fits, "down");
  const price = formatEpsilon(most < left ? most : left > 0n ? left : 0n);
  if (price !== TRIAL_EPSILON) return roomHint(price);
  const rows = statistics.slice(0, 5).flatMap(({ label, accuracy: { halfWidth, useless }, noise }) => {
    if (halfWidth === null) return [];
    const error = `${label} within ± ${errorText(halfWidth, noise === "selection" ? "rows" : null)}`;
    return [useless ? `${error}, too little to be useful` : error];
  });
  const accuracy =
    rows.length === 0 ? "" : ` ${rows.join("; ")}, each in ${Math.round(confidence * 100)} of 100 cases.`;
  return `${roomHint(price)}${accuracy}`;
}
