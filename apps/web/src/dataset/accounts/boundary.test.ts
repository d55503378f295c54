import type { Account } from "@dosimeter/client";
import { epsilonAmount } from "@dosimeter/core";
import fc from "fast-check";
import { expect, test } from "vitest";
import { after, boundariesOf, limitsOf, type Shift, shiftBy, stepOf, transferOf } from "./boundary.ts";

/** Only what a boundary reads of an account. */
const account = (id: string, quota: string, free: string, other: Partial<Account> = {}): Account =>
  ({
    id,
    parent: "top",
    name: id,
    kind: "share",
    status: "active",
    quota: { epsilon: quota },
    free: { epsilon: free },
    mine: { mayManage: true },
    ...other,
  }) as Account;
const units = (decimal: string) => epsilonAmount(decimal, "down");

test("no shift gives more than is free, and the two together keep what they had, to the last unit", () => {
  const amount = fc.integer({ min: 1, max: 10_000_000 }).map((n) => (n / 1_000_000).toFixed(6));
  fc.assert(
    fc.property(amount, amount, fc.bigInt({ min: -(10n ** 14n), max: 10n ** 14n }), (a, b, by) => {
      const pair = { left: account("a", a, a), right: account("b", b, b) };
      const shift = shiftBy(pair, by);
      const [least, most] = limitsOf(pair);
      expect(shift.units >= least && shift.units <= most).toBe(true);
      const sides = after(shift);
      expect(units(sides.left) + units(sides.right)).toBe(units(a) + units(b));
      const transfer = transferOf(shift);
      expect(units(transfer?.epsilon ?? "0")).toBe(shift.units < 0n ? -shift.units : shift.units);
      if (transfer !== null) expect(units(transfer.epsilon)).toBeLessThanOrEqual(units(transfer.from.free.epsilon));
    }),
  );
});

test("an arrow key moves a tenth to a hundredth of both", () => {
  for (const [a, b, step] of [
    ["2.5", "2.5", "0.1"],
    ["0.3", "0.3", "0.01"],
    ["40", "60", "10"],
  ] as const)
    expect(stepOf({ left: account("a", a, a), right: account("b", b, b) } as Shift)).toBe(units(step));
});

test("only active shares side by side that I may change have a boundary", () => {
  const cells = ["a", "b", "c", "d", "e"].map((id, at) => ({
    id,
    depth: 1,
    x: at * 100,
    y: 0,
    width: 100,
    height: 52,
  }));
  const accounts = [
    account("a", "1", "1"),
    account("b", "1", "1"),
    account("c", "1", "1", { status: "frozen" }),
    account("d", "1", "1", { parent: "other" }),
    account("e", "1", "1", { parent: "other", mine: { mayManage: false } as Account["mine"] }),
  ];
  const found = boundariesOf(cells as never, accounts);
  expect(found.map(({ left, right, x }) => [left.id, right.id, x])).toEqual([["a", "b", 100]]);
});
