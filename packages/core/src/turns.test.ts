import { expect, test } from "vitest";
import { oneAfterAnother } from "./turns.ts";

test("work waits for what came before it, also for what fails", async () => {
  const turn = oneAfterAnother();
  const done: string[] = [];
  const step = (name: string) => async () => {
    done.push(`${name} begins`);
    await Promise.resolve();
    done.push(`${name} ends`);
    return name;
  };
  const failing = turn(async () => {
    await step("first")();
    throw new Error("first failed");
  });
  const second = turn(step("second"));
  await expect(failing).rejects.toThrow("first failed");
  expect(await second).toBe("second");
  expect(done).toEqual(["first begins", "first ends", "second begins", "second ends"]);
});
