import type { Cost, Quote as QuoteView, Refusal as RefusalView } from "@dosimeter/client";
import { formatDelta, formatEpsilon, formatMu2, PrivacyError } from "@dosimeter/core";
import { present } from "@dosimeter/core/internal";
import type { AccountId, Balance, LedgerDatabase, LedgerId, PrincipalId, Quote } from "@dosimeter/ledger";
import { balanceView, epsilonOrNull } from "./balance.ts";
import { type Directory, directory } from "./directory.ts";

/** What an admitted plan takes from the ledger's two sums. Its price in ε is its own, also where Gaussian noise ended the ledger's sum. */
export function costView(quote: Quote): Cost | null {
  if (!quote.admitted) return null;
  const before = quote.before[0]?.state;
  const after = quote.after[0]?.state;
  if (before === undefined || after === undefined) return null;
  const mu2 = difference(before.mu2, after.mu2);
  return {
    epsilon: epsilonOrNull(quote.price),
    delta: formatDelta(after.delta - before.delta),
    mu2: mu2 === null ? null : formatMu2(mu2),
  };
}

/** What the limits of the agent that asks make of an admitted plan; null of people and services. */
export async function agentQuoteView(
  quote: Quote,
  { id, kind }: { readonly id: PrincipalId; readonly kind: string },
  { agents }: LedgerDatabase,
): Promise<QuoteView["agent"]> {
  if (kind !== "agent" || !quote.admitted) return null;
  const { hourLeft, confirmAbove, outcome } = await agents.quoteAgent({ agent: id, price: quote.price });
  return { hourLeft: epsilonOrNull(hourLeft), confirmAbove: epsilonOrNull(confirmAbove), outcome };
}

/** The ledger and every account on the path, before and after. */
export async function pathView(quote: Quote, names: Directory, database: LedgerDatabase) {
  return Promise.all(
    quote.before.map(async (before, index) => {
      const after: Balance | undefined = quote.admitted ? quote.after[index] : undefined;
      return {
        ...(await nodeName(before.node, index === 0, names, database)),
        before: balanceView(before),
        after: after === undefined ? null : balanceView(after),
      };
    }),
  );
}

/** Why a plan does not fit, and the largest pure ε that would. */
export async function refusalView(
  quote: Quote,
  names: Directory,
  database: LedgerDatabase,
  hint: string | null,
): Promise<RefusalView | null> {
  if (quote.admitted) return null;
  const ledger = quote.before[0]?.node;
  const reasons = await Promise.all(
    quote.refusals.map(async ({ node, dimension, available, requested }) => ({
      ...(await nodeName(node, node === ledger, names, database)),
      dimension,
      available,
      requested,
    })),
  );
  const largestEpsilon = formatEpsilon(quote.largestEpsilon);
  return {
    code: codeOf(reasons),
    detail: [detailOf(reasons, largestEpsilon, quote.blocks), ...(hint === null ? [] : [`${hint}.`])].join(" "),
    reasons,
    largestEpsilon,
    ...present({ blocks: quote.blocks }),
  };
}

function codeOf(reasons: RefusalView["reasons"]): RefusalView["code"] {
  if (reasons.every(({ dimension }) => dimension === "least")) return "PRICE_TOO_SMALL";
  return reasons.some(({ account }) => account === null) ? "BUDGET_EXHAUSTED" : "QUOTA_EXHAUSTED";
}

/** A refused charge with the message of a quote, which has names instead of ids; the facts stay. */
export async function namedRefusal(error: unknown, ledger: LedgerId, database: LedgerDatabase): Promise<unknown> {
  if (!(error instanceof PrivacyError) || !Array.isArray(error.details.refusals)) return error;
  const names = await directory(database);
  const reasons = await Promise.all(
    (error.details.refusals as Extract<Quote, { admitted: false }>["refusals"]).map(async ({ node, ...amounts }) => ({
      ...(await nodeName(node, node === ledger, names, database)),
      ...amounts,
    })),
  );
  const { block, fits = [], largestEpsilon } = error.details;
  const blocks = block === undefined ? undefined : { first: String(block), fits: fits as readonly string[] };
  return new PrivacyError(error.code, error.details, detailOf(reasons, String(largestEpsilon), blocks));
}

/** The blocks of a refused window, where the ledger has blocks. */
type RefusedBlocks = Extract<Quote, { admitted: false }>["blocks"];

function detailOf(reasons: RefusalView["reasons"], largest: string, blocks: RefusedBlocks): string {
  const detail = wholeDetail(reasons, largest);
  if (blocks === undefined) return detail;
  const { first, fits } = blocks;
  const others = fits.length === 0 ? "" : ` The widest window of these with room is ${fits.join(", ")}.`;
  return `In ${first}, the first block without room: ${detail}${others}`;
}

const wholeDetail = (reasons: RefusalView["reasons"], largest: string): string => {
  if (reasons.every(({ dimension }) => dimension === "unpriced"))
    return `the rule in force for ${reasons.map(({ name }) => name).join(", ")} adds up ε and has no price for this noise: it is paid for by the rule tight, or asked for with epsilon.`;
  const said = reasons.map(sentence).join("; ");
  if (codeOf(reasons) === "PRICE_TOO_SMALL")
    return `${said}. Ask for more accuracy, or for several statistics together.`;
  const delta = largestDelta(reasons);
  const fits = delta === null ? "" : ` The largest δ that fits is ${delta}.`;
  if (reasons.every(({ dimension }) => dimension === "delta"))
    return `${said}.${fits} Only δ is missing: a smaller epsilon does not help; a smaller delta or statistics without one do.`;
  return reasons.some(({ dimension }) => dimension === "mu2")
    ? `${said}.${fits} Of noise that is paid in ε, at most ${largest} would still fit.`
    : `${said}.${fits} The largest epsilon that would still fit is ${largest}.`;
};

/** The largest δ that fits, where the refusal is for lack of δ; else null. */
const largestDelta = (reasons: RefusalView["reasons"]): string | null =>
  reasons
    .flatMap(({ dimension, available }) => (dimension === "delta" && available !== null ? [available] : []))
    .reduce<string | null>((least, each) => (least === null || Number(each) < Number(least) ? each : least), null);

const units = { epsilon: "ε", delta: "δ", mu2: "μ²" } as const;

function sentence({ name, dimension, available, requested }: RefusalView["reasons"][number]): string {
  if (dimension === "unpriced" || available === null || requested === null)
    return `the rule in force for ${name} has no price for this noise`;
  if (dimension === "query") return `${name} lets one charge take at most ${available}, this one takes ${requested}`;
  if (dimension === "least")
    return `${name} takes at least ${available} for one release, this one would take ${requested}`;
  return `${name} has ${units[dimension]} = ${available} left, this charge needs ${requested}`;
}

/** The name of a node on a path; the ledger itself is no account. */
export async function nodeName(
  node: LedgerId | AccountId,
  isLedger: boolean,
  { nameOf }: Directory,
  { ledgers }: LedgerDatabase,
) {
  if (isLedger) return { account: null, name: "the ledger" };
  const { id, holder } = await ledgers.account(node);
  return { account: id, name: nameOf(holder.id) };
}

const difference = (a: bigint | null, b: bigint | null): bigint | null => (a === null || b === null ? null : a - b);
