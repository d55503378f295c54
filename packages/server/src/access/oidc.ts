import { createHmac, timingSafeEqual } from "node:crypto";
import { PrivacyError } from "@dosimeter/core";
import { type LedgerDatabase, nameFrom, type Principal, systemPrincipal } from "@dosimeter/ledger";
import * as client from "openid-client";
import type { Log } from "../telemetry/log.ts";
import { discoverProvider, reasonOf } from "./oidc-check.ts";
import { applyGroups, groupsOf } from "./oidc-groups.ts";
import type { OidcProvider } from "./oidc-provider.ts";

export interface Oidc {
  readonly providers: readonly { readonly id: string; readonly name: string }[];
  /** The address to which the browser goes, and the cookie that it brings back. NOT_FOUND for an unknown provider. */
  start(provider: string, origin: string, next: string): Promise<{ readonly url: URL; readonly kept: string }>;
  /** The person who signed in. UNAUTHENTICATED unless the provider's answer belongs to this cookie. */
  finish(
    provider: string,
    back: { readonly url: URL; readonly origin: string; readonly kept: string | undefined },
  ): Promise<{ readonly principal: Principal; readonly next: string }>;
}

interface Kept {
  readonly provider: string;
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  readonly next: string;
  readonly until: number;
}

export const OIDC_MINUTES = 10;

/** `key` signs the cookie of a sign-in; all processes share it, since the browser may come back to another one. */
export function openOidc(
  providers: readonly OidcProvider[],
  { database, log }: { readonly database: LedgerDatabase; readonly log: Log },
  key: Buffer,
): Oidc {
  const found = new Map<string, Promise<client.Configuration>>();

  function providerOf(id: string): OidcProvider {
    const provider = providers.find((one) => one.id === id);
    if (provider === undefined) throw new PrivacyError("NOT_FOUND", { name: "provider" });
    return provider;
  }

  /** Reads the provider's configuration once, and again after a failure. */
  function discover(provider: OidcProvider): Promise<client.Configuration> {
    const known = found.get(provider.id);
    if (known !== undefined) return known;
    const asked = discoverProvider(provider);
    found.set(provider.id, asked);
    asked.catch(() => found.delete(provider.id));
    return asked;
  }

  return {
    providers: providers.map(({ id, name }) => ({ id, name })),

    async start(id, origin, next) {
      const provider = providerOf(id);
      const config = await discover(provider);
      const verifier = client.randomPKCECodeVerifier();
      const [state, nonce] = [client.randomState(), client.randomNonce()];
      const url = client.buildAuthorizationUrl(config, {
        redirect_uri: callback(origin, id),
        scope: provider.scope ?? "openid email profile",
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: "S256",
        state,
        nonce,
      });
      const until = Date.now() + OIDC_MINUTES * 60_000;
      const kept: Kept = { provider: id, state, nonce, verifier, next: ownPath(next), until };
      const text = Buffer.from(JSON.stringify(kept)).toString("base64url");
      return { url, kept: `${text}.${signatureOf(text, key)}` };
    },

    async finish(id, { url, origin, kept }) {
      const provider = providerOf(id);
      const { state, nonce, verifier, next } = keptIn(kept, { provider: id, key });
      const claims = await claimsOf(await discover(provider), {
        url: new URL(`${callback(origin, id)}${url.search}`),
        state,
        nonce,
        verifier,
      });
      const claimed = provider.scim === true ? null : groupsOf(claims.all, provider);
      const principal = await personOf(claims, provider, database);
      const groups =
        provider.scim === true
          ? await database.provisioning.groupNamesOf({ provider: id, principal: principal.id })
          : claimed;
      if (groups !== null && provider.groups !== undefined)
        await applyGroups(principal, groups, { table: provider.groups, people: database.people, log });
      return { principal, next };
    },
  };
}

const signatureOf = (text: string, key: Buffer): string => createHmac("sha256", key).update(text).digest("base64url");

/** What a cookie kept of a sign-in with this provider. UNAUTHENTICATED for one that is not ours, or too old. */
function keptIn(
  cookie: string | undefined,
  { provider, key }: { readonly provider: string; readonly key: Buffer },
): Kept {
  const [text = "", signature = ""] = (cookie ?? "").split(".");
  const [given, right] = [Buffer.from(signature), Buffer.from(signatureOf(text, key))];
  if (given.length !== right.length || !timingSafeEqual(given, right)) throw new PrivacyError("UNAUTHENTICATED");
  const kept = JSON.parse(Buffer.from(text, "base64url").toString()) as Kept;
  if (kept.provider !== provider || kept.until < Date.now()) throw new PrivacyError("UNAUTHENTICATED");
  return kept;
}

const callback = (origin: string, id: string): string => `${origin}/auth/oidc/${id}/callback`;

/** A path on this server, so that no sign-in ends on another site. */
export const ownPath = (next: string): string => (/^\/(?![/\\])[\x21-\x7e]*$/.test(next) ? next : "/");

interface Claims {
  readonly issuer: string;
  readonly subject: string;
  readonly email: string | null;
  readonly name: string;
  /** Everything that the provider said, the groups among it. */
  readonly all: Readonly<Record<string, unknown>>;
}

async function claimsOf(
  config: client.Configuration,
  { url, state, nonce, verifier }: { url: URL; state: string; nonce: string; verifier: string },
): Promise<Claims> {
  try {
    const checks = { pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce, idTokenExpected: true };
    const tokens = await client.authorizationCodeGrant(config, url, checks);
    const id = tokens.claims();
    if (id === undefined) throw new PrivacyError("UNAUTHENTICATED");
    const userInfo = config.serverMetadata().userinfo_endpoint
      ? await client.fetchUserInfo(config, tokens.access_token, id.sub)
      : {};
    const all: Readonly<Record<string, unknown>> = { ...id, ...userInfo };
    const text = (value: unknown): string | null => (typeof value === "string" && value.trim() !== "" ? value : null);
    const email = all.email_verified === true ? text(all.email) : null;
    return { issuer: id.iss, subject: id.sub, email, name: text(all.name) ?? text(all.email) ?? id.sub, all };
  } catch (error) {
    if (error instanceof PrivacyError) throw error;
    // A provider's words may say more than a stranger should read.
    const why = reasonOf(error);
    throw new PrivacyError("UNAUTHENTICATED", { why }, "the provider did not vouch for this sign-in");
  }
}

/** One who signs in by SCIM's word, so that whom the provider removed has no second way in. */
async function keptOf({ issuer, subject, email }: Claims, provider: string, { people, provisioning }: LedgerDatabase) {
  const principal = await provisioning.userAt({ provider, issuer, subject, email });
  if (principal === null || (await people.isBanned({ identity: { issuer, subject }, email })))
    throw new PrivacyError("UNAUTHENTICATED", {}, "your provider has not brought you here: ask its admin to add you");
  await people.linkIdentity({ principal: principal.id, issuer, subject, by: principal.id });
  return principal;
}

/** Known by issuer and subject; the first time by a verified address; or made, where the operator lets the provider. */
async function personOf(
  claims: Claims,
  { id, scim = false, signUp = false }: OidcProvider,
  database: LedgerDatabase,
): Promise<Principal> {
  if (scim) return keptOf(claims, id, database);
  const { people } = database;
  const { issuer, subject, email, name } = claims;
  const known = await people.principalByIdentity({ issuer, subject });
  if (known !== null) return known;
  const same = email === null ? null : await people.principalByEmail(email);
  if (same !== null && same.removedAt !== null) throw new PrivacyError("UNAUTHENTICATED");
  if (same === null && (!signUp || (await people.isBanned({ identity: { issuer, subject }, email }))))
    throw new PrivacyError("UNAUTHENTICATED", {}, "no one here has this account; ask an admin to add you");
  const principal = same ?? (await made(people, name, email));
  await people.linkIdentity({ principal: principal.id, issuer, subject, by: principal.id });
  return principal;
}

async function made(people: LedgerDatabase["people"], name: string, email: string | null): Promise<Principal> {
  return people.createPrincipal({
    kind: "user",
    name: nameFrom(name) ?? "someone",
    ...(email === null ? {} : { email }),
    by: systemPrincipal,
  });
}
