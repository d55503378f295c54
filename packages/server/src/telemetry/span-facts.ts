import { routeNames } from "@dosimeter/client/routes";
import { errorCodes } from "@dosimeter/core";
import { statisticNames } from "@dosimeter/query/statistics";

const among = (...names: readonly string[]) => {
  const known = new Set(names);
  return (value: unknown): boolean => typeof value === "string" && known.has(value);
};
const text = (form: RegExp) => (value: unknown) => typeof value === "string" && form.test(value);
const isStatistic = among(...statisticNames);

/** All that a span may say, public facts each, with what its values are; what is anything else is left out. [M418] */
export const spanFacts = {
  /** Of the answer of a request. */
  route: among(...routeNames, "mcp", "scim"),
  request: text(/^[0-9a-f-]{36}$/),
  status: (value) => Number.isInteger(value) && Number(value) >= 100 && Number(value) < 600,
  /** Of its refusal, or that of a step. */
  code: among(...Object.keys(errorCodes)),
  dataset: text(/^dat_[0-9a-z]{20}$/),
  /** The kinds of statistics of a plan, one for each row. */
  statistics: (value) => Array.isArray(value) && value.every(isStatistic),
  /** Milliseconds from the beginning of a measurement to when its outcome is seen. */
  departure: (value) => typeof value === "number" && value > 0,
} as const satisfies Readonly<Record<string, (value: unknown) => boolean>>;

export type SpanFact = keyof typeof spanFacts;
export type SpanFacts = { readonly [Name in SpanFact]?: string | number | readonly string[] };

/** What the steps of a request are called. */
export type SpanName =
  | "request"
  | "quote"
  | "charge"
  | "ledger.charge"
  | "queue"
  | "release"
  | "measure"
  | "ledger.release";

export const attributesOf = (facts: SpanFacts): Readonly<Record<string, string | number | string[]>> =>
  Object.fromEntries(
    (Object.keys(spanFacts) as SpanFact[]).flatMap((name) => {
      const value = facts[name];
      if (value === undefined || !spanFacts[name](value)) return [];
      return [[`dosimeter.${name}`, typeof value === "object" ? [...value] : value]];
    }),
  );
