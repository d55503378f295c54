import { freeQuota as coreFreeQuota } from "@dosimeter/core";
import { planQuotes } from "@dosimeter/core/accounting";
import * as audit from "./audit/operations.ts";
import * as catalog from "./catalog/operations.ts";
import type { Context } from "./context.ts";
import * as shared from "./instance/operations.ts";
import * as ledgers from "./ledger/operations.ts";
import * as outbox from "./outbox/operations.ts";
import * as people from "./people/operations.ts";
import { seedSystem } from "./people/principal.ts";
import * as releases from "./release/operations.ts";
import * as reuse from "./release/reuse-operations.ts";
import * as reports from "./report/operations.ts";
import * as requests from "./requests/operations.ts";
import { type RequestLimits, usualRequestLimits } from "./requests/request-limits.ts";
import type { Store } from "./stores/store.ts";

/** The rooms of the database and the operations of each. To publish an operation, name it in its room's `operations.ts`. */
const rooms = { people, catalog, ledgers, releases, reuse, requests, outbox, reports, audit, shared } as const;

/** A room as its users call it: each operation without the context that it takes first. */
type Bound<Operations> = {
  readonly [Name in keyof Operations]: Operations[Name] extends (context: Context, ...args: infer Args) => infer Result
    ? (...args: Args) => Promise<Awaited<Result>>
    : never;
};

/** Everything the platform remembers, open: `database.ledgers.charge(…)`. */
export type LedgerDatabase = { readonly [Room in keyof typeof rooms]: Bound<(typeof rooms)[Room]> } & {
  /** Whether who asked for quota may also decide. */
  readonly selfApproval: Context["selfApproval"];
  /** Waits for what is being written, then closes the store. */
  close(): Promise<void>;
};

export interface OpenOptions extends Partial<Omit<Context, "store" | "kept" | "requestLimits">> {
  /** Those that are not the usual ones. */
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
    quotes,
    freeQuota,
    kept: <T>(make: (context: Context) => T): T => {
      if (!made.has(make)) made.set(make, make(context));
      return made.get(make) as T;
    },
  };
  await seedSystem(context);
  return { ...bindEach(rooms, context), selfApproval, close: () => store.close() };
}

type Operation = (context: Context, ...args: never[]) => unknown;

function bindEach<Rooms extends Readonly<Record<string, object>>>(
  rooms: Rooms,
  context: Context,
): { readonly [Room in keyof Rooms]: Bound<Rooms[Room]> } {
  const bind = (operations: object) =>
    Object.fromEntries(
      Object.entries<Operation>(operations as Record<string, Operation>).map(([name, operation]) => [
        name,
        async (...args: never[]) => operation(context, ...args),
      ]),
    );
  return Object.fromEntries(Object.entries(rooms).map(([name, operations]) => [name, bind(operations)])) as never;
}
