import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { Table } from "../stores/column.ts";
import { firstTables } from "../stores/tables.ts";

/** What of a person these keep is their id, with what they spent, decided, or wrote for others; or it went when they were removed. */
const stays = [
  ...["amendment", "cap_reading", "claim", "declare_approval", "declare_right", "declared_charge"],
  ...[
    "agent_charge",
    "agent_limit",
    "entry",
    "ledger",
    "guarantee_version",
    "publication",
    "report_threshold",
    "request",
  ],
  ...["release_label", "public_answer", "reuse", "reuse_policy", "schedule", "standing_approval", "statistic"],
  ...["checked_upload", "connection", "dataset", "dataset_version", "listing", "passed_upload", "transfer"],
  ...["ban", "membership", "provider_service", "role_binding", "team_policy", "password", "second_factor", "webhook"],
  "typed_address",
];

test("erasing a person handles every table that names one, or leaves it on purpose", () => {
  const tables = Object.entries<Table>(firstTables)
    .filter(([, { columns }]) =>
      Object.values(columns).some(({ constraint }) => constraint.includes("REFERENCES principal")),
    )
    .map(([table]) => table);
  const erased = readFileSync(new URL("./erase.ts", import.meta.url), "utf8");
  expect(tables.filter((table) => !erased.includes(`"${table}"`)).toSorted()).toEqual(stays.toSorted());
});
