import type { Route, RouteName } from "@dosimeter/client";
import { routes } from "@dosimeter/client";
import { type RouteWire, wire } from "@dosimeter/client/wire";
import { PrivacyError } from "@dosimeter/core";
import type { z } from "zod";
import { readJson } from "./body.ts";
import { wantOf } from "./want.ts";

/** Path, query, body and key of a request, checked against the route's schemas: everything inside may trust it. */
export async function parseInput(
  name: RouteName,
  request: Request,
  params: Record<string, string>,
): Promise<Record<string, unknown>> {
  const route: Route = routes[name];
  const schemas: RouteWire = wire[name];
  return {
    ...(check(schemas.params, params, "path") as object),
    ...(check(schemas.query, queryOf(request), "query") as object),
    ...(schemas.body === null ? {} : (check(schemas.body, await readJson(request), "body") as object)),
    ...(route.idempotent ? { key: keyOf(request) } : {}),
  };
}

function queryOf(request: Request): Record<string, string> {
  const search = new URL(request.url).searchParams;
  for (const name of search.keys())
    if (search.getAll(name).length > 1)
      throw new PrivacyError("INVALID_PARAMETER", { name: `query.${name}`, want: "given once" });
  return Object.fromEntries(search);
}

function keyOf(request: Request): string {
  const key = request.headers.get("idempotency-key");
  if (key === null || !/^[\x21-\x7e]{1,200}$/.test(key))
    throw new PrivacyError("INVALID_PARAMETER", {
      name: "idempotency-key",
      want: "a header of 1 to 200 printable characters",
    });
  return key;
}

function check(schema: z.ZodType, value: unknown, where: string): unknown {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw refusal(issue, where, value);
}

/** Values that open something are never repeated. */
const SECRETS: readonly string[] = ["password", "current", "token", "link", "secret", "invitation"];

/** The first fault: where it is, what was given, and what it must be. */
function refusal(issue: z.core.$ZodIssue | undefined, where: string, value: unknown): PrivacyError {
  const unknownName = issue?.code === "unrecognized_keys" ? issue.keys[0] : undefined;
  const path = [...(issue?.path ?? []), ...(unknownName === undefined ? [] : [unknownName])];
  const name = path.reduce<string>(
    (at, step) => (typeof step === "number" ? `${at}[${step}]` : `${at}.${String(step)}`),
    where,
  );
  const want =
    unknownName !== undefined ? "absent: nobody reads it" : issue === undefined ? "as documented" : wantOf(issue);
  const got = valueAt(value, path);
  const isSecret = SECRETS.includes(String(path.at(-1)));
  if (isSecret && got !== undefined)
    return new PrivacyError("INVALID_PARAMETER", { name, want }, `${name} must be ${want}`);
  return new PrivacyError("INVALID_PARAMETER", {
    name,
    got: Array.isArray(got) ? "a list" : typeof got === "object" && got !== null ? "an object" : got,
    want,
  });
}
const valueAt = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>(
    (at, step) => (typeof at === "object" && at !== null ? (at as Record<PropertyKey, unknown>)[step] : undefined),
    value,
  );
