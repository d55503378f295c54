import { EventEmitter } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { systemPrincipal } from "@dosimeter/ledger";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { temporaryFolder } from "../../../../test/folder.kit.ts";
import { within } from "../../../../test/within.kit.ts";
import { clientOf, csvBytes, openTestInstance } from "../instance.kit.ts";
import type { Said } from "../measuring/job.ts";
import { type ConnectionHosts, readConnectionHosts } from "./connection-hosts.ts";
import { openConnections } from "./known-connections.ts";

let instance: Awaited<ReturnType<typeof openTestInstance>>;
const secrets = { reader: { passwordFile: "reader" } };
const place = temporaryFolder();
let hosts: ConnectionHosts;
beforeAll(async () => {
  await writeFile(join(place, "reader"), "opensesame");
  const one = ["one.example.org:5432", "two.example.org:5432", "127.0.0.1:1"];
  const connectionHosts = { inline: Object.fromEntries(one.map((host) => [host, { secrets }])), folder: place };
  hosts = await readConnectionHosts(connectionHosts, {});
  instance = await openTestInstance({ connectionHosts });
});
afterAll(() => instance.close());

/** As another server of the database would. */
const add = (name: string, url: string) =>
  instance.database.shared.addConnection({
    ...{ by: systemPrincipal, name, url, secret: "reader", isRead: () => false, isSame: () => false },
  });
const remove = (name: string) =>
  instance.database.shared.removeConnection({ by: systemPrincipal, name, isRead: () => false });

test("a name that operator and admin gave to two databases reads neither; to one database it is the operator's", async () => {
  const theirs = "postgres://owner:hunter2@one.example.org/clinic";
  const { all } = openConnections({ operators: { clinic: { url: theirs } }, hosts, database: instance.database });
  expect(await all()).toMatchObject([{ name: "clinic", added: null, settings: { url: theirs }, problem: null }]);
  await add("clinic", "postgres://reader@two.example.org:5432/clinic");
  expect(await all()).toMatchObject([
    { name: "clinic", settings: null, problem: expect.stringContaining("two databases") },
  ]);
  await remove("clinic");
  await add("clinic", "postgres://reader@one.example.org:5432/clinic");
  expect(await all()).toMatchObject([{ name: "clinic", added: null, settings: { url: theirs }, problem: null }]);
  await remove("clinic");
});

test("a connection of a kind that only a newer version knows leaves the others as they are", async () => {
  const { all, check } = openConnections({ operators: {}, hosts, database: instance.database });
  await add("newer", "newer://reader@one.example.org:5432/clinic");
  await add("older", "postgres://reader@one.example.org:5432/clinic");
  expect((await all()).map(({ name, problem }) => [name, problem])).toEqual([["older", null]]);
  const url = "postgres://reader@two.example.org:5432/clinic";
  expect(await check({ name: "more", url, secret: "reader" })).toBe(url);
  await remove("newer");
  await remove("older");
});

test("of what was checked no password is kept", async () => {
  const { all } = openConnections({ operators: {}, hosts, database: instance.database });
  await add("clinic", "postgres://reader@one.example.org:5432/clinic");
  const kept = vi.spyOn(Map.prototype, "set");
  try {
    expect(await all()).toMatchObject([{ name: "clinic", settings: { password: "opensesame" } }]);
    const texts = kept.mock.calls.flatMap(([key, value]) =>
      key === "clinic" && typeof value === "string" ? value : [],
    );
    expect(texts).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/)]);
  } finally {
    kept.mockRestore();
    await remove("clinic");
  }
});

test("a connection may be called as what every object has", async () => {
  const client = clientOf(instance, instance.operatorToken);
  await add("constructor", "postgres://reader@127.0.0.1:1/clinic");
  const [item] = (await client.listConnections()).items;
  expect(item).toMatchObject({ name: "constructor", problem: expect.any(String) });
  await remove("constructor");
});

test("work after an answer does not wait for a look at the sources, which a silent host can hold up", async () => {
  const silent = Object.assign(new EventEmitter(), {
    send: (_said: unknown, done: () => void) => done(),
    kill: () => silent.emit("exit"),
    ref: () => undefined,
  });
  const connectionHosts = { inline: { "127.0.0.1:1": { secrets } }, folder: place };
  const held = await openTestInstance({ connectionHosts, startMeasuring: () => silent });
  try {
    const client = clientOf(held, held.operatorToken);
    await client.addConnection({ name: "clinic", url: "postgres://reader@127.0.0.1:1/clinic", secret: "reader" });
    await within("work after an answer", held.settled());
  } finally {
    await held.close();
  }
});

test("what is uploaded is read in a process that gets no connection", async () => {
  const said: Said[][] = [];
  const startMeasuring = () => {
    const all: Said[] = [];
    said.push(all);
    const child = Object.assign(new EventEmitter(), {
      send(one: Said, done: () => void) {
        all.push(one);
        if (one.kind === "job") setImmediate(() => child.emit("message", { id: one.id, result: [] }));
        done();
      },
      kill: () => child.emit("exit"),
      ref: () => undefined,
    });
    return child;
  };
  const connectionHosts = { inline: { "127.0.0.1:1": { secrets } }, folder: place };
  const held = await openTestInstance({ connectionHosts, startMeasuring });
  try {
    const client = clientOf(held, held.operatorToken);
    await client.addConnection({ name: "clinic", url: "postgres://reader@127.0.0.1:1/clinic", secret: "reader" });
    await client.testConnection({ connection: "clinic" }).catch(() => undefined);
    await client.uploadFile({ name: "a.csv", content: csvBytes("a\n1\n") });
    const connected = said.filter((all) => JSON.stringify(all).includes("opensesame"));
    expect(connected).toHaveLength(1);
    const others = said.filter((all) => !connected.includes(all));
    expect(others.flat().some((one) => one.kind === "job" && one.job.name === "describe")).toBe(true);
    expect(connected.flat().some((one) => one.kind === "open" && one.options.files !== undefined)).toBe(false);
  } finally {
    await held.close();
  }
});
