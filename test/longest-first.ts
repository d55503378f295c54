import { basename } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** The files that take longest, by name and not by folder. Begun last, one of these would run alone. */
export const longest = [
  "invariants.long.test.ts",
  "crash.long.test.ts",
  "docs.long.test.ts",
  "coverage.long.test.ts",
  "engine.long.test.ts",
  "packages.long.test.ts",
  "states.long.test.ts",
  "sources-pages.long.test.ts",
  "book.long.test.ts",
  "organisation.long.test.ts",
  "planning.long.test.ts",
  "postgres.long.test.ts",
  "join.long.test.ts",
  "numbers.long.test.ts",
  "clients.long.test.ts",
  "hostile.long.test.ts",
  "stalls.long.test.ts",
  "dataset-page.long.test.ts",
  "doors.long.test.ts",
  "web-risk.long.test.ts",
  "first-dataset.long.test.ts",
  "audit.long.test.ts",
  "bounds.long.test.ts",
  "quotas.long.test.ts",
  "web-addresses.long.test.ts",
  "requests.long.test.ts",
  "long-releases.long.test.ts",
  "restore.long.test.ts",
  "reuse.long.test.ts",
  "web.long.test.ts",
  "walk-serve.long.test.ts",
  "walk.long.test.ts",
  "web-static.long.test.ts",
  "archive.long.test.ts",
  "pending.long.test.ts",
  "queue.long.test.ts",
  "engine.test.ts",
  "permissions.long.test.ts",
  "request.test.ts",
  "pld.test.ts",
  "bounds.test.ts",
  "answer.test.ts",
  "app.test.ts",
  "measurer.long.test.ts",
  "strangers.test.ts",
  "properties.test.ts",
  "axioms.test.ts",
  "serve.long.test.ts",
  "mcp.test.ts",
  "postgres.test.ts",
  "quantile.test.ts",
  "plan-quote.test.ts",
  "operator.test.ts",
];

/** No core is idle at the end of a run, also on a machine that never ran it: then the rest is sorted by size. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const rank = ({ moduleId }: TestSpecification) => {
      const found = longest.indexOf(basename(moduleId));
      return found === -1 ? longest.length : found;
    };
    return sorted.sort((a, b) => rank(a) - rank(b));
  }
}
