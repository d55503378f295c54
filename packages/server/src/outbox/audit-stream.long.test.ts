import { readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { type AddressInfo, createServer as createTcp, type Socket } from "node:net";
import { join } from "node:path";
import { text as readAll } from "node:stream/consumers";
import { createServer as createTls, getCACertificates, setDefaultCACertificates } from "node:tls";
import { pathToFileURL } from "node:url";
import { beforeEach, describe, expect, test } from "vitest";
import { type Certificate, selfSigned } from "../../../../test/certificate.kit.ts";
import { temporaryFolder } from "../../../../test/folder.kit.ts";
import { clientOf, openTestInstance } from "../instance.kit.ts";
import { auditPlaceAt } from "./audit-places.ts";

let place: string;
beforeEach(() => {
  place = temporaryFolder();
});

const open = (auditStream: string) =>
  openTestInstance({ folder: join(place, "data"), deliver: true, auditStream, metrics: true });
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
  const path = join(place, "audit.jsonl");
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

  await rm(join(place, "data", "audit-stream.json"));
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

/** A receiver of syslog; what arrived on each connection that was read to its end. */
async function syslogReceiver(own?: Certificate) {
  const taken: string[] = [];
  let behaves: "reads" | "resets" = "resets";
  let resets = 0;
  const take = (socket: Socket) => {
    socket.on("error", () => undefined);
    if (behaves === "reads") return void readAll(socket).then((text) => taken.push(text));
    resets += 1;
    socket.resetAndDestroy();
  };
  // Without allowHalfOpen the other side is closed when the end was read, as by a program that reads until then.
  const server = own === undefined ? createTcp(take) : createTls({ cert: own.certificate, key: own.key }, take);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    taken,
    resets: () => resets,
    read: () => {
      behaves = "reads";
    },
    close: () => server.close(),
  };
}

/** The messages of one connection, by the length that each says. */
function messagesOf(text: string): readonly string[] {
  const messages: string[] = [];
  let rest = Buffer.from(text);
  while (rest.length > 0) {
    const space = rest.indexOf(" ");
    const end = space + 1 + Number(rest.subarray(0, space));
    messages.push(rest.subarray(space + 1, end).toString());
    rest = rest.subarray(end);
  }
  return messages;
}
const FORM = /^<110>1 \d{4}-\d\d-\d\dT[\d:.]+Z [!-~]{1,255} dosimeter - ([!-~]{1,32}) - (\{.*\})$/;

test("a syslog receiver that resets connections misses nothing: every line in order, as RFC 5424 messages of their length", async () => {
  const receiver = await syslogReceiver();
  const instance = await open(`syslog+tcp://127.0.0.1:${receiver.port}`);
  try {
    await clientOf(instance, instance.operatorToken).createTeam({ name: "größer als ASCII" });
    await expect.poll(receiver.resets, { timeout: 30_000 }).toBeGreaterThan(0);
    expect(receiver.taken).toEqual([]);
    receiver.read();
    const lines = await linesOf(instance);
    const parts = () => receiver.taken.flatMap(messagesOf).map((message) => FORM.exec(message) ?? [message]);
    await expect
      .poll(
        () =>
          parsed(
            parts()
              .map(([, , json]) => json)
              .join("\n"),
          ),
        { timeout: 60_000 },
      )
      .toEqual(lines);
    for (const [, id, json = ""] of parts()) expect((JSON.parse(json) as { action: string }).action).toBe(id);
  } finally {
    await instance.close();
    receiver.close();
  }
});

describe("a syslog receiver that closes before the batch is over", () => {
  const line = `${JSON.stringify({ at: "2026-01-01T00:00:00.000Z", action: "team.create", x: "y".repeat(300) })}\n`;
  /** Whether lines count as taken by a receiver. */
  async function isTaken(take: (socket: Socket) => void, count: number): Promise<boolean> {
    const server = createTcp((socket) => {
      socket.on("error", () => undefined);
      take(socket);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    try {
      await auditPlaceAt(`syslog+tcp://127.0.0.1:${(server.address() as AddressInfo).port}`)?.(line.repeat(count));
      return true;
    } catch (error) {
      expect((error as { code?: string }).code).toMatch(/^(ECONNRESET|EPIPE)$/);
      return false;
    } finally {
      server.close();
    }
  }
  const receivers: readonly [string, (socket: Socket) => void, isGood?: boolean][] = [
    ["ends at once and reads nothing", (socket) => socket.end()],
    ["closes at once", (socket) => socket.destroy()],
    [
      "ends after its first bytes",
      (socket) =>
        socket.once("data", () => {
          socket.pause().end();
          setTimeout(() => socket.destroy(), 100);
        }),
    ],
    ["reads to the end", (socket) => socket.resume(), true],
  ];

  test.each(receivers)("%s", async (_, take, isGood = false) => {
    for (const count of [1, 500, 30_000]) expect(await isTaken(take, count), `${count}`).toBe(isGood);
  });
});

test("over TLS, a receiver whose certificate is not trusted gets nothing", async () => {
  const certificate = selfSigned("localhost");
  const receiver = await syslogReceiver(certificate);
  receiver.read();
  const send = auditPlaceAt(`syslog+tls://localhost:${receiver.port}`);
  const line = `${JSON.stringify({ at: "2026-01-01T00:00:00.000Z", action: "team.create" })}\n`;
  const before = getCACertificates("default");
  try {
    await expect(send?.(line)).rejects.toThrow(/self-signed certificate/);
    expect(receiver.taken).toEqual([]);
    setDefaultCACertificates([...before, certificate.certificate]);
    await send?.(line);
    expect(receiver.taken.flatMap(messagesOf)).toEqual([expect.stringMatching(FORM)]);
  } finally {
    setDefaultCACertificates(before);
    receiver.close();
  }
});

const noPlaces = [
  "syslog://h",
  "audit.jsonl",
  "file://host/x",
  "ftp://h/x",
  "syslog+tcp://",
  "syslog+tls://u:p@h",
  "syslog+tls://h/x",
];
test.each(noPlaces)("%s is no place", (address) => {
  expect(auditPlaceAt(address)).toBeNull();
});
