import type { PrincipalId } from "../id.ts";
import type { Principal } from "./principal.ts";

/** A bearer token, a browser session or a one-time sign-in link. Only the SHA-256 of its secret is stored. */
export interface Credential {
  readonly id: string;
  readonly kind: "token" | "session" | "link";
  readonly principal: PrincipalId;
  readonly name: string;
  /** Empty means everything the principal may do. */
  readonly scopes: readonly string[];
  readonly createdAt: string;
  readonly expiresAt: string;
  /** When it was revoked, signed out or used up. */
  readonly endedAt: string | null;
}

export interface NewCredential {
  readonly kind: Credential["kind"];
  readonly principal: PrincipalId;
  readonly name?: string;
  readonly scopes?: readonly string[];
  /** ISO 8601 UTC, in the future. */
  readonly expiresAt: string;
  readonly by: PrincipalId;
}

/** Who presented a live secret, and through what. */
export interface Authenticated {
  readonly principal: Principal;
  readonly credential: Credential;
}
