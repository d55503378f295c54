import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { LedgerDatabase } from "../packages/ledger/src/ledger-database.ts";
import * as agents from "../packages/ledger/src/operations/agents.ts";
import * as audit from "../packages/ledger/src/operations/audit.ts";
import * as catalog from "../packages/ledger/src/operations/catalog.ts";
import * as dashboards from "../packages/ledger/src/operations/dashboards.ts";
import * as declared from "../packages/ledger/src/operations/declared.ts";
import * as drafts from "../packages/ledger/src/operations/drafts.ts";
import * as ledgers from "../packages/ledger/src/operations/ledgers.ts";
import * as outbox from "../packages/ledger/src/operations/outbox.ts";
import * as people from "../packages/ledger/src/operations/people.ts";
import * as provisioning from "../packages/ledger/src/operations/provisioning.ts";
import * as releases from "../packages/ledger/src/operations/releases.ts";
import * as reports from "../packages/ledger/src/operations/reports.ts";
import * as requests from "../packages/ledger/src/operations/requests.ts";
import * as reuse from "../packages/ledger/src/operations/reuse.ts";
import * as schedules from "../packages/ledger/src/operations/schedules.ts";
import * as shared from "../packages/ledger/src/operations/shared.ts";

/** knip takes every export of these modules for used: the type of the database is derived from them. */
const rooms = {
  agents,
  audit,
  catalog,
  dashboards,
  declared,
  drafts,
  ledgers,
  outbox,
  people,
  provisioning,
  releases,
  reports,
  requests,
  reuse,
  schedules,
  shared,
} satisfies Record<Exclude<keyof LedgerDatabase, "selfApproval" | "close">, object>;

/** What only tests and benchmarks read, and why it stays. */
const forTests: readonly string[] = ["ledgers.balance"]; // the one number that every test of the ledger is about

const packages = join(import.meta.dirname, "../packages");
const users = globSync("{server,cli,dosimeter}/src/**/*.ts", { cwd: packages })
  .filter((file) => !/\.(test|kit)\.ts$/.test(file))
  .map((file) => readFileSync(join(packages, file), "utf8"))
  .join("\n");

/** Some handlers call the operations of one room `operations`, or take the name of one as the step that they take. */
const isUsed = (room: string, name: string): boolean =>
  new RegExp(String.raw`\b(?:${room}|operations)\s*\.\s*${name}\b|\b(?:changed|decided|noted|plain)\("${name}"`).test(
    users,
  );

test.each(Object.entries(rooms))("something outside of tests uses every operation of %s", (room, operations) => {
  const unused = Object.keys(operations).filter((name) => !isUsed(room, name));
  expect(unused.map((name) => `${room}.${name}`).filter((name) => !forTests.includes(name))).toEqual([]);
});

test("an operation that nothing uses is found, and none is excused that is used", () => {
  expect(isUsed("ledgers", "charge")).toBe(true);
  expect(isUsed("ledgers", "balances")).toBe(false);
  for (const name of forTests) expect(isUsed(...(name.split(".") as [string, string]))).toBe(false);
});
