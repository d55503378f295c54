import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

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
  const text = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8");
  const tables = [...text("../stores/migrations/0001-schema.ts").matchAll(/CREATE TABLE (\w+) \(([^`]*)`/g)]
    .filter(([, , columns = ""]) => columns.includes("REFERENCES principal"))
    .map(([, table = ""]) => table);
  const erased = text("./erase.ts");
  expect(tables.filter((table) => !erased.includes(`"${table}"`)).toSorted()).toEqual(stays.toSorted());
});
