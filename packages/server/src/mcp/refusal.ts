import { createHash } from "node:crypto";
import { type ErrorCode, epsilonAmount, formatEpsilon, PrivacyError } from "@dosimeter/core";
import { canonicalJson, type Fields, isRecord } from "@dosimeter/core/internal";
import { problemOf, publicError } from "../view/problem.ts";
import { schemas } from "./arguments.ts";
import type { ToolName } from "./tools.ts";

type Called = ToolName | keyof typeof schemas;

export interface Next {
  readonly tool: Called;
  readonly arguments: Fields;
}

interface Advice {
  /** Whether a call that charges may have charged before it failed with this code. */
  readonly charged: "no" | "perhaps";
  readonly advice: string;
  readonly next?: (call: Next, error: PrivacyError) => Next | null;
}

const again = (call: Next): Next => call;
const describe = ({ arguments: { dataset } }: Next): Next =>
  typeof dataset === "string"
    ? { tool: "describe_dataset", arguments: { dataset } }
    : { tool: "list_datasets", arguments: {} };
const earlier = ({ arguments: { dataset } }: Next): Next => ({ tool: "earlier_answers", arguments: { dataset } });
const cheaper = (call: Next, { details }: PrivacyError): Next | null =>
  fitting(call, String(details.largestEpsilon ?? "0"));

const fix = {
  charged: "no",
  advice: "Correct the argument that `name` points at: `want` says what it must be.",
} as const;
const room = {
  charged: "no",
  advice:
    "Ask for less (`next`, where some of it fits), take earlier answers for free, or ask people with request_budget.",
  next: cheaper,
} as const;
const person = { charged: "no", advice: "Only a person can change this. Tell them; do not try again." } as const;
const unsure = {
  charged: "perhaps",
  advice: "Send the same arguments with the same key again: they are charged once, however often they are sent.",
  next: again,
} as const;

/** What a model is advised to do after each refusal; a code without a row does not compile. */
const adviceFor = {
  INVALID_PARAMETER: { ...fix, next: withKey },
  UNSUPPORTED_EVENT: fix,
  UNSUPPORTED_QUERY: {
    charged: "no",
    advice: "Ask for it in another way: list_statistics says what there is.",
    next: () => ({ tool: "list_statistics", arguments: {} }),
  },
  UNKNOWN_COLUMN: { charged: "no", advice: "Use the columns that describe_dataset names.", next: describe },
  EMPTY_PLAN: fix,
  BUDGET_EXHAUSTED: room,
  QUOTA_EXHAUSTED: room,
  CONFIRMATION_NEEDED: {
    charged: "no",
    advice:
      "The `person` has to confirm it in their browser, on the page Settings: tell them, then wait (`next`) until `expiresAt`. Where `decision` is refused, they said no: do not ask again. `largestEpsilon` is what may be charged at once without them.",
    next: (_, { details: { confirmation, decision } }) =>
      typeof confirmation === "string" && decision !== "refused"
        ? { tool: "wait_release", arguments: { release: confirmation } }
        : null,
  },
  PRICE_TOO_SMALL: { charged: "no", advice: "Ask for more accuracy, or for several statistics in one release." },
  QUOTA_UNAVAILABLE: person,
  ACCOUNT_CLOSED: person,
  ADJACENCY_MISMATCH: fix,
  DATA_UNREADABLE: person,
  NOT_FOUND: {
    charged: "no",
    advice: "Use ids that list_datasets, my_budget or earlier_answers give.",
    next: () => ({ tool: "list_datasets", arguments: {} }),
  },
  METHOD_NOT_ALLOWED: person,
  UNAUTHENTICATED: person,
  SECOND_FACTOR: person,
  FORBIDDEN: person,
  CONFLICT: { charged: "no", advice: "Read what is there now, then decide again." },
  IDEMPOTENCY_CONFLICT: {
    charged: "no",
    advice:
      "This key was used for another plan, whose charge stands: send that plan again to read its answers. Only a new question takes a new key, and costs again.",
    next: earlier,
  },
  PAYLOAD_TOO_LARGE: fix,
  RATE_LIMITED: {
    charged: "no",
    advice: "Wait as many `seconds` as this says, then send the same arguments.",
    next: again,
  },
  NOT_READY: unsure,
  ENGINE_FAILED: unsure,
  ANSWER_LOST: { charged: "no", advice: "The earlier charge stands. To ask again costs again, under a new key." },
  EXACT_VALUE_LEAK: person,
  ALREADY_RUNNING: unsure,
  TOO_MUCH_WORK: fix,
  INTERNAL: unsure,
} as const satisfies Record<ErrorCode, Advice>;

const spending: Readonly<Record<Advice["charged"], string>> = {
  no: "This call charged nothing.",
  perhaps: "It is not known whether this call charged.",
};

/** What a refused call answers: fixed sentences first, then every fact as JSON, with the call to make next. */
export function refusalOf(
  error: unknown,
  call: Next,
  spends: boolean,
): { readonly text: string; readonly facts: Fields } {
  const shown = publicError(isUnreachable(error) ? new PrivacyError("NOT_READY", {}, error.message) : error);
  const { charged, advice, next }: Advice = adviceFor[shown.code];
  const { type: _, title: __, status: ___, ...problem } = problemOf(withoutPlace(shown));
  const forCaller = call.tool in schemas ? listed : (next: Next | null) => next;
  return {
    text: `Refused: ${shown.code}. ${spending[spends ? charged : "no"]} ${advice}`,
    facts: { ...problem, next: forCaller(next?.(call, shown) ?? null) },
  };
}

/** Where the fault is, in the arguments of the tool and not in the parts of an HTTP request. */
function withoutPlace(error: PrivacyError): PrivacyError {
  const bare = (text: string) => text.replace(/^(?:arguments|body|query|path)\.(?=\S)/, "");
  const { name } = error.details;
  return new PrivacyError(
    error.code,
    { ...error.details, ...(name === undefined ? {} : { name: bare(name) }) },
    bare(error.message),
  );
}

/** Whether an error is a fault of this program, and no refusal. */
export const isFault = (error: unknown): boolean => !(error instanceof PrivacyError || isUnreachable(error));

/** As the command line says it where no server answers. */
const isUnreachable = (error: unknown): error is Error => error instanceof Error && error.name === "Unreachable";

/**
 * A release without a key gets one that its arguments determine, so that a call that is sent again without a key is advised the
 * same key, and is charged once.
 */
function withKey({ tool, arguments: given }: Next, { details }: PrivacyError): Next | null {
  if ((tool !== "release" && tool !== "release_plan") || details.name !== "arguments.key") return null;
  const { key: _, wait: __, ...asked } = given;
  const key = createHash("sha256").update(canonicalJson(asked)).digest("hex").slice(0, 24);
  return { tool, arguments: { ...given, key } };
}

/** The same plan as a quote with its prices in proportion, so that their sum is at most what fits; null where nothing does, or the price is not in ε alone. */
export function fitting({ tool, arguments: given }: Next, largest: string): Next | null {
  const { plan, dataset, account, reuse, asOf, sql } = given;
  const quote = tool in schemas ? "quote" : "quote_plan";
  if (sql !== undefined && tool in schemas)
    return Number(largest) > 0 ? { tool: quote, arguments: { ...withoutPurchase(given), epsilon: largest } } : null;
  const rows = isRecord(plan) && Array.isArray(plan.statistics) ? (plan.statistics as readonly unknown[]) : [];
  const prices = rows.map((row) => priceOf(row));
  const room = BigInt(epsilonAmount(largest, "down"));
  const total = prices.reduce<bigint>((sum, price) => sum + (price ?? 0n), 0n);
  if (room <= 0n || total <= room || prices.includes(null)) return null;
  const statistics = rows.map((row, index) => ({
    ...(row as Fields),
    epsilon: formatEpsilon(((prices[index] ?? 0n) * room) / total),
  }));
  const rest = Object.entries({ reuse, asOf }).filter(([, value]) => value !== undefined);
  return {
    tool: quote,
    arguments: { dataset, account, plan: { ...(plan as Fields), statistics }, ...Object.fromEntries(rest) },
  };
}

const withoutPurchase = ({ key: _, purpose: __, wait: ___, ...question }: Fields): Fields => question;

/** A call that an agent can make which sees the listed tools alone. */
const listed = (next: Next | null): Next | null =>
  next === null || next.tool in schemas
    ? next
    : { tool: "find", arguments: { tool: next.tool, arguments: next.arguments } };

function priceOf(row: unknown): bigint | null {
  if (!isRecord(row) || row.rho !== undefined) return null;
  const { epsilon } = row;
  return typeof epsilon === "string" || typeof epsilon === "number" ? BigInt(epsilonAmount(epsilon, "up")) : null;
}
