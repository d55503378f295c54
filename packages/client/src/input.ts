import type { z } from "zod";
import type { RouteName, Routes } from "./routes.ts";
import type { Wire } from "./wire.ts";

type In<Schema> = Schema extends z.ZodType
  ? string extends keyof z.input<Schema>
    ? unknown
    : z.input<Schema>
  : unknown;
type Flat<T> = T extends unknown ? { [Key in keyof T]: T[Key] } : never;

/** Bytes to send: a file of the browser, a stream of Node, or an array in memory. */
export type Content = Blob | ReadableStream<Uint8Array> | Uint8Array<ArrayBuffer>;

type Streamed<Name extends RouteName> = Routes[Name] extends { readonly body: "stream" }
  ? { readonly content: Content }
  : unknown;

/** Everything a route takes in one flat object: path parameters, query parameters and the fields of the body. */
export type Input<Name extends RouteName> = Flat<
  In<Wire[Name]["params"]> & In<Wire[Name]["query"]> & In<Wire[Name]["body"]> & Streamed<Name>
>;

/** What a route answers with; `undefined` when it answers nothing. */
export type Output<Name extends RouteName> = Routes[Name] extends { readonly answer: "bytes" } ? Blob : Told<Name>;

type Told<Name extends RouteName> = Wire[Name]["response"] extends z.ZodType
  ? z.output<Wire[Name]["response"]>
  : undefined;

/** One item of a page. */
export type Item<Name extends RouteName> =
  Output<Name> extends { readonly items: readonly (infer One)[] } ? One : never;
