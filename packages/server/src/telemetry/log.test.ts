import { closeSync, existsSync, globSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { instanceOfTest } from "../fixture.kit.ts";
import { buildFixture, clientOf, countPlan, haveFailed, ORIGIN, withoutRows } from "../instance.kit.ts";
import { createLog, errorFields, fileOf } from "./log.ts";
import { logCodes } from "./log-codes.ts";

test("every line of a request has the id of its answer, also of what is measured after it, in the process that reads rows", async () => {
  const lines: { readonly level: number; readonly msg: string; readonly code?: string; readonly request?: string }[] =
    [];
  const instance = await instanceOfTest({ log: createLog("info", (line) => lines.push(JSON.parse(line))) });
  const fixture = await buildFixture(instance);
  const { tokens, dataset, memberAccount: account } = fixture;
  const ask = async (path: string, body: object, key = "key") => {
    const answer = await instance.fetch(
      new Request(`${ORIGIN}${path}`, {
        method: "POST",
        body: JSON.stringify(body),
        headers: {
          ...{ authorization: `Bearer ${tokens.member}`, "content-type": "application/json", "idempotency-key": key },
          accept: "application/json, text/event-stream",
        },
      }),
    );
    const text = await answer.text();
    const said = JSON.parse(text.startsWith("{") ? text : "{}") as { readonly id: string; readonly request?: string };
    return { id: answer.headers.get("x-request-id"), said };
  };
  expect(lines.filter(({ request }) => request === undefined)).toEqual([]);
  const release = (key: string) => ask("/v1/releases", { dataset, account, plan: countPlan("0.001") }, key);
  const asked = await withoutRows(instance.folder, async () => {
    // More than run at once: the last ones begin when others end.
    const all = await Promise.all(Array.from({ length: 30 }, (_, n) => release(`${n}`)));
    await haveFailed(
      fixture,
      all.map(({ said }) => said),
    );
    return all;
  });
  const of = (id: string | null) =>
    lines
      .filter(({ request, code }) => request === id && code !== "DEPARTURE_MISSED") // as a busy machine does
      .map(({ msg, code }) => code ?? msg);
  const failed = ["MEASUREMENT_FAILED", "MEASUREMENT_FAILED", "MEASUREMENT_FAILED", "RELEASE_FAILED"];
  for (const { id } of asked) expect(of(id).toSorted()).toEqual([...failed, "answered"]);
  const refused = await ask("/v1/releases", { dataset, account, plan: { statistics: [] } }, "none");
  expect([refused.said.request, of(refused.id)]).toEqual([refused.id, ["EMPTY_PLAN"]]);
  const called = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "find", arguments: {} } };
  const tool = await ask("/mcp", called);
  expect(of(tool.id).length, "the call of a tool, and the requests that it makes").toBeGreaterThan(1);
  expect(lines.filter(({ request }) => request === undefined)).toEqual([]);
  expect(lines.filter(({ level, code }) => level > 30 && (code === undefined || !(code in logCodes)))).toEqual([]);
});

test("every code that is explained is said somewhere", () => {
  const folder = join(import.meta.dirname, "..");
  const sources = globSync("**/*.ts", { cwd: folder })
    .filter((file) => !/\.(test|kit)\.ts$|log-codes/.test(file))
    .map((file) => readFileSync(join(folder, file), "utf8"))
    .join("\n");
  expect(Object.keys(logCodes).filter((code) => !new RegExp(`\\(\\s*"${code}"`).test(sources))).toEqual([]);
});

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
  for (let n = 0; n < 50; n += 1) log.error("REQUEST_FAILED", { count: n });
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
