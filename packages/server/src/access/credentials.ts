import { type Scope, scopes } from "@dosimeter/client";
import { PrivacyError } from "@dosimeter/core";
import type { Credential, LedgerDatabase } from "@dosimeter/ledger";
import type { Actor } from "./authority.ts";

export interface Caller extends Actor {
  readonly via: "token" | "session";
  readonly credential: Credential;
  readonly scopes: readonly Scope[];
}

export const ALL_SCOPES = Object.keys(scopes) as readonly Scope[];

/** What a provider's token may do, and nothing else: no route takes it. */
export const PROVISION = "provision" as const;

export const SESSION_COOKIE = "dosimeter";
export const SESSION_HOURS = 12;
export const LINK_HOURS = 24;

/** Who sent this request. UNAUTHENTICATED for every reason alike: missing, wrong, expired, revoked, disabled. */
export async function authenticate(
  { authorization, session }: { readonly authorization: string | undefined; readonly session: string | undefined },
  { database, demoIsOn }: { readonly database: LedgerDatabase; readonly demoIsOn: () => Promise<boolean> },
): Promise<Caller> {
  const token = bearer(authorization);
  const via = token === undefined ? "session" : "token";
  const secret = token ?? session;
  if (secret === undefined || secret === "") throw new PrivacyError("UNAUTHENTICATED");
  const { principal, credential } = await database.people.authenticate(via, secret);
  if (principal.demo && !(await demoIsOn())) throw new PrivacyError("UNAUTHENTICATED"); // a token made in the demo ends with it
  const roles = await database.people.rolesOf(principal.id);
  return { principal, credential, roles, via, scopes: scopesOf(credential) };
}

/** A header that is not `Bearer …` is a wrong token, not a missing one: the cookie is not tried instead. */
function bearer(authorization: string | undefined): string | undefined {
  if (authorization === undefined) return undefined;
  return /^Bearer +(\S+)$/i.exec(authorization)?.[1] ?? "";
}

/** A credential without a list may do all that its owner may. */
export function scopesOf({ scopes }: Credential): readonly Scope[] {
  return scopes.length === 0 ? ALL_SCOPES : ALL_SCOPES.filter((scope) => scopes.includes(scope));
}

/**
 * Refuses a request that another site could have made this browser send. What the browser says about its origin must be ours,
 * for reading too, as what a person reads may count against a cap; unsafe methods also need the SDK's own header, which no form can set.
 */
export function refuseForgery({
  unsafe,
  host,
  origin,
  fetchSite,
  marker,
}: {
  readonly unsafe: boolean;
  readonly host: string | undefined;
  readonly origin: string | undefined;
  readonly fetchSite: string | undefined;
  readonly marker: string | undefined;
}): void {
  const foreign = origin !== undefined && (!URL.canParse(origin) || new URL(origin).host !== host);
  const crossSite = fetchSite !== undefined && fetchSite !== "same-origin" && fetchSite !== "none";
  if ((unsafe && marker === undefined) || foreign || crossSite)
    throw new PrivacyError(
      "FORBIDDEN",
      { name: "x-dosimeter", want: "sent by our own pages" },
      "this request did not come from our own pages",
    );
}

/** Whether a person signed in to this browser themselves: neither a token, nor a session that a token began. */
export const isOwnSession = ({ via, credential, principal }: Caller): boolean =>
  via === "session" && credential.maker === null && principal.kind === "user";

/** FORBIDDEN with a token, and in a session that a token began: a program would click for the person. */
export function refuseProgram(caller: Caller, does = "decides this"): void {
  if (isOwnSession(caller)) return;
  throw new PrivacyError(
    "FORBIDDEN",
    { name: "credential", want: "a browser in which you signed in yourself" },
    `a person ${does}, in a browser in which they signed in themselves: no token does`,
  );
}

export function hoursFromNow(hours: number): string {
  return new Date(Date.now() + hours * 3_600_000).toISOString();
}
