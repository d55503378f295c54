import { systemPrincipal } from "@dosimeter/ledger";
import { afterAll, expect, test } from "vitest";
import { openTestHouse } from "../house.kit.ts";
import { openReporter } from "./reporter.ts";

const reporter = openReporter();
afterAll(() => reporter.close());

test("a report comes from a thread of its own, once for the same question, and a bad question is its own error", async () => {
  const house = await openTestHouse();
  const { catalog, ledgers, reports } = house.books;
  const by = systemPrincipal;
  const { id } = await catalog.createPopulation({ by, name: "p", privacyUnit: "person", adjacency: "addRemove" });
  const ledger = await ledgers.open({
    by,
    population: id,
    epsilon: (10n ** 12n) as never,
    delta: (10n ** 12n) as never,
  });
  const history = await reports.history({ node: ledger.id, points: 4 });
  const first = reporter.report({ history, delta: 1e-6, threshold: 1 });
  expect(reporter.report({ history, delta: 1e-6, threshold: 1 })).toBe(first);
  expect(await first).toMatchObject({ charges: 0, adaptive: 0, more: null });
  await expect(reporter.report({ history, delta: 2, threshold: 1 })).rejects.toMatchObject({ message: /delta/ });
  expect(await reporter.report({ history, delta: 0.5, threshold: 1 })).toMatchObject({ delta: 0.5 });
  await house.close();
});
