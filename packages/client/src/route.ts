import type { ErrorCode } from "@dosimeter/core";
import type { z } from "zod";
import type { RelationName, Scope } from "./authority.ts";

type Method = "GET" | "POST" | "DELETE";

/**
 * One route, as its tag writes it: server, SDK, command line, OpenAPI, permission test and docs read this row and no other copy exists.
 * Every part of a path in braces is an id; path, query and body never share a name.
 */
export interface RouteRow {
  readonly route: `${Method} /${string}`;
  readonly summary: string;
  readonly who: RelationName;
  readonly scope: Scope | null;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  /** The request carries bytes. */
  readonly stream?: true;
  /** What JSON comes back, of server-sent events the data of one. Absent: `media`, else nothing. */
  readonly response?: z.ZodType;
  readonly events?: true;
  /** Bytes of this content type come back, by default of the first. */
  readonly media?: string | readonly [string, ...string[]];
  /** 200 when absent, and 204 where nothing comes back. */
  readonly status?: 201 | 202;
  /** An `Idempotency-Key` header is required: the same key gives the same bytes for ever. */
  readonly idempotent?: true;
  /** Codes that this route adds to those of `everyRoute`. */
  readonly errors?: readonly ErrorCode[];
}

/** The routes of one tag, by name. */
export type RouteTable = Readonly<Record<string, RouteRow>>;

export interface Route extends Omit<RouteRow, "route" | "query" | "body" | "response" | "status"> {
  readonly method: Method;
  readonly path: `/${string}`;
  readonly params: z.ZodObject;
  readonly query: z.ZodObject;
  readonly body: z.ZodType | null;
  readonly response: z.ZodType | null;
  readonly status: 200 | 201 | 202 | 204;
}

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
