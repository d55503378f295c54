import { expect, test } from "vitest";
import { memoized } from "./memoized.ts";

test("each key is looked for once, also where nothing is found, and again after a fault", () => {
  const asked: string[] = [];
  const find = memoized((key: string) => {
    asked.push(key);
    if (asked.length === 1) throw new Error("not yet");
    return key === "absent" ? undefined : key.length;
  });
  expect(() => find("four")).toThrow("not yet");
  expect([find("four"), find("absent"), find("four"), find("absent")]).toEqual([4, undefined, 4, undefined]);
  expect(asked).toEqual(["four", "four", "absent"]);
});
