import type { RouteName } from "@dosimeter/client";
import { routeNames, routes, secretFieldsOf } from "@dosimeter/client/routes";
import { invalid, PrivacyError } from "@dosimeter/core";
import type { z } from "zod";
import { cut, shown } from "../view/problem.ts";
import { readJson } from "./body.ts";

const kinds: Readonly<Record<string, string>> = {
  string: "a text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
  null: "null",
};

const formats: Readonly<Record<string, string>> = {
  email: "an address such as ada@example.org",
  url: "an address such as https://example.org",
  datetime: "a time in UTC such as 2026-11-21T12:00:00Z",
};

/** What a value must be, in the words of a refusal: "*name* is *got*, must be *this*". */
function wantOf(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return kinds[issue.expected] ?? issue.message;
    case "too_small":
      return `${issue.inclusive === false ? "more than" : "at least"} ${counted(issue.minimum, issue.origin)}`;
    case "too_big":
      return `${issue.inclusive === false ? "less than" : "at most"} ${counted(issue.maximum, issue.origin)}`;
    case "invalid_value":
      return issue.values.length === 1 ? String(issue.values[0]) : `one of ${issue.values.map(String).join(", ")}`;
    case "invalid_format":
      return formats[issue.format] ?? issue.message;
    case "unrecognized_keys":
      return "without fields that are not known"; // zod's own message repeats all of them
    case "invalid_union":
      return unionOf(issue.errors) ?? issue.message;
    default:
      return issue.message;
  }
}

function counted(limit: number | bigint, origin: string): string {
  const unit = { string: "character", array: "entry", set: "entry" }[origin];
  if (unit === undefined) return String(limit);
  return `${limit} ${limit === 1 ? unit : unit.replace(/y$/, "ie")}${limit === 1 ? "" : "s"}`;
}

/** Of a union: what each member misses at this place, unless the fault is deeper inside. */
function unionOf(errors: readonly (readonly z.core.$ZodIssue[])[]): string | undefined {
  const wants = errors.map(([first]) => (first === undefined || first.path.length > 0 ? undefined : wantOf(first)));
  if (wants.length === 0 || wants.includes(undefined)) return undefined;
  return [...new Set(wants)].join(" or ");
}

/** Path, query, body and key of a request, checked against the route's route. */
export async function parseInput(
  name: RouteName,
  request: Request,
  params: Record<string, string>,
): Promise<Record<string, unknown>> {
  const route = routes[name];
  return {
    ...(checked(route.params, params, "path") as object),
    ...(checked(route.query, queryOf(request), "query") as object),
    ...(route.body === null
      ? {}
      : (checked(route.body, await readJson(request), "body", isSecretBody(name)) as object)),
    ...(route.idempotent ? { key: keyOf(request) } : {}),
  };
}

function queryOf(request: Request): Record<string, string> {
  const search = new URL(request.url).searchParams;
  for (const name of search.keys())
    if (search.getAll(name).length > 1) invalid(nameOf("query", [name]), undefined, "given once");
  return Object.fromEntries(search);
}

function keyOf(request: Request): string {
  const key = request.headers.get("idempotency-key");
  if (key === null || !/^[\x21-\x7e]{1,200}$/.test(key))
    invalid("idempotency-key", undefined, "a header of 1 to 200 printable characters");
  return key;
}

const secretFields = new Map(routeNames.map((name) => [name, secretFieldsOf(routes[name].body)]));
/** Names of secret fields of any route, in lower case: an error never repeats their values. */
const SECRETS: ReadonlySet<string> = new Set([...secretFields.values()].flat().map((name) => name.toLowerCase()));
/** An error repeats nothing of a body that holds a secret. */
const isSecretBody = (name: RouteName): boolean => secretFields.get(name)?.length !== 0;

/** The value as its schema gives it; INVALID_PARAMETER with its place, what was given and what it must be. */
export function checked(schema: z.ZodType, value: unknown, where: string, isSecret = false): unknown {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw refusal(issue, { where, value, isSecret });
}

interface Given {
  readonly where: string;
  readonly value: unknown;
  readonly isSecret: boolean;
}

/** The first fault: where it is, what was given, and what it must be. For an unknown field, only its name. */
function refusal(issue: z.core.$ZodIssue | undefined, { where, value, isSecret }: Given): PrivacyError {
  const path = issue?.path ?? [];
  if (issue?.code === "unrecognized_keys") {
    const name = nameOf(where, [...path, ...issue.keys.slice(0, 1)]);
    const want = "absent: it is not a field of this request";
    return new PrivacyError("INVALID_PARAMETER", { name, want }, `${name} is not known, must be ${want}`);
  }
  const name = nameOf(where, path);
  const want = issue === undefined ? "as documented" : wantOf(issue);
  const got = valueAt(value, path);
  const isHidden = isSecret || path.some((step) => SECRETS.has(String(step).toLowerCase()));
  if (isHidden && got !== undefined)
    return new PrivacyError("INVALID_PARAMETER", { name, want }, `${name} must be ${want}`);
  return new PrivacyError("INVALID_PARAMETER", { name, got: shown(got), want });
}

const nameOf = (where: string, path: readonly PropertyKey[]): string =>
  path.reduce<string>(
    (at, step) => (typeof step === "number" ? `${at}[${step}]` : `${at}.${cut(String(step))}`),
    where,
  );

const valueAt = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>(
    (at, step) => (typeof at === "object" && at !== null ? (at as Record<PropertyKey, unknown>)[step] : undefined),
    value,
  );
