import type { z } from "zod";
import type { Route, RouteTable } from "./route.ts";

/** The names in braces of a path. */
export type ParamName<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParamName<Rest>
  : never;

type QueryOf<Row extends Route> = Row extends { readonly query: readonly (infer Name extends string)[] }
  ? { readonly query: z.ZodObject & { readonly shape: { readonly [Key in Name]: z.ZodType } } }
  : { readonly query?: never };

type BodyOf<Row extends Route> = Row extends { readonly method: "POST" }
  ? Row extends { readonly body: "none" | "stream" }
    ? { readonly body?: never }
    : { readonly body: z.ZodType }
  : { readonly body?: never };

type ResponseOf<Row extends Route> = Row extends { readonly status: 204 } | { readonly answer: "bytes" }
  ? { readonly response?: never }
  : { readonly response: z.ZodType };

/** What the wire rows of a table of routes must say; a missing row, query, body or response does not compile. */
export type WireOf<Table extends RouteTable> = {
  readonly [Name in keyof Table]: QueryOf<Table[Name]> & BodyOf<Table[Name]> & ResponseOf<Table[Name]>;
};
