import { onBrokenInvariant } from "@dosimeter/core/accounting";
import { afterEach, expect } from "vitest";
import { brokenHere, hear } from "../packages/core/src/accounting/invariants.kit.ts";

onBrokenInvariant(hear);

/** A number that breaks an invariant is never given to anyone; that it was computed at all is a fault, in every test. */
afterEach(() => expect(brokenHere(), "invariants that a number broke in this test").toEqual([]));

/** What `pg` will refuse in its next version is a fault, in every test that does it. */
function refuseDeprecated({ name, message }: Error): void {
  if (name === "DeprecationWarning" && message.includes("pg@")) throw new Error(message);
}
// A process of several files runs this for each.
if (!process.listeners("warning").some((one) => one.name === refuseDeprecated.name))
  process.on("warning", refuseDeprecated);
