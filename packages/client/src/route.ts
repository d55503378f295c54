import type { ErrorCode } from "@dosimeter/core";
import type { RelationName, Scope } from "./authority.ts";

/**
 * One route: server, SDK, OpenAPI, permission test and docs read this row and no other copy exists.
 * `errors` are the codes this route adds to those that every route can answer (`everyRoute`).
 */
export interface Route {
  readonly method: "GET" | "POST" | "DELETE";
  readonly path: `/${string}`;
  readonly summary: string;
  readonly who: RelationName;
  readonly scope: Scope | null;
  /** Names of the query parameters; all other fields of an input are path parameters or body. */
  readonly query?: readonly string[];
  /** What the request carries: nothing, JSON (default for POST), or a byte stream. */
  readonly body?: "none" | "json" | "stream";
  /** What comes back where the status is not 204: JSON (default), server-sent events, or bytes of `media`, by default of its first. */
  readonly answer?: "json" | "events" | "bytes";
  /** Content type of `bytes`. */
  readonly media?: string | readonly [string, ...string[]];
  readonly status: 200 | 201 | 202 | 204;
  /** An `Idempotency-Key` header is required: the same key gives the same bytes for ever. */
  readonly idempotent?: true;
  readonly errors?: readonly ErrorCode[];
}

/** The routes of one tag, by name. */
export type RouteTable = Readonly<Record<string, Route>>;

/** Codes that any route may answer with. */
export const everyRoute = [
  "INVALID_PARAMETER",
  "UNAUTHENTICATED",
  "FORBIDDEN",
  "NOT_FOUND",
  "RATE_LIMITED",
  "NOT_READY",
  "INTERNAL",
] as const satisfies readonly ErrorCode[];

/** Query parameters of every list that comes in pages. */
export const PAGE = ["limit", "cursor"] as const;
/** Those of a list that can be searched by name. */
export const SEARCHED = [...PAGE, "text"] as const;
