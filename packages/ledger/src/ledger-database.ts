import { freeQuota as coreFreeQuota } from "@dosimeter/core";
import { certified as coreCertified, planQuotes } from "@dosimeter/core/accounting";
import type { Context, RequestLimits } from "./context.ts";
import { usualRequestLimits } from "./guarantee/request-limits.ts";
import * as agents from "./operations/agents.ts";
import * as audit from "./operations/audit.ts";
import * as catalog from "./operations/catalog.ts";
import * as dashboards from "./operations/dashboards.ts";
import * as declared from "./operations/declared.ts";
import * as drafts from "./operations/drafts.ts";
import * as ledgers from "./operations/ledgers.ts";
import * as outbox from "./operations/outbox.ts";
import * as people from "./operations/people.ts";
import * as provisioning from "./operations/provisioning.ts";
import * as releases from "./operations/releases.ts";
import * as reports from "./operations/reports.ts";
import * as requests from "./operations/requests.ts";
import * as reuse from "./operations/reuse.ts";
import * as schedules from "./operations/schedules.ts";
import * as shared from "./operations/shared.ts";
import { seedSystem } from "./people/principal.ts";
import type { Store } from "./stores/store.ts";

/** The operations of one list without their first argument, the context. */
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
  readonly dashboards: Bound<typeof dashboards>;
  readonly releases: Bound<typeof releases>;
  readonly declared: Bound<typeof declared>;
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
    certified = coreCertified,
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
    certified,
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
    dashboards: bind(context, dashboards),
    releases: bind(context, releases),
    declared: bind(context, declared),
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
