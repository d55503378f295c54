import { randomUUID } from "node:crypto";
import {
  type BlockRange,
  formatDate,
  formatDelta,
  formatMu2,
  invalid,
  PrivacyError,
  readPeriod,
} from "@dosimeter/core";
import { present } from "@dosimeter/core/internal";
import type {
  AccountId,
  Charge,
  Dataset,
  Declared,
  DeclaredQuote,
  Ledger,
  LedgerDatabase,
  LedgerId,
  Publication,
  WaitingCharge,
} from "@dosimeter/ledger";
import { checkDeclaration } from "@dosimeter/query/declaration";
import { checkPermit } from "@dosimeter/verify";
import { authorise, holds, readableDataset } from "../access/authority.ts";
import type { Caller } from "../access/credentials.ts";
import { askedEpsilon } from "../http/amount.ts";
import type { Call, HandlersOf } from "../http/call.ts";
import type { Deps } from "../http/deps.ts";
import { PAGE_SIZE } from "../http/page.ts";
import { fingerprint } from "../instance/signer.ts";
import { balanceView, epsilonOrNull } from "../view/balance.ts";
import { chargeView, permitText, priceOf, shownCharge } from "../view/charge.ts";
import { directory } from "../view/directory.ts";
import { costView, namedRefusal, refusalView } from "../view/quote.ts";
import { switchHint } from "../view/switch-hint.ts";
import { readableCharges } from "./declared.ts";
import { countRefusal } from "./refusals.ts";

export const charges = {
  async quoteCharge({ deps, caller, input, exchange }) {
    const { database } = deps;
    await deps.rates.take("quote", caller.principal.id, 1 + input.events.length / EVENTS_OF_A_TOKEN);
    const { ledger, ...stating } = await stated(
      { ...input, key: input.key ?? randomUUID(), purpose: input.purpose ?? "quote" },
      caller,
      deps,
    );
    const found = await deps.pricing(caller.principal.id, exchange.signal, () => database.declared.quote(stating));
    const balance = await database.ledgers.account(input.account);
    const { epsilon, delta, mu2 } = balanceView({ ...balance, activeRule: ledger.activeRule });
    const remaining = { epsilon: epsilon.left, delta: delta.left, mu2: mu2.left };
    if (found.made !== null) {
      const { id: made, at, entry, events: charged } = found.made;
      const price = priceOf(await shownCharge(found.made, database));
      const why = `it was charged on ${at.slice(0, 10)}, line ${entry} of the ledger: the same key takes nothing more`;
      return { fits: true, price, epsilon: price.epsilon, delta: price.delta, remaining, charged, made, why };
    }
    const { quote, counted: charged, refused } = found;
    const price = costView(quote);
    const why = await whyNot(found, ledger, database);
    return {
      // Who needs a second person asks one, and then it fits.
      fits: quote.admitted && (refused === null || refused.details.dimension === "second"),
      ...{ price, epsilon: price?.epsilon ?? null, delta: price?.delta ?? null, remaining, charged, made: null },
      ...present({ why }),
    };
  },

  async declareCharge({ deps, caller, input, exchange }) {
    const { database } = deps;
    const { principal } = caller;
    deps.rates.check("refusal", principal.id);
    await deps.rates.take("quote", principal.id, 1 + input.events.length / EVENTS_OF_A_TOKEN);
    const { ledger, ...stating } = await stated(input, caller, deps);
    const asked = deps.pricing(principal.id, exchange.signal, () => database.declared.charge(stating));
    const { charge } = await asked.catch(async (error) => {
      await countRefusal(error, principal.id, deps);
      throw await namedRefusal(error, ledger.id, database);
    });
    exchange.setLocation(`/v1/charges/${charge.id}`);
    deps.sender?.wake();
    const shown = await shownCharge(charge, database);
    return { charge: await view(charge, caller, deps), price: priceOf(shown), permit: permitText(shown, deps.signer) };
  },

  async approveCharge({ deps, caller, input }) {
    const { ledger: _, principal: by, ...stating } = await stated(input, caller, deps);
    await deps.database.declared.approve({ ...stating, by });
    return undefined;
  },

  async listWaitingCharges({ deps, caller, exchange }) {
    const { database } = deps;
    const me = caller.principal.id;
    const names = await directory(database);
    const decides = new Map<string, Promise<boolean>>();
    const mayDecide = (account: string): Promise<boolean> => {
      const known = decides.get(account) ?? holds("accountAdmin", caller, { account }, deps);
      decides.set(account, known);
      return known;
    };
    const seen = await database.declared.waiting(
      async ({ account, principal }) => principal === me || (await mayDecide(account)),
    );
    const events = seen.reduce((count, { declared }) => count + declared.events.length, 0);
    await deps.rates.take("quote", me, 1 + events / EVENTS_OF_A_TOKEN);
    const signal = AbortSignal.any([exchange.signal, AbortSignal.timeout(PRICED_MS)]);
    const items = seen.map(async (one) => {
      const { account, declared, key, status, decidedBy, window = [], ...charge } = one;
      const isMine = one.principal === me;
      const isSecond = await database.declared.isSecond({ principal: one.principal, by: me });
      const ledger = await database.ledgers.ledger((await database.ledgers.account(account)).ledger);
      const found = status === "refused" ? null : await pricedSoon(one, signal, deps);
      const why = found instanceof PrivacyError ? found.message : await whyNot(found, ledger, database);
      const price =
        found === null || found instanceof PrivacyError || found.made !== null ? null : costView(found.quote);
      const stated = { ...declared, account, dataset: one.dataset, key, ...present(monthsOf(ledger, window)) };
      return {
        ...{ id: one.id, stated: stated as unknown as Stated, dataset: one.dataset },
        datasetName: names.nameOf(one.dataset),
        ...{ person: one.principal, personName: names.nameOf(one.principal), at: charge.at, status, price },
        decidedBy: decidedBy === null ? null : names.nameOf(decidedBy),
        ...present({ why }),
        mine: { mayDecide: isSecond && status === "waiting" && (await mayDecide(account)), mayCharge: isMine },
      };
    });
    return { items: await Promise.all(items) };
  },

  async decideCharge({ deps, caller, input: { account, waiting: id, outcome } }) {
    const by = caller.principal.id;
    await deps.database.declared.decide({ id, account: account as AccountId, by, isApproved: outcome === "approve" });
    return undefined;
  },

  async quoteImport({ deps, caller, input, exchange }) {
    const { id: by } = caller.principal;
    await deps.rates.take("quote", by, 1 + input.rows.length / EVENTS_OF_A_TOKEN);
    const { rows, problems } = await publicationsOf(input, deps);
    const asked = { ledger: input.ledger as LedgerId, by, rows };
    const quoted = await deps.pricing(by, exchange.signal, () => deps.database.declared.quoteImport(asked));
    return {
      rows: quoted.map(({ outcome, price, problem: other }, index) => {
        const problem = problems[index] ?? other;
        return {
          ...{
            key: input.rows[index]?.key ?? "",
            outcome: problem === null ? outcome : ("problem" as const),
            why: problem?.message ?? null,
          },
          price: price && {
            epsilon: epsilonOrNull(price.epsilon),
            delta: formatDelta(price.delta),
            mu2: price.mu2 === null ? null : formatMu2(price.mu2),
          },
        };
      }),
    };
  },

  async importCharges({ deps, caller, input }) {
    const { rows, problems } = await publicationsOf(input, deps);
    const problem = problems.find((one) => one !== null);
    if (problem) throw problem;
    const asked = { ledger: input.ledger as LedgerId, by: caller.principal.id, rows };
    const { ledger, imported, repeated, over } = await deps.database.declared.import(asked);
    return { ledger: ledger.id, status: ledger.status, imported, repeated, over };
  },

  async listCharges({ deps, caller, input }) {
    const { dataset, limit = PAGE_SIZE, cursor: after } = input;
    const place = await placeOf(input, caller, deps);
    const { items, next } = await readableCharges({ place, dataset, after, limit }, caller, deps);
    const names = await directory(deps.database);
    return { items: items.map((shown) => chargeView(shown, names, false)), next };
  },

  async showCharge({ deps, caller, input }) {
    return view(await chargeOf(input.charge, deps), caller, deps);
  },

  async showPermit({ deps, caller, input }) {
    const charge = await chargeOf(input.charge, deps);
    await deps.database.ledgers.readUnderCaps({ charge: charge.id, reader: caller.principal.id });
    return { permit: permitText(await shownCharge(charge, deps.database), deps.signer) };
  },

  async redeemPermit({ deps, caller, input }) {
    const found = await checkPermit(input.permit, {
      signedBy: fingerprint(deps.signer),
      ...present({ key: input.key }),
    }).catch((error: unknown) => {
      if (!(error instanceof SyntaxError)) throw error;
      return invalid("body.permit", undefined, `a permit: ${error.message}`);
    });
    const [problem] = found.problems;
    if (problem !== undefined)
      throw new PrivacyError("INVALID_PARAMETER", { name: "body.permit" }, `the permit ${problem}`);
    const charge = await chargeOf(found.permit.charge, deps);
    await deps.rates.take("refusal", caller.principal.id);
    await deps.database.declared.redeem({ charge: charge.id, by: caller.principal.id });
    return { charge: await view(charge, caller, deps, false) };
  },

  async attachEvidence({ deps, caller, input }) {
    const { charge: id, ...evidence } = input;
    const charge = await chargeOf(id, deps);
    await deps.database.declared.attach({ charge: charge.id, by: caller.principal.id, ...evidence });
    return view(charge, caller, deps);
  },

  async publishEvidence({ deps, caller, input }) {
    const charge = await chargeOf(input.charge, deps);
    await deps.database.declared.publish({ charge: charge.id, by: caller.principal.id });
    return view(charge, caller, deps);
  },

  async showDeclaring({ deps, input }) {
    return rightView(await deps.database.declared.right(input.account));
  },

  async setDeclaring({ deps, caller, input }) {
    const { account, mostEpsilon, secondAbove, agents } = input;
    return rightView(
      await deps.database.declared.setRight({
        account,
        mostEpsilon: amountOf(mostEpsilon, "body.mostEpsilon", 1n),
        secondAbove: amountOf(secondAbove, "body.secondAbove", 0n),
        agents,
        by: caller.principal.id,
      }),
    );
  },
} satisfies HandlersOf<"charges">;

type Stated = Call<"declareCharge">["input"];

/** Why it would be refused, in words for people; undefined where it would not. */
async function whyNot(found: DeclaredQuote | null, ledger: Ledger, database: LedgerDatabase) {
  if (found === null || found.made !== null) return undefined;
  const hint = switchHint(found.quote, ledger, { events: found.counted, adjacency: ledger.terms.adjacency });
  const refusal = await refusalView(found.quote, await directory(database), database, hint);
  return refusal?.detail ?? found.refused?.message;
}

/** In the turn of who asked, so that no one else waits for what is dear; a refusal in its place, also of what takes longer than the signal. */
function pricedSoon(one: WaitingCharge, signal: AbortSignal, deps: Deps): Promise<DeclaredQuote | PrivacyError> {
  const { promise: late, resolve } = Promise.withResolvers<PrivacyError>();
  const end = () =>
    resolve(new PrivacyError("NOT_READY", {}, "its price takes longer to compute than this list waits; ask again"));
  signal.addEventListener("abort", end, { once: true });
  if (signal.aborted) end();
  const asked = deps.pricing(one.principal, signal, () => deps.database.declared.quote(one)).catch(refusedNow);
  return Promise.race([asked, late]).finally(() => signal.removeEventListener("abort", end));
}

function refusedNow(error: unknown): PrivacyError {
  if (error instanceof PrivacyError) return error;
  throw error;
}

function monthsOf({ blocks }: Ledger, window: readonly BlockRange[]) {
  const [first, last] = [window[0], window.at(-1)];
  if (first === undefined || last === undefined || blocks === null) return {};
  return { from: formatDate(first.from, blocks.every), to: formatDate(last.to, blocks.every) };
}

/** With what is wrong with the rows of a unit of each. */
async function publicationsOf(input: Call<"importCharges">["input"], { database }: Deps) {
  const { population } = await database.ledgers.ledger(input.ledger);
  const datasets = await database.catalog.datasetsOf(population);
  const least = leastRows(datasets);
  const problems = input.rows.map(({ rowsPerUnit }, index) => {
    try {
      checkRows(rowsPerUnit, least, `body.rows[${index}].rowsPerUnit`);
      return null;
    } catch (error) {
      return refusedNow(error);
    }
  });
  const rows = input.rows.map(({ on, where, purpose = "published", delta, ...row }) => ({
    ...row,
    ...present({ delta: delta === undefined ? undefined : String(delta) }),
    ...{ purpose, published: { on, where } },
  })) as unknown as readonly Publication[];
  return { rows, problems };
}

/** How long a list waits for the prices of what it lists, in milliseconds. */
const PRICED_MS = 2000;

/** A quote of a program outside costs as much time as it has events. */
const EVENTS_OF_A_TOKEN = 100;

const rightView = ({
  mostEpsilon,
  secondAbove,
  agents,
}: Awaited<ReturnType<Deps["database"]["declared"]["right"]>>) => ({
  mostEpsilon: epsilonOrNull(mostEpsilon),
  secondAbove: epsilonOrNull(secondAbove),
  agents,
});

function amountOf(value: string | number | null | undefined, name: string, least: bigint) {
  if (value === null || value === undefined) return value;
  const amount = askedEpsilon(value, name);
  if (amount < least) invalid(name, value, "above 0, or null");
  return amount;
}

const chargeOf = (id: string, { database }: Deps): Promise<Charge> => database.releases.chargeOf(id);

async function view(charge: Charge, caller: Caller, deps: Deps, isWhole = true) {
  const readsReport = isWhole && (await holds("chargeAdmin", caller, { charge: charge.id }, deps));
  return chargeView(await shownCharge(charge, deps.database), await directory(deps.database), readsReport);
}

/** Where the charges of a list are: of an account, of a dataset, or the caller's own. */
async function placeOf({ account, dataset }: Call<"listCharges">["input"], caller: Caller, deps: Deps) {
  if (account !== undefined) {
    await authorise("accountReader", caller, { account }, deps);
    return { account };
  }
  if (dataset === undefined) return { principal: caller.principal.id };
  const { ledger } = await readableDataset(caller, dataset, deps);
  return ledger === null ? { principal: caller.principal.id } : { ledger: ledger.id };
}

/** What the ledger takes: the dataset, the blocks and the rows of a unit must fit it. */
async function stated(input: Call<"declareCharge">["input"], caller: Caller, deps: Deps) {
  const { account, key, from, to, dataset: named, delta, ...given } = input;
  const { ledgers } = deps.database;
  const ledger = await ledgers.ledger((await ledgers.account(account)).ledger);
  const dataset = await datasetOf(named, ledger, caller, deps);
  checkRows(given.rowsPerUnit, leastRows([dataset]), "body.rowsPerUnit");
  return {
    ...{ ledger, principal: caller.principal.id, account, dataset: dataset.id, key },
    declared: {
      ...given,
      ...present({ delta: delta === undefined ? undefined : String(delta) }),
    } as unknown as Declared,
    ...present({ window: windowOf(ledger, from, to) }),
  };
}

/** The most rows that these declarations let one person have; 0 where each row is a unit. */
function leastRows(datasets: readonly Dataset[]): number {
  const most = datasets.map(({ declaration }) => {
    const { privacyUnit, contribution } = checkDeclaration(declaration);
    const { groups = 1, rowsPerGroup = 1 } = contribution;
    return privacyUnit === "row" ? 0 : (contribution.rows ?? groups * rowsPerGroup);
  });
  return Math.max(0, ...most);
}

/** Where people are protected: no fewer rows of one than they may have. */
function checkRows(rows: number | undefined, least: number, name: string): void {
  if (least > 0 && (rows ?? 0) < least)
    invalid(
      name,
      rows,
      `the most rows of one person that the events were computed for, at least ${least}, the most that each of them may have here. A program that itself keeps fewer of each has events for ${least} too`,
    );
}

/** The dataset that is named, or the only one of the ledger. */
async function datasetOf(named: string | undefined, ledger: Ledger, caller: Caller, deps: Deps): Promise<Dataset> {
  if (named !== undefined) {
    const { dataset } = await readableDataset(caller, named, deps);
    if (dataset.population === ledger.population) return dataset;
    return invalid("body.dataset", named, "a dataset on the ledger of the account");
  }
  const [only, second] = await deps.database.catalog.datasetsOf(ledger.population);
  if (only !== undefined && second === undefined) return only;
  return invalid("body.dataset", undefined, "named: the ledger protects several");
}

function windowOf({ blocks }: Ledger, from: string | undefined, to: string | undefined) {
  if (from === undefined && to === undefined) return undefined; // the ledger refuses it where it has blocks
  if (from === undefined) return invalid("body.from", from, "given next to body.to");
  if (blocks === null) return invalid("body.from", from, "absent: this ledger has no blocks");
  const block = (name: string, text: string): number => {
    const read = readPeriod(text);
    return read?.unit === blocks.every ? read.period : invalid(name, text, `a ${blocks.every}, as releases name it`);
  };
  return [{ from: block("body.from", from), to: block("body.to", to ?? from) }];
}
