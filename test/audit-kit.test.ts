import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { writeKit } from "../scripts/audit-kit.ts";
import { readClaims } from "../scripts/claims.ts";
import { temporaryFolder } from "./folder.kit.ts";

const outcome = new Map([
  ["packages/core/src/filter/adversary.test.ts", { passed: 7, failed: 0 }],
  ["test/verify-export.test.ts", { passed: 3, failed: 2 }],
]);

function kit(): ReadonlyMap<string, string> {
  const folder = temporaryFolder();
  writeKit(folder, { commit: "c0ffee", results: outcome });
  return new Map(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), "utf8")]));
}

test("the auditor's kit has every claim, what could refute it and what came out, and is the same each time", () => {
  const written = kit();
  expect([...written.keys()].toSorted()).toEqual(
    ["README.md", "adversaries.md", "attacks.md", "claims.json", "claims.md", "rerun.sh", "results.md"].toSorted(),
  );
  expect(kit()).toEqual(written);
  const of = (name: string): string => written.get(name) ?? "";
  for (const { number, title } of readClaims()) expect(of("claims.md")).toContain(`## ${number} · ${title}\n`);
  expect(of("README.md").split(/\s+/).length).toBeLessThan(450);
  expect(of("results.md")).toContain("2 of");
  expect(of("results.md")).toContain("1 of them with failures");
  expect(of("results.md")).toContain("| `test/verify-export.test.ts` | 3 passed, 2 failed |");
  expect(of("results.md")).toContain("| `test/protocol/protocol.long.test.ts` | not run |");
  expect(of("rerun.sh")).toContain("test/protocol/protocol.long.test.ts");
  expect(of("attacks.md")).toContain("use up everyone's budget");
  expect(of("attacks.md")).toContain("T1");
  expect(of("adversaries.md")).toContain("What no test shows");
});

test("each claim has a test that the kit can run, or a benchmark that is run by hand", () => {
  const files = kit().get("rerun.sh") ?? "";
  const byHand = readClaims().filter(
    ({ tests }) => !tests.some((file) => files.includes(file) || /\.kit\.ts$/.test(file)),
  );
  expect(byHand.map(({ number }) => number)).toEqual([]);
});
