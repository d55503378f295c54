export { type RelationName, relations, type Scope, scopes } from "./authority.ts";
export { type Client, type ClientOptions, createClient, type RequestOptions } from "./client.ts";
export type { Content, Input, Item, Output } from "./input.ts";
export { type Problem, problemToError } from "./problem.ts";
export { everyRoute, type Route, type RouteName, type Routes, routeNames, routes } from "./routes.ts";
export { statusOf } from "./status.ts";
export type {
  Account,
  Answer,
  AuditLine,
  Balance,
  Cost,
  Dataset,
  DatasetSummary,
  Entry,
  File,
  Ledger,
  Me,
  Member,
  Person,
  Plan,
  PlanRequest,
  Quote,
  Refusal,
  Release,
  ReleaseEvent,
  ReleaseSummary,
  Report,
  Request,
  Role,
  ServerFile,
  SignInLink,
  Stage,
  StatisticRequest,
  Team,
  Token,
  Verification,
} from "./types.ts";
