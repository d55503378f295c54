import fc from "fast-check";
import { expect, test } from "vitest";
import { isFull, openTurns } from "./turns.ts";

const job = (principal: string, ledger: string, n = 0) =>
  ({ charge: { principal, ledger }, n }) as unknown as { charge: { principal: never; ledger: never }; n: number };

function next(turns: ReturnType<typeof openTurns<ReturnType<typeof job>>>) {
  const one = turns.peek();
  if (one !== undefined) turns.take(one);
  return one?.charge.principal as string | undefined;
}

test("a thousand releases of one person delay another's by no job more than those that run", () => {
  const turns = openTurns<ReturnType<typeof job>>();
  for (let n = 0; n < 1000; n += 1) turns.add(job("hostile", `ledger ${n % 3}`, n));
  for (let n = 0; n < 10; n += 1) expect(next(turns)).toBe("hostile");
  turns.add(job("ana", "ledger 0"));
  expect(next(turns)).toBe("ana");
  turns.add(job("ana", "ledger 0"));
  expect([next(turns), next(turns)]).toEqual(["hostile", "ana"]);
});

test("whose turn it is goes by who may begin", () => {
  const turns = openTurns<ReturnType<typeof job>>();
  turns.add(job("hostile", "long", 1));
  turns.add(job("ana", "short", 2));
  expect(turns.peek(({ n }) => n > 1)?.charge.principal).toBe("ana");
  expect(turns.peek()?.charge.principal).toBe("hostile");
  expect(turns.peek(() => false)).toBeUndefined();
});

test("a hundred people on one ledger do not keep the one on another waiting", () => {
  const turns = openTurns<ReturnType<typeof job>>();
  for (let n = 0; n < 1000; n += 1) turns.add(job(`person ${n % 100}`, "theirs"));
  turns.add(job("ana", "hers"));
  turns.add(job("ana", "hers"));
  const order = Array.from({ length: 6 }, () => next(turns));
  expect(order.slice(0, 2)).toContain("ana");
  expect(order.filter((person) => person === "ana")).toHaveLength(2);
});

test("a person waits with at most 500 releases and a ledger with 1000, so that others may wait too", () => {
  const [hostile, ana, bob] = [job("hostile", "l"), job("ana", "l"), job("bob", "m")];
  const waiting = Array.from({ length: 500 }, () => hostile);
  expect(isFull(waiting.slice(1), hostile.charge)).toBe(false);
  expect(isFull(waiting, hostile.charge)).toBe(true);
  expect(isFull(waiting, ana.charge)).toBe(false);
  const more = [...waiting, ...Array.from({ length: 500 }, (_, n) => job(`person ${n}`, "l"))];
  expect(isFull(more, ana.charge)).toBe(true);
  expect(isFull(more, bob.charge)).toBe(false);
  expect(isFull([...more, ...Array.from({ length: 4000 }, (_, n) => job(`p ${n}`, `l ${n}`))], bob.charge)).toBe(true);
});

test("everyone gets a turn, and one person's releases keep their order", () => {
  const arbitrary = fc.array(fc.tuple(fc.constantFrom("a", "b", "c"), fc.constantFrom("x", "y")), { maxLength: 40 });
  fc.assert(
    fc.property(arbitrary, (asked) => {
      const turns = openTurns<ReturnType<typeof job>>();
      for (const [n, [principal, ledger]] of asked.entries()) turns.add(job(principal, ledger, n));
      const taken: ReturnType<typeof job>[] = [];
      for (let one = turns.peek(); one !== undefined; one = turns.peek()) {
        turns.take(one);
        taken.push(one);
      }
      expect(taken).toHaveLength(asked.length);
      expect(turns.size()).toBe(0);
      for (const [principal, ledger] of asked) {
        const own = taken.filter(({ charge }) => charge.principal === principal && charge.ledger === ledger);
        expect(own.map(({ n }) => n)).toEqual(own.map(({ n }) => n).toSorted((a, b) => a - b));
      }
    }),
  );
});
