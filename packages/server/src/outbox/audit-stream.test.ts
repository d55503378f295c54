import { readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text as readAll } from "node:stream/consumers";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { clientOf, openTestInstance, temporaryFolder } from "../instance.kit.ts";
import { auditPlaceAt } from "./audit-places.ts";

let place: Awaited<ReturnType<typeof temporaryFolder>>;
beforeEach(async () => {
  place = await temporaryFolder();
});
afterEach(() => place.remove());

const open = (auditStream: string) =>
  openTestInstance({ folder: join(place.folder, "data"), deliver: true, auditStream, metrics: true });
type Instance = Awaited<ReturnType<typeof open>>;

async function linesOf(instance: Instance): Promise<readonly { sequence: number; hash: string }[]> {
  const client = clientOf(instance, instance.operatorToken);
  const all = [];
  for await (const line of client.all("listAudit")) all.push({ sequence: line.sequence, hash: line.hash });
  return all.toReversed();
}
const parsed = (text: string) =>
  text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { sequence: number; hash: string; action: string })
    .map(({ sequence, hash }) => ({ sequence, hash }));

test("a file gets every line in order, goes on after a restart, and all of them again after its cursor is lost", async () => {
  const path = join(place.folder, "audit.jsonl");
  const first = await open(pathToFileURL(path).href);
  await clientOf(first, first.operatorToken).createTeam({ name: "one" });
  const before = await linesOf(first);
  await first.close();
  expect(parsed(await readFile(path, "utf8"))).toEqual(before);

  const second = await open(pathToFileURL(path).href);
  await clientOf(second, second.operatorToken).createTeam({ name: "two" });
  const after = await linesOf(second);
  await second.close();
  expect(after.length).toBeGreaterThan(before.length);
  expect(parsed(await readFile(path, "utf8"))).toEqual(after);

  await rm(join(place.folder, "data", "audit-stream.json"));
  await (await open(pathToFileURL(path).href)).close();
  expect(parsed(await readFile(path, "utf8"))).toEqual([...after, ...after]);
});

test("a receiver that is away misses nothing: what waits is counted, and sent in order when it is back", async () => {
  let isBack = false;
  let refused = 0;
  const taken: string[] = [];
  const receiver = createServer((request, response) => {
    const isOurs = request.headers.authorization === `Basic ${Buffer.from("siem:secret").toString("base64")}`;
    void readAll(request).then((body) => {
      if (!isBack) refused += 1;
      else if (isOurs) taken.push(body);
      response.writeHead(isBack ? 204 : 503).end();
    });
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => receiver.once("listening", resolve));
  const { port } = receiver.address() as AddressInfo;
  const instance = await open(`http://siem:secret@127.0.0.1:${port}/audit`);
  try {
    await clientOf(instance, instance.operatorToken).createTeam({ name: "while it is away" });
    await expect.poll(() => refused, { timeout: 30_000 }).toBeGreaterThan(0);
    const metrics = await (await instance.fetch(new Request("http://instance.test/metrics"))).text();
    expect(Number(/^dosimeter_audit_waiting (\d+)$/m.exec(metrics)?.[1])).toBe((await linesOf(instance)).length);
    isBack = true;
    const lines = await linesOf(instance);
    await expect.poll(() => parsed(taken.join("")), { timeout: 60_000 }).toEqual(lines);
  } finally {
    await instance.close();
    receiver.close();
  }
});

test.each(["syslog://h", "audit.jsonl", "file://host/x", "ftp://h/x"])("%s is no place", (address) => {
  expect(auditPlaceAt(address)).toBeNull();
});
