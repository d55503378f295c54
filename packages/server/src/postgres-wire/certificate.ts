import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { createSecureContext, type SecureContext } from "node:tls";
import { PrivacyError } from "@dosimeter/core";

/** What encrypts connections. */
export type Certificate = SecureContext;

/** A certificate from its path, and its key. INVALID_PARAMETER, which repeats neither, where they do not belong together. */
export function readCertificate({
  certificate,
  key,
}: {
  readonly certificate: string;
  readonly key: string;
}): Certificate {
  try {
    return createSecureContext({ cert: readFileSync(certificate), key, minVersion: "TLSv1.2" });
  } catch {
    throw new PrivacyError(
      "INVALID_PARAMETER",
      {},
      "DOSIMETER_POSTGRES_WIRE_CERTIFICATE must be a PEM file whose key is DOSIMETER_POSTGRES_WIRE_KEY",
    );
  }
}

/** When it ends, in seconds of Unix time. */
export const expiryOf = ({ certificate }: { readonly certificate: string }): number =>
  Date.parse(new X509Certificate(readFileSync(certificate)).validTo) / 1000;
