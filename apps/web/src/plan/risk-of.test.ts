import type { Dataset } from "@dosimeter/client";
import { expect, test } from "vitest";
import { ofHundred, rightAfter } from "../parts/calculus.ts";
import { riskOf } from "./risk-of.ts";

type Ledger = NonNullable<Dataset["ledger"]>;
const ledger = (spent: string | null) =>
  ({
    epsilon: "5",
    balance: {
      epsilon: { cap: "5", spent, left: null },
      mu2: { cap: "1", spent: "0.4", left: "0.6" },
      delta: { cap: "0", spent: "0", left: "0" },
    },
  }) as unknown as Ledger;
const words = (risk: ReturnType<typeof riskOf>) =>
  [risk.plan, risk.whole].map((each) => (each === null ? null : ofHundred(rightAfter(each))));

test("this plan alone, and with all earlier answers; never what the lifetime would still allow", () => {
  expect(words(riskOf(ledger("1"), [], "1"))).toEqual(["74", "89"]);
  expect(words(riskOf(ledger("0"), [], "0.1"))).toEqual(["53", "53"]);
  expect(words(riskOf(null, [], "1"))).toEqual(["74", null]);
  // ρ 0.5 is μ² 1.
  const gaussian = { rho: "0.5", quote: null };
  expect(words(riskOf(ledger("1"), [gaussian], "0"))).toEqual(["70", "93"]);
  // Without a sum in ε: what the rule keeps everything within.
  expect(words(riskOf(ledger(null), [gaussian], "0"))).toEqual(["70", "70"]);
});
