import type { DeepReadonly, Output, Params, Part, RouteName, Routes } from "@dosimeter/client";
import type { routeTables, Tag } from "@dosimeter/client/routes";
import type { AccountId, AmendmentId, LedgerId, PopulationId, RequestId } from "@dosimeter/ledger";
import type { z } from "zod";
import type { Caller } from "../access/credentials.ts";
import type { Deps } from "./deps.ts";

type Keyed<Name extends RouteName> = Routes[Name] extends { readonly idempotent: true }
  ? { readonly key: string }
  : unknown;

/** The fields of an input that are ids of the ledger database. A dataset, team or person may also be given by name or address. */
interface Ids {
  readonly account: AccountId;
  readonly amendment: AmendmentId;
  readonly ledger: LedgerId;
  readonly parent: AccountId;
  readonly population: PopulationId;
  readonly request: RequestId;
  readonly to: AccountId;
}
type WithIds<T> = {
  [Key in keyof T]: Key extends keyof Ids
    ? T[Key] extends string | null | undefined
      ? Ids[Key] | Exclude<T[Key], string>
      : T[Key]
    : T[Key];
};

/** A route's input after its schemas have checked it. */
type Parsed<Name extends RouteName> = WithIds<
  Params<Name> & DeepReadonly<z.output<Part<Name, "query">>> & DeepReadonly<z.output<Part<Name, "body">>> & Keyed<Name>
>;

/** What a handler may do with the HTTP exchange beyond answering. */
export interface Exchange {
  /** Origin as the caller sees it: `http://localhost:8080`. */
  readonly origin: string;
  readonly sessionSecret: string | undefined;
  /** Of this request: in the header `x-request-id` of its answer, in the log and in the audit. */
  readonly requestId: string;
  /** Network address of the caller, as far as the server can tell; "local" inside one process. */
  readonly address: string;
  /** Whether a browser on this machine sent it straight here, through no proxy that shows itself. */
  readonly isLocal: boolean;
  /** What the browser calls itself. */
  readonly agent: string;
  readonly signal: AbortSignal;
  readonly bytes: ReadableStream<Uint8Array> | null;
  /** The address of what was created. */
  readonly setLocation: (path: string) => void;
  readonly setSession: (secret: string | null) => void;
}

export interface Call<Name extends RouteName> {
  readonly deps: Deps;
  readonly caller: Routes[Name]["who"] extends "anyone"
    ? null
    : Routes[Name]["who"] extends "visitor"
      ? Caller | null
      : Caller;
  readonly input: Parsed<Name>;
  readonly exchange: Exchange;
}

type Answered<Name extends RouteName> = Routes[Name] extends { readonly events: true }
  ? AsyncIterable<Output<Name>>
  : Routes[Name] extends { readonly media: unknown }
    ? Promise<Bytes>
    : Promise<Output<Name>>;

/** A file to send: its bytes as a stream, and its name for the browser. */
export interface Bytes {
  readonly name: string;
  /** Where the route has several; its first when absent. */
  readonly media?: string;
  readonly bytes: ReadableStream<Uint8Array<ArrayBuffer>>;
  /** It is shown in the browser, to everyone; absent: a file. `isIndexed`: to search engines too. */
  readonly open?: { readonly isIndexed: boolean };
}

type Handler<Name extends RouteName> = (call: Call<Name>) => Answered<Name>;

/** One handler per row of the route table; a missing or misnamed one does not compile. */
export type Handlers<Name extends RouteName = RouteName> = { readonly [N in Name]: Handler<N> };

export type HandlersOf<T extends Tag> = Handlers<keyof (typeof routeTables)[T] & RouteName>;
