export { type ErrorCode, PrivacyError } from "@dosimeter/core";
export { type RelationName, relations, roleWords, type Scope, scopes } from "./authority.ts";
export { calls } from "./calls.ts";
export { type Client, type ClientOptions, createClient, newKey, type RequestOptions } from "./client.ts";
export type { Content, DeepReadonly, Input, Item, Output, Params, Part } from "./input.ts";
export type { RouteName, Routes } from "./routes.ts";
export { type Problem, problemToError, statusOf } from "./status.ts";
export type * from "./types.ts";
