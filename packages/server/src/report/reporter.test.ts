import { systemPrincipal } from "@dosimeter/ledger";
import { afterAll, expect, test } from "vitest";
import { instanceOfTest } from "../fixture.kit.ts";
import { openReporter } from "./reporter.ts";

const reporter = openReporter();
afterAll(() => reporter.close());

test("a report comes from a thread of its own, once for the same question, and a bad question is its own error", async () => {
  const instance = await instanceOfTest();
  const { catalog, ledgers, reports } = instance.database;
  const by = systemPrincipal;
  const { id } = await catalog.createPopulation({ by, name: "p", privacyUnit: "person", adjacency: "addRemove" });
  const ledger = await ledgers.open({
    by,
    population: id,
    epsilon: (10n ** 12n) as never,
    delta: (10n ** 12n) as never,
  });
  const history = await reports.history({ node: ledger.id, points: 4 });
  const [first, same] = await Promise.all([1, 2].map(() => reporter.report({ history, delta: 1e-6, threshold: 1 })));
  expect(first).toMatchObject({ charges: 0, adaptive: 0, more: null });
  expect(same).toBe(first);
  await expect(reporter.report({ history, delta: 2, threshold: 1 })).rejects.toMatchObject({ message: /delta/ });
  expect(await reporter.report({ history, delta: 0.5, threshold: 1 })).toMatchObject({ delta: 0.5 });

  // Three thousand different charges at every point take much longer than this test.
  const kinds = Array.from({ length: 3000 }, (_, i) => [{ kind: "pure", epsilon: `0.000${1000 + i}` }] as const);
  const added = kinds.map((_, i) => [i, 1] as const);
  const stops = Array.from({ length: 24 }, (_, i) => ({
    charges: 3000,
    at: "",
    added: i === 0 ? added : [],
    mu2: null,
  }));
  const heavy = { history: { ...history, kinds, charges: 3000, stops }, delta: 1e-6, threshold: 2 };
  const [one, another, gone] = [new AbortController(), new AbortController(), AbortSignal.abort()];
  const outcome = { one: "waits", another: "waits" };
  const asked = Object.entries({ one, another }).map(([who, { signal }]) =>
    reporter.report(heavy, signal).catch(({ code }) => Object.assign(outcome, { [who]: code })),
  );
  const crowd = new AbortController();
  const crowded = Array.from({ length: 120 }, (_, i) =>
    reporter.report({ ...heavy, delta: 0.3 + i / 1000 }, crowd.signal).catch(({ code }) => code),
  );
  crowd.abort();
  const unbegun = new AbortController();
  const behind = reporter.report({ ...heavy, delta: 0.25 }, unbegun.signal).catch(({ code }) => code);
  const next = reporter.report({ history, delta: 0.125, threshold: 1 });
  unbegun.abort();
  one.abort();
  expect(await Promise.race([next.then(() => "answered"), new Promise((resolve) => setTimeout(resolve, 200))])).toBe(
    undefined,
  );
  expect(outcome, "somebody waits still").toEqual({ one: "waits", another: "waits" });
  another.abort();
  await Promise.all(asked);
  expect(outcome).toEqual({ one: "NOT_READY", another: "NOT_READY" });
  expect(await behind).toBe("NOT_READY");
  expect([...new Set(await Promise.all(crowded))], "who left keeps nobody out").toEqual(["NOT_READY", "RATE_LIMITED"]);
  expect(await next, "is answered by the next thread").toMatchObject({ delta: 0.125 });
  await expect(reporter.report(heavy, gone)).rejects.toMatchObject({ code: "NOT_READY" });
});
