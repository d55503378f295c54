import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Begun last, one of these would run alone; in this order. */
const longest = [
  "packages/server/src/crash.long.test.ts",
  "test/organisation.long.test.ts",
  "test/planning.long.test.ts",
  "packages/ledger/src/testing/crash.long.test.ts",
  "test/web-risk.long.test.ts",
  "test/docs.long.test.ts",
  "test/reuse.long.test.ts",
  "packages/query/src/audit/audit.long.test.ts",
  "test/requests.long.test.ts",
  "test/dataset-page.long.test.ts",
  "packages/ledger/src/stores/postgres/postgres.long.test.ts",
  "packages/query/src/duckdb.long.test.ts",
  "test/quotas.long.test.ts",
  "test/web.test.ts",
  "packages/query/src/duckdb.test.ts",
  "test/walk-serve.test.ts",
  "test/permissions.test.ts",
  "packages/query/src/postgres.test.ts",
  "packages/query/src/answer/answer.test.ts",
  "packages/ledger/src/ledger/plan-quote.test.ts",
  "packages/ledger/src/testing/crash.test.ts",
  "test/walk.test.ts",
  "test/web-static.test.ts",
  "packages/ledger/src/requests/request.test.ts",
  "packages/core/src/accounting/report.test.ts",
];

/** No core is idle at the end of a run, also on a machine that never ran it: then the rest is sorted by size. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const rank = ({ moduleId }: TestSpecification) => {
      const found = longest.findIndex((name) => moduleId.endsWith(`/${name}`));
      return found === -1 ? longest.length : found;
    };
    return sorted.sort((a, b) => rank(a) - rank(b));
  }
}
