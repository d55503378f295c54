import { PrivacyError } from "@dosimeter/core";
import { isThisMachine } from "@dosimeter/core/internal";

/** The address with TLS, its certificate and host name checked, unless it says `sslmode`, or the database is on this machine. */
export function withTls(address: string): string {
  if (!URL.canParse(address)) return address; // a socket: there is no host in it
  const url = new URL(address);
  const host = url.searchParams.get("host") ?? url.hostname;
  if (url.searchParams.has("sslmode") || host.startsWith("/") || isThisMachine(host)) return address;
  url.searchParams.set("sslmode", "verify-full");
  return url.href;
}

/** Adds the way out where TLS is why a database cannot be used; other errors stay. */
export function inWords(error: unknown): unknown {
  const { code = "", message = "" } = error as { readonly code?: string; readonly message?: string };
  const advice =
    message === "The server does not support SSL connections"
      ? "takes no TLS; switch it on there, or add ?sslmode=disable to the address where no one can listen in between"
      : ADVICE[code];
  return advice === undefined
    ? error
    : new PrivacyError("INVALID_PARAMETER", { name: "DATABASE_URL" }, `the database of DATABASE_URL ${advice}`);
}

const UNTRUSTED =
  "has a certificate that is not trusted; name its authority by NODE_EXTRA_CA_CERTS=<file>, or add sslrootcert=<file> to the address";
const ADVICE: Readonly<Record<string, string>> = {
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  CERT_HAS_EXPIRED: "has a certificate that has expired",
  ERR_TLS_CERT_ALTNAME_INVALID: "has a certificate for another host name than the one in the address",
};
