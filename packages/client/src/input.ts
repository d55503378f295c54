import type { z } from "zod";
import type { RouteName, Routes } from "./routes.ts";

/** Bytes to send: a file of the browser, a stream of Node, or an array in memory. */
export type Content = Blob | ReadableStream<Uint8Array> | Uint8Array<ArrayBuffer>;

type ParamName<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParamName<Rest>
  : never;

/** The ids in the path of a route. */
export type Params<Name extends RouteName> = { readonly [Param in ParamName<Routes[Name]["route"]>]: string };

/** The schema of a part of a route; of one that it has not, the schema that says nothing. */
export type Part<Name extends RouteName, Key extends "query" | "body"> = Routes[Name] extends {
  readonly [K in Key]: infer Schema extends z.ZodType;
}
  ? Schema
  : z.ZodUnknown;

/** A value that is only read, as a record of the domain is. */
export type DeepReadonly<T> = T extends object ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> } : T;

/** Everything a route takes in one flat object: path parameters, query parameters and the fields of the body. */
export type Input<Name extends RouteName> = Params<Name> &
  DeepReadonly<z.input<Part<Name, "query">>> &
  DeepReadonly<z.input<Part<Name, "body">>> &
  (Routes[Name] extends { readonly stream: true } ? { readonly content: Content } : unknown);

/** What a route answers with; `undefined` when it answers nothing. */
export type Output<Name extends RouteName> = Routes[Name] extends { readonly response: infer Schema extends z.ZodType }
  ? DeepReadonly<z.output<Schema>>
  : Routes[Name] extends { readonly media: unknown }
    ? Blob
    : undefined;

export type Item<Name extends RouteName> =
  Output<Name> extends { readonly items: readonly (infer One)[] } ? One : never;
