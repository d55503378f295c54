import { expect, test } from "vitest";
import { stepLabels } from "./context.ts";
import { killAgainAndAgain } from "./crash.kit.ts";

/** Times each label; every one also at a different hit, so that the batch around it differs. */
const TIMES = 10;

test("kill −9 at every labelled step, more than a hundred times", { timeout: 1_800_000 }, async () => {
  const kills = stepLabels.flatMap((label) =>
    Array.from({ length: TIMES }, (_, time) => ({ label, hit: label.startsWith("lease.") ? 1 : 1 + (time % 4) })),
  );
  const deaths = await killAgainAndAgain(kills);
  console.log(`killed ${deaths} of ${kills.length} workers`);
  expect(deaths).toBeGreaterThanOrEqual(100);
});
