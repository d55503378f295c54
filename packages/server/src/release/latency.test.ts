import { expect, test } from "vitest";
import { inClass } from "./latency.ts";

test("looking for earlier answers ends at 4, 8, 16 … ms, whatever was found, and when it fails", async () => {
  for (const [milliseconds, end, fails] of [
    [0, 4, false],
    [5, 8, false],
    [10, 16, true],
  ] as const) {
    const started = performance.now();
    const work = new Promise<string>((resolve, reject) =>
      setTimeout(() => (fails ? reject(new Error("failed")) : resolve("found")), milliseconds),
    );
    expect(await inClass(work).catch(({ message }: Error) => message)).toBe(fails ? "failed" : "found");
    expect(performance.now() - started).toBeGreaterThanOrEqual(end);
  }
});
