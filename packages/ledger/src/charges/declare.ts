import {
  type BlockRange,
  type DpEvent,
  type EpsilonAmount,
  formatEpsilon,
  invalid,
  PrivacyError,
} from "@dosimeter/core";
import { present } from "@dosimeter/core/internal";
import { pathOf, type Quote, quote } from "../accounts/balance.ts";
import { readUnderCaps, refuseUnreadable } from "../accounts/cap-reading.ts";
import { closedOf } from "../accounts/charge-cache.ts";
import { approvalDigest, refusedQuote } from "../accounts/declare-right.ts";
import { quoteAgent } from "../agents/limits.ts";
import { change } from "../audit/change.ts";
import type { Context } from "../context.ts";
import { refuseAgent } from "../people/payer.ts";
import {
  type Charge,
  type ChargeRequest,
  type CheckedRequest,
  checkRequest,
  rowByKey,
  toCharge,
} from "../release/charge.ts";
import { usedKey } from "../values/check.ts";
import { checkDeclared, type Declared, declaredIn, statedIn } from "../values/declared.ts";
import type { AccountId, By, DatasetId, PrincipalId } from "../values/id.ts";
import { countedOn } from "./counted-on.ts";
import { charge } from "./plan.ts";
import { takenBefore } from "./programs.ts";
import { approve, keepWaiting } from "./wait.ts";
import type { ChargeOutcome } from "./writer.ts";

/** What someone charges for a program outside. */
export interface Declaring {
  readonly principal: PrincipalId;
  readonly account: AccountId;
  readonly dataset: DatasetId;
  readonly key: string;
  readonly declared: Declared;
  readonly window?: readonly BlockRange[] | undefined;
}

/**
 * Charges what a program outside declares, by the decision of a release and in one transaction with it: every account on the path, once by its
 * key, before the program runs. Nothing is measured and nothing is given back. [M388] Throws as `charge` does; FORBIDDEN without the right,
 * CONFIRMATION_NEEDED where a second person has to agree.
 */
export async function declare(context: Context, given: Declaring): Promise<ChargeOutcome> {
  const asked = requestOf(context, given);
  const made = await madeBefore(context, asked);
  if (made !== null) return counted(context, { charge: made, repeated: true, release: null });
  const request = { ...asked, ...(await countedFrom(context, asked)) };
  const { principal: reader, account, events } = request;
  await refuseUnreadable(context, { reader, account, events });
  const outcome = await charge(context, request).catch(async (error: unknown) => {
    if (error instanceof PrivacyError && error.details.dimension === "second") await keepWaiting(context, asked);
    throw error;
  });
  return counted(context, outcome);
}

/** What the same request was charged under its key. IDEMPOTENCY_CONFLICT where that was another one. */
async function madeBefore(context: Context, asked: CheckedRequest): Promise<Charge | null> {
  const known = await rowByKey(context, asked);
  if (known === null) return null;
  if (known.request_hash !== asked.requestHash) throw usedKey(asked.key);
  return toCharge(known, known);
}

/** The other caps of who charges count it too: they learn what the program says. [M151] */
async function counted(context: Context, outcome: ChargeOutcome): Promise<ChargeOutcome> {
  const { id: charge, principal: reader } = outcome.charge;
  await readUnderCaps(context, { charge, reader });
  return outcome;
}

export type DeclaredQuote =
  /** Charged already: nothing more is paid, whatever is left now. */
  | { readonly made: Charge }
  | {
      readonly made: null;
      readonly quote: Quote;
      /** What the ledger would count. */
      readonly counted: readonly DpEvent[];
      /** Where it fits: why this person may not charge it, or not alone. */
      readonly refused: PrivacyError | null;
    };

/** Decides as `declare` would, with the right to apart; writes nothing. */
export async function quoteDeclared(context: Context, given: Declaring): Promise<DeclaredQuote> {
  const asked = requestOf(context, given);
  const made = await madeBefore(context, asked);
  if (made !== null) return { made };
  const { events: counted } = await countedFrom(context, asked);
  const { account, window, principal: reader } = asked;
  const quoted = await quote(context, { account, events: counted, window, reader });
  const db = context.store.read;
  const { ledger, accounts } = await pathOf({ db }, account);
  const earlier = await takenBefore({ db }, { ...asked, ledger: ledger.id }, []);
  const refused =
    closedOf(ledger, accounts, context.store.now()) ??
    (await refusedQuote(context, asked, quoted, earlier)) ??
    (quoted.admitted ? await agentRefusal(context, reader, quoted.price) : null);
  return { made, counted, quote: quoted, refused };
}

/** What an agent may not charge by its limits. A click is for releases: here its person charges. */
async function agentRefusal(
  context: Context,
  agent: PrincipalId,
  price: EpsilonAmount | null,
): Promise<PrivacyError | null> {
  const { outcome, confirmAbove, hourLeft } = await quoteAgent(context, { agent, price });
  if (outcome === "charged") return null;
  const [code, dimension, most] =
    outcome === "waits"
      ? (["CONFIRMATION_NEEDED", "confirm", confirmAbove] as const)
      : (["QUOTA_EXHAUSTED", "hour", hourLeft] as const);
  const available = most === null ? null : formatEpsilon(most);
  const said = `this agent may charge ε = ${available} for a program now, and this one takes more: the person for whom it acts may charge it`;
  return new PrivacyError(code, { agent, dimension, available }, said);
}

/** A second person states the same charge under the same key: then the holder of the account may make it. */
export function approveDeclared(context: Context, { by, ...given }: Omit<Declaring, "principal"> & By): Promise<void> {
  const { account, key } = given;
  const { requestHash } = requestOf(context, { ...given, principal: by });
  return change(context, async (tx, chain) => {
    await refuseAgent(tx, by);
    const { ledger } = await pathOf(tx, account);
    const digest = approvalDigest(context, { account, key, requestHash });
    await approve(context, { tx, chain }, { digest, account, ledger: ledger.id, by });
  });
}

function requestOf(context: Context, { declared: given, window, ...rest }: Declaring): CheckedRequest {
  const declared = checkDeclared(given);
  const { published } = declared;
  if (published !== undefined && published.on > context.store.now().slice(0, 10))
    invalid("published.on", published.on, "a day that has come");
  const request: ChargeRequest = {
    ...rest,
    ...present({ window }),
    request: statedIn(declared),
    events: declared.events,
    adjacency: "addRemove",
    isDeclared: true,
    lease: { owner: "declared", seconds: 1 },
  };
  return checkRequest(context, request);
}

/** As the ledger of its account counts what a request declares. */
async function countedFrom(context: Context, { account, request, window }: CheckedRequest) {
  const { ledger, accounts } = await context.store.snapshot((db) => pathOf({ db }, account));
  const declared = declaredIn(request) ?? invalid("declared", undefined, "stated");
  return countedOn(context, declared, { ledger, window, room: accounts.at(-1)?.cap_delta ?? 0n });
}
