import { writeSync } from "node:fs";
import { flushCompileCache } from "node:module";
import { openLedgerDatabase } from "../ledger-database.ts";
import type { AccountId, DatasetId, PrincipalId, RequestId } from "../values/id.ts";
import { FREE, pure } from "./fixture.kit.ts";
import { killDatabase, openPlace, type Place } from "./place.kit.ts";

/** The orders of a worker process: the account it spends from, its charges, and the point where it dies. */
export interface Orders {
  readonly place: Place;
  readonly principal: PrincipalId;
  readonly account: AccountId;
  readonly dataset: DatasetId;
  readonly keys: readonly string[];
  readonly epsilon: string;
  readonly callers: number;
  /** Whether answers are stored too. */
  readonly release: boolean;
  /** Whether every third key is of a program outside. */
  readonly declares?: boolean;
  /** The decisions about requests that it makes, in order, before it spends. */
  readonly decisions?: readonly Decision[];
  /** The point where this process dies, or with `who` its database. */
  readonly die?: { readonly label: string; readonly hit: number; readonly who?: "database" };
}

export interface Decision {
  readonly verb: "approve" | "withdraw";
  readonly request: RequestId;
  readonly version: number;
  readonly by: PrincipalId;
}

const orders = JSON.parse(process.argv[2] ?? "{}") as Orders;
// A process that SIGKILL ends would leave no cache to the next one.
flushCompileCache();
const owner = `worker ${process.pid}`;
/** So short that the next worker may take over at once. */
const lease = { owner, seconds: 0.001 };
let hits = 0;

const database = await openLedgerDatabase(await openPlace(orders.place), {
  step: (label) => {
    if (label !== orders.die?.label) return;
    hits += 1;
    if (hits !== orders.die.hit) return;
    if (orders.die.who === "database") killDatabase(orders.place);
    else process.kill(process.pid, "SIGKILL");
  },
});

/** Writes to the parent at once, outside every transaction, so that a rollback cannot undo it. */
const say = (...words: readonly string[]): number => writeSync(1, `${words.join(" ")}\n`);

const answer = (): string => crypto.randomUUID();

async function finishOthers(): Promise<void> {
  for (const { id, key } of await database.releases.pending()) {
    if ((await database.releases.claim({ charge: id, lease })) === null) continue;
    const { answers } = await database.releases.complete({ charge: id, owner, answers: answer() });
    say("released", key, id, String(answers));
  }
}

/** Reports an error and goes on: a dead database is part of the test. */
const refused = (key: string, error: unknown): void => {
  say("refused", key, String((error as { code?: string }).code), String(error).replaceAll("\n", " "));
};

/** Writes a free line with its answers in one transaction. */
async function give(key: string): Promise<void> {
  const { principal, account, dataset } = orders;
  const request = { principal, account, dataset, key, request: { key }, adjacency: "addRemove", lease } as const;
  const answers = { answers: answer() };
  const { charge, release, repeated } = await database.ledgers.charge({
    ...request,
    events: [],
    reusesOnly: true,
    answers,
  });
  const given = release ?? (await database.releases.releaseOf(charge.id));
  say("charged", key, charge.id, repeated ? "repeated" : "new");
  say("released", key, charge.id, String(given?.answers));
}

async function spend(key: string): Promise<void> {
  const { principal, account, dataset } = orders;
  const request = { principal, account, dataset, key, request: { key }, adjacency: "addRemove", lease } as const;
  const events = pure(orders.epsilon);
  const declared = { events, relation: "add-or-remove-one", purpose: "a model" } as const;
  const isOutside = orders.declares === true && Number(/\d+$/.exec(key)?.[0]) % 3 === 0;
  try {
    const { charge, repeated } = isOutside
      ? await database.declared.charge({ principal, account, dataset, key, declared })
      : await database.ledgers.charge({ ...request, events });
    say("charged", key, charge.id, repeated ? "repeated" : "new");
    if (!orders.release || isOutside) return;
    const mine =
      charge.leaseOwner === owner ||
      charge.status === "released" ||
      (await database.releases.claim({ charge: charge.id, lease }));
    if (mine === null) return;
    const { answers } = await database.releases.complete({ charge: charge.id, owner, answers: answer() });
    say("released", key, charge.id, String(answers));
    const shown = { charge: charge.id, origins: [], title: null, isIndexed: false, by: principal };
    await database.releases.publishAnswer({ ...shown, expiresAt: "9999-12-31T00:00:00.000Z" });
    await give(`${FREE}${key}`);
  } catch (error) {
    refused(key, error);
  }
}

if (orders.release) await finishOthers().catch((error: unknown) => refused("recovery", error));

for (const { verb, request, ...answer } of orders.decisions ?? [])
  await database.requests[verb]({ request, ...answer }).then(
    () => say("decided", request, verb),
    (error: unknown) => refused(request, error),
  );

const waiting = [...orders.keys];
await Promise.all(
  Array.from({ length: orders.callers }, async () => {
    for (let key = waiting.shift(); key !== undefined; key = waiting.shift()) await spend(key);
  }),
);
await database.close().catch((error: unknown) => refused("close", error));
say("done");
