import { PrivacyError } from "@dosimeter/core";
import * as client from "openid-client";
import type { OidcProvider } from "./oidc-provider.ts";

/** Reads the configuration of a provider. Rejects with what to do, for who runs the server. */
export async function discoverProvider(provider: OidcProvider): Promise<client.Configuration> {
  const { issuer, clientId, clientSecret, insecure } = provider;
  const options = insecure ? { execute: [client.allowInsecureRequests] } : {};
  try {
    return await client.discovery(new URL(issuer), clientId, clientSecret, undefined, options);
  } catch (error) {
    throw problemOf(error, provider);
  }
}

/** A code that no provider has issued: it is refused as a code only where client and secret are right. */
const NO_CODE = "dosimeter-asks-whether-the-secret-is-right";

/** Whether sign-ins can work, as far as that can be seen without one: address, certificate, issuer, clock, client and secret. Rejects with what to do. */
export async function checkProvider(provider: OidcProvider): Promise<void> {
  const config = await discoverProvider(provider);
  await checkClock(config, provider);
  try {
    await client.genericGrantRequest(config, "authorization_code", {
      code: NO_CODE,
      redirect_uri: `${provider.issuer}/`,
      code_verifier: client.randomPKCECodeVerifier(),
    });
  } catch (error) {
    const { error: answered } = error as { readonly error?: unknown };
    if (answered === "invalid_grant" || answered === "invalid_request") return;
    throw problemOf(error, provider);
  }
}

/** More than this, and sign-ins fail: providers and this server accept half a minute. */
const MAX_CLOCK_SECONDS = 30;

async function checkClock(config: client.Configuration, { name, insecure }: OidcProvider): Promise<void> {
  const { jwks_uri: address } = config.serverMetadata();
  if (address === undefined || (insecure !== true && !address.startsWith("https:"))) return;
  const answer = await fetch(address, { signal: AbortSignal.timeout(TIMEOUT_MS) }).catch(() => null);
  const there = Date.parse(answer?.headers.get("date") ?? "");
  const seconds = Math.abs(Date.now() - there) / 1000;
  if (seconds > MAX_CLOCK_SECONDS)
    refuse(name, `has another time than this machine, by ${Math.round(seconds)} seconds: set the clocks by NTP`);
}

const TIMEOUT_MS = 10_000;

const refuse = (name: string, what: string): never => {
  throw new PrivacyError("NOT_READY", { name: "provider" }, `the provider ${name} ${what}`);
};

/** What to do, in the words of who runs the server; nothing that the provider said is repeated. */
function problemOf(error: unknown, { name, issuer, clientId }: OidcProvider): PrivacyError {
  if (error instanceof PrivacyError) return error;
  const words = codesOf(error)
    .map((code) => problems[code] ?? (OF_NETWORK.test(code) ? unreachable : undefined))
    .find((found) => found !== undefined);
  const said = words?.({ issuer, clientId }) ?? `does not answer as an OpenID Connect provider should at ${issuer}`;
  return new PrivacyError("NOT_READY", { name: "provider", why: reasonOf(error) }, `the provider ${name} ${said}`);
}

/** The code of an error, for the log: nothing that the provider said. */
export const reasonOf = (error: unknown): string =>
  codesOf(error).find((code) => /^[A-Z_]{3,60}$/.test(code)) ?? "OTHER";

/** The codes of an error and of what caused it, the outer ones first. */
function codesOf(error: unknown): readonly string[] {
  const codes: string[] = [];
  let depth = 0;
  for (let at = error; at instanceof Object && depth < 5; at = (at as Error).cause, depth += 1) {
    const {
      code,
      error: answered,
      name,
    } = at as { readonly code?: unknown; readonly error?: unknown; readonly name?: unknown };
    for (const one of [answered, code, name]) if (typeof one === "string") codes.push(one);
  }
  return codes;
}

type Words = (provider: Pick<OidcProvider, "issuer" | "clientId">) => string;
const untrusted: Words = () =>
  "has a certificate that is not trusted: name its authority by NODE_EXTRA_CA_CERTS=<file> and start the server again";
const unreachable: Words = ({ issuer }) =>
  `cannot be reached at ${issuer}: look at the address, the proxy and the firewall`;
/** What Node, its HTTP client and the OpenID library call a connection that was not made, or ended. */
const OF_NETWORK = /^(E[A-Z]+(_AGAIN)?|UND_ERR_\w+|OAUTH_TIMEOUT)$/;
const wrongClient: Words = ({ clientId }) =>
  `does not know the client ${clientId} or its secret: look at clientId and clientSecret`;

const problems: Readonly<Record<string, Words>> = {
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  CERT_HAS_EXPIRED: () => "has a certificate that has expired",
  ERR_TLS_CERT_ALTNAME_INVALID: ({ issuer }) => `has a certificate for another host than that of ${issuer}`,
  OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED: ({ issuer }) =>
    `calls itself another issuer than ${issuer}: take the issuer that its configuration names`,
  OAUTH_JWT_CLAIM_COMPARISON_FAILED: ({ clientId }) =>
    `issued a token for another client, another issuer or another sign-in than ours: look at issuer and clientId (${clientId})`,
  OAUTH_JWT_TIMESTAMP_CHECK_FAILED: () => "has another time than this machine: set the clocks by NTP",
  invalid_client: wrongClient,
  unauthorized_client: wrongClient,
};
