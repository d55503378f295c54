import type { RouteName } from "@dosimeter/client";
import { routeNames, routes, secretFieldsOf } from "@dosimeter/client/routes";
import { invalid, PrivacyError } from "@dosimeter/core";
import type { z } from "zod";
import { cut, shown } from "../view/problem.ts";
import { readJson } from "./body.ts";
import { wantOf } from "./want.ts";

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
