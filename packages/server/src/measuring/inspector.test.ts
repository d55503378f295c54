import type { PrincipalId } from "@dosimeter/ledger";
import { expect, test } from "vitest";
import { openInspector } from "./inspector.ts";

/** Jobs that end when a test says so, in the order in which they began. */
function heldJobs() {
  const begun: { readonly name: string; readonly end: () => void }[] = [];
  const inspector = openInspector({
    run: ((_: string, { source }: { source: { csv: string } }) => {
      const held = Promise.withResolvers<unknown>();
      begun.push({ name: source.csv, end: () => held.resolve([]) });
      return held.promise;
    }) as never,
  });
  const { signal } = new AbortController();
  const ask = (person: string, csv: string) =>
    inspector.inspect("describe", { source: { csv } }, { person: person as PrincipalId, signal });
  return { begun, ask };
}

const names = (begun: readonly { readonly name: string }[]) => begun.map(({ name }) => name);

test("thirty tables of one person are read one after another, and another person's at once", async () => {
  const { begun, ask } = heldJobs();
  const all = Array.from({ length: 30 }, (_, at) => ask("hostile", `h${at}`));
  await Promise.resolve();
  all.push(ask("ana", "a"), ask("ana", "b"), ask("bob", "c"), ask("eve", "d"));
  await expect.poll(() => names(begun)).toEqual(["h0", "a", "c"]);
  begun[2]?.end();
  await expect.poll(() => names(begun)).toEqual(["h0", "a", "c", "d"]);
  begun[1]?.end();
  await expect.poll(() => names(begun).at(-1)).toBe("b");
  let ended = 0;
  while (ended < all.length) {
    for (const { end } of begun.slice(ended)) end();
    ended = begun.length;
    await new Promise((resume) => setImmediate(resume));
  }
  expect(await Promise.all(all)).toHaveLength(34);
});

test("of one person fifty may wait", async () => {
  const { begun, ask } = heldJobs();
  const all = Array.from({ length: 51 }, (_, at) => ask("hostile", `h${at}`));
  await expect(ask("hostile", "one more")).rejects.toMatchObject({ code: "RATE_LIMITED" });
  for (let ended = 0; ended < all.length; ended += 1) {
    await expect.poll(() => begun.length).toBe(ended + 1);
    begun[ended]?.end();
  }
  await Promise.all(all);
});
