import { freeQuota as coreFreeQuota } from "@dosimeter/core";
import { planQuotes } from "@dosimeter/core/accounting";
import * as agents from "./agents/operations.ts";
import * as audit from "./audit/operations.ts";
import * as catalog from "./catalog/operations.ts";
import type { Context } from "./context.ts";
import * as drafts from "./drafts/operations.ts";
import * as shared from "./instance/operations.ts";
import * as ledgers from "./ledger/operations.ts";
import * as outbox from "./outbox/operations.ts";
import * as people from "./people/operations.ts";
import { seedSystem } from "./people/principal.ts";
import * as provisioning from "./provisioning/operations.ts";
import * as releases from "./release/operations.ts";
import * as reuse from "./release/reuse-operations.ts";
import * as reports from "./report/operations.ts";
import * as requests from "./requests/operations.ts";
import { type RequestLimits, usualRequestLimits } from "./requests/request-limits.ts";
import * as schedules from "./schedules/operations.ts";
import type { Store } from "./stores/store.ts";

/** The operations of one folder without their first argument, the context. */
type Bound<Operations> = {
  readonly [Name in keyof Operations]: Operations[Name] extends (context: Context, ...args: infer Args) => infer Result
    ? (...args: Args) => Promise<Awaited<Result>>
    : never;
};

/** The open ledger database with its operations: `database.ledgers.charge(…)`. */
export interface LedgerDatabase {
  readonly people: Bound<typeof people>;
  readonly provisioning: Bound<typeof provisioning>;
  readonly catalog: Bound<typeof catalog>;
  readonly ledgers: Bound<typeof ledgers>;
  readonly agents: Bound<typeof agents>;
  readonly drafts: Bound<typeof drafts>;
  readonly releases: Bound<typeof releases>;
  readonly reuse: Bound<typeof reuse>;
  readonly requests: Bound<typeof requests>;
  readonly schedules: Bound<typeof schedules>;
  readonly outbox: Bound<typeof outbox>;
  readonly reports: Bound<typeof reports>;
  readonly audit: Bound<typeof audit>;
  readonly shared: Bound<typeof shared>;
  /** Whether who asked for quota may also decide. */
  readonly selfApproval: Context["selfApproval"];
  /** Waits for what is being written, then closes the store. */
  close(): Promise<void>;
}

export interface OpenOptions extends Partial<Omit<Context, "store" | "kept" | "requestLimits">> {
  /** Overrides of `usualRequestLimits`. */
  readonly requestLimits?: Partial<RequestLimits>;
}

/** Opens the database over a store, which the caller opened; closing the database closes it. */
export async function openLedgerDatabase(
  store: Store,
  {
    step = () => undefined,
    commitGroup = 256,
    selfApproval = "refuse",
    requestLimits = {},
    mostCharges = 100_000n,
    quotes = async (...plan) => planQuotes(...plan),
    freeQuota = coreFreeQuota,
  }: OpenOptions = {},
): Promise<LedgerDatabase> {
  const made = new Map<unknown, unknown>();
  const context: Context = {
    store,
    step,
    commitGroup,
    selfApproval,
    requestLimits: { ...usualRequestLimits, ...requestLimits },
    mostCharges,
    quotes,
    freeQuota,
    kept: <T>(make: (context: Context) => T): T => {
      if (!made.has(make)) made.set(make, make(context));
      return made.get(make) as T;
    },
  };
  await seedSystem(context);
  return {
    people: bind(context, people),
    provisioning: bind(context, provisioning),
    catalog: bind(context, catalog),
    ledgers: bind(context, ledgers),
    agents: bind(context, agents),
    drafts: bind(context, drafts),
    releases: bind(context, releases),
    reuse: bind(context, reuse),
    requests: bind(context, requests),
    schedules: bind(context, schedules),
    outbox: bind(context, outbox),
    reports: bind(context, reports),
    audit: bind(context, audit),
    shared: bind(context, shared),
    selfApproval,
    close: () => store.close(),
  };
}

type Operation = (context: Context, ...args: unknown[]) => unknown;

/** `async`, so that an operation that throws at once rejects its promise too. */
const bind = <Operations extends object>(context: Context, operations: Operations): Bound<Operations> =>
  Object.fromEntries(
    Object.entries(operations).map(([name, operation]: [string, Operation]) => [
      name,
      async (...args: unknown[]) => operation(context, ...args),
    ]),
  ) as Bound<Operations>;
