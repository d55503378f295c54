import type { Account, Ledger } from "@dosimeter/client";
import { expect, test } from "vitest";
import { icicleOf, rootsOf } from "./tree.ts";

const balance = (cap: string, spent: string | null) => ({
  activeRule: "addition" as const,
  epsilon: { cap, spent, left: null },
  delta: { cap: "0", spent: "0", left: "0" },
  mu2: { cap: "0", spent: null, left: null },
  used: 0,
  usedDelta: 0,
});
const account = (id: string, parent: string | null, cap: string, spent: string, status = "active", free = "0.2") =>
  ({
    id,
    name: id,
    parent,
    kind: "share",
    status,
    balance: balance(cap, spent),
    free: { epsilon: free },
  }) as unknown as Account;
const ledger = { id: "led", balance: balance("5", "0.6"), free: { epsilon: "3" } } as unknown as Ledger;

test("what is promised, spent and free adds up at every node, to the digit", () => {
  const all = [
    account("team", null, "2", "0.6"),
    account("ana", "team", "1.1", "0.5"),
    account("ben", "team", "0.7", "0.1"),
  ];
  const { root } = icicleOf(ledger, all);
  expect(root).toMatchObject({ total: "5", spent: "0.6", allocated: "1.4", free: "3" });
  expect(root.children[0]).toMatchObject({ total: "2", spent: "0.6", allocated: "1.2", free: "0.2" });
});

test("what was promised to accounts that I may not see is not free either", () => {
  const all = [account("team", null, "2", "0.6"), account("ana", "team", "1.1", "0.5", "active", "0.6")];
  const { root } = icicleOf({ ...ledger, free: { ...ledger.free, epsilon: "0" } }, all);
  expect(root).toMatchObject({ allocated: "4.4", free: "0" });
  expect(root.children[0]).toMatchObject({ allocated: "1.2", free: "0.2" });
  expect(root.children[0]?.children[0], "an account without others below promised nothing").toMatchObject({
    allocated: "0",
    free: "0.6",
  });
});

test("a closed account that spent stays in the picture, one that did not goes; a parent I may not see makes a root", () => {
  const all = [
    account("spent", null, "0.1", "0.1", "closed"),
    account("unused", null, "0", "0", "closed"),
    account("below", "hidden", "1", "0", "frozen"),
  ];
  expect(rootsOf(all).map(({ id }) => id)).toEqual(["spent", "unused", "below"]);
  expect(icicleOf(ledger, all).root.children.map(({ id, mark }) => [id, mark])).toEqual([
    ["spent", "closed"],
    ["below", "frozen"],
  ]);
});
