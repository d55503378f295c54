import { PrivacyError } from "@dosimeter/core";
import type { Kysely } from "kysely";
import { SCHEMA_VERSION } from "./migrations/migrate.ts";
import type { Store } from "./store.ts";
import type { Tables } from "./tables.ts";

/** Every table that holds rows, those that others point to first. A test compares the list with the database. */
export const tableOrder = [
  "audit",
  "principal",
  "team",
  "membership",
  "role_binding",
  "service",
  "credential",
  "credential_maker",
  "password",
  "second_factor",
  "identity",
  "provider_service",
  "provisioned_user",
  "provisioned_group",
  "provisioned_member",
  "ban",
  "erased_person",
  "typed_address",
  "invitation",
  "team_policy",
  "population",
  "publication",
  "dataset",
  "dataset_version",
  "erased_upload",
  "discarded_upload",
  "checked_upload",
  "passed_upload",
  "listing",
  "ledger",
  "report_threshold",
  "guarantee_version",
  "amendment",
  "account",
  "transfer",
  "given_quota",
  "request",
  "standing_approval",
  "entry",
  "block_run",
  "charge_block",
  "plan_quote",
  "cap_reading",
  "lease",
  "release",
  "release_label",
  "public_answer",
  "declare_right",
  "declare_approval",
  "declare_wait",
  "declared_charge",
  "draft",
  "draft_comment",
  "dashboard",
  "schedule",
  "schedule_point",
  "agent_limit",
  "agent_charge",
  "confirmation",
  "preference",
  "notification",
  "webhook",
  "outbox",
  "claim",
  "statistic",
  "reuse",
  "reuse_policy",
  "instance_secret",
  "connection",
  "rate",
] as const satisfies readonly Exclude<keyof Tables, "charge" | "migration">[];

export interface Copied {
  readonly table: string;
  readonly rows: number;
}

const BATCH = 200;
/** Rows between two progress reports of a long table. */
const TELL_EVERY = 10_000;

/**
 * Copies every row of one store into another that has none, in one transaction, from one snapshot: all of it or nothing.
 * CONFLICT when a schema is older than this program or the target is in use. The person who calls verifies the copy and retires
 * the original: two live copies would spend the same budget twice.
 */
export async function copyStore(
  from: Store,
  to: Store,
  progress: (copied: Copied) => void = () => {},
): Promise<readonly Copied[]> {
  for (const [name, store] of [
    ["source", from],
    ["target", to],
  ] as const) {
    const { version } = await store.read
      .selectFrom("migration")
      .select(({ fn }) => fn.max("version").as("version"))
      .executeTakeFirstOrThrow();
    if (Number(version) !== SCHEMA_VERSION)
      throw new PrivacyError("CONFLICT", {
        name,
        got: `schema version ${version}`,
        want: `version ${SCHEMA_VERSION}`,
      });
  }
  return from.snapshot((source) =>
    to.transact(async ({ db: target }) => {
      const all: Copied[] = [];
      for (const table of tableOrder) {
        if ((await target.selectFrom(table).selectAll().limit(1).execute()).length > 0)
          throw new PrivacyError("CONFLICT", {
            name: "target",
            got: `rows in ${table}`,
            want: "a database without any",
          });
        const copied = { table, rows: await copyTable(source, { target, table, progress }) };
        all.push(copied);
        progress(copied);
      }
      return all;
    }),
  );
}

type Table = (typeof tableOrder)[number];

interface Copying {
  readonly target: Kysely<Tables>;
  readonly table: Table;
  readonly progress: (copied: Copied) => void;
}

async function copyTable(source: Kysely<Tables>, { target, table, progress }: Copying): Promise<number> {
  let rows = 0;
  let batch: object[] = [];
  const flush = async (): Promise<void> => {
    if (batch.length > 0)
      await target
        .insertInto(table)
        .values(batch as never)
        .execute();
    rows += batch.length;
    if (rows % TELL_EVERY === 0) progress({ table, rows });
    batch = [];
  };
  for await (const row of rowsOf(source, table)) {
    batch.push(row);
    if (batch.length === BATCH) await flush();
  }
  await flush();
  return rows;
}

/** Parents before children in the account table; other tables in any order. */
async function* rowsOf(source: Kysely<Tables>, table: Table): AsyncIterable<object> {
  if (table !== "account") {
    yield* source.selectFrom(table).selectAll().stream();
    return;
  }
  const accounts = await source.selectFrom("account").selectAll().execute();
  const children = Map.groupBy(accounts, ({ parent_id }) => parent_id);
  const waiting = [...(children.get(null) ?? [])];
  for (let account = waiting.shift(); account !== undefined; account = waiting.shift()) {
    yield account;
    waiting.push(...(children.get(account.id) ?? []));
  }
}
