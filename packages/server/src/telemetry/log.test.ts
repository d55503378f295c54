import { closeSync, existsSync, openSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { instanceOfTest } from "../fixture.kit.ts";
import { clientOf } from "../instance.kit.ts";
import { createLog, errorFields, fileOf } from "./log.ts";

test("a log that cannot be written decides no answer", async () => {
  const broken = () => {
    throw Object.assign(new Error("ENOSPC"), { code: "ENOSPC" });
  };
  const instance = await instanceOfTest({ log: { info: broken, error: broken } });
  const operator = clientOf(instance, instance.operatorToken);
  expect(await operator.createPerson({ name: "Ana" })).toMatchObject({ name: "Ana" });
  await expect(operator.showPerson({ person: "per_unknown" })).rejects.toMatchObject({ code: "NOT_FOUND" });
  expect((await operator.listPeople()).items.map(({ name }) => name)).toContain("Ana");
});

test.runIf(existsSync("/dev/full")).each([
  ["a full disk", () => openSync("/dev/full", "w"), () => undefined],
  ["a file that was closed", () => openSync("/dev/null", "w"), closeSync],
])("lines to %s are lost, and nothing else", async (_, open, spoil) => {
  const descriptor = open();
  const stream = fileOf(descriptor);
  spoil(descriptor);
  const log = createLog("info", (line) => {
    stream.write(line);
  });
  for (let n = 0; n < 50; n += 1) log.error("failed", { count: n });
  await pause(20); // errors of a stream come later
  log.info("answered", { status: 200 });
});

test("a message never passes for a part of the stack, whatever its lines begin with", () => {
  const secret = "no such row\n    at patient 7123450\n    at file:///row/7123450:1:2";
  const thrown = new TypeError(secret);
  const changed = new Error("no such row\n    at patient 7123450");
  expect(changed.stack).toContain("7123450"); // the message as it was
  changed.message = "no such";
  for (const error of [thrown, changed, Object.assign(new Error(""), { name: "at patient 7123450" })]) {
    const { at = [] } = errorFields(error);
    expect(at.join("\n")).not.toContain("7123450");
    expect(at[0]).toMatch(/^at .*log\.test\.ts:\d+:\d+\)?$/);
  }
});
