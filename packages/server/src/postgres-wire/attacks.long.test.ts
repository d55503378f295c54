import { once } from "node:events";
import { connect as connectSocket, type Socket } from "node:net";
import { connect as connectTls, type TLSSocket } from "node:tls";
import pg from "pg";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { within } from "../../../../test/within.kit.ts";
import { buildFixture, type Fixture, openTestInstance } from "../instance.kit.ts";
import { connected, openTestWire, refusal, type TestWire } from "./wire.kit.ts";

let fixture: Fixture;
let wire: TestWire;
const opened: (Socket | TLSSocket)[] = [];

beforeAll(async () => {
  fixture = await buildFixture(await openTestInstance());
  wire = await openTestWire(fixture.instance);
  // A process behind takes seconds to start.
  const first = await connected(wire, fixture.tokens.member);
  await first.query("SELECT 1");
  await first.end();
});
afterEach(() => {
  for (const socket of opened.splice(0)) socket.destroy();
});
afterAll(async () => {
  await wire.close();
  await fixture.instance.close();
});

const WAIT_MS = 20_000;

/** Bytes as a client sends them, and all that comes back until the server ends. */
function plain(): Socket {
  const socket = connectSocket(wire.port, "127.0.0.1");
  socket.on("error", () => undefined);
  opened.push(socket);
  return socket;
}
async function direct(protocols: readonly string[] = ["postgresql"], to = wire): Promise<TLSSocket> {
  const socket = connectTls({
    port: to.port,
    host: "127.0.0.1",
    servername: "localhost",
    ca: to.certificate,
    ALPNProtocols: [...protocols],
  });
  socket.on("error", () => undefined);
  opened.push(socket);
  await within("the next event", once(socket, "secureConnect"), WAIT_MS);
  return socket;
}
async function rest(socket: Socket): Promise<string> {
  const parts: Buffer[] = [];
  socket.on("data", (bytes) => parts.push(bytes as Buffer));
  if (!socket.closed) await within("the next event", once(socket, "close"), WAIT_MS);
  return Buffer.concat(parts).toString("latin1");
}
/** Reads until a text has come. */
async function until(socket: Socket, wanted: string): Promise<string> {
  let said = "";
  while (!said.includes(wanted)) {
    const bytes = socket.read() as Buffer | null;
    if (bytes === null) await within("the next event", once(socket, "readable"), WAIT_MS);
    else said += bytes.toString("latin1");
  }
  return said;
}

const int32 = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
};
const first = (code: number, body = "") =>
  Buffer.concat([int32(8 + Buffer.byteLength(body)), int32(code), Buffer.from(body)]);
const message = (letter: string, body: Buffer | string) =>
  Buffer.concat([Buffer.from(letter), int32(4 + Buffer.byteLength(body)), Buffer.from(body)]);
const V3 = 196_608;
const STARTUP = first(V3, "user\0me\0\0");
const SIGNED_IN = "Z\0\0\0\x05I";

async function session(): Promise<TLSSocket> {
  const socket = await direct();
  socket.write(STARTUP);
  socket.write(message("p", `${fixture.tokens.member}\0`));
  await until(socket, SIGNED_IN);
  return socket;
}

test("a plain connection is refused, with how to encrypt it; the token is never asked for", async () => {
  const socket = plain();
  socket.write(STARTUP);
  expect(await rest(socket)).toMatch(/FATAL.*C28000.*encrypted connections only.*sslmode=require/s);
  await expect(
    new pg.Client({ host: "localhost", port: wire.port, user: "me", password: "x", ssl: false }).connect(),
  ).rejects.toThrow("encrypted connections only");
});

test.each([
  ["an old version over TLS", 131_072, "speaks version 2.0"],
  ["a version that is not there yet", 262_144, "speaks version 4.0"],
])("%s is refused", async (_, code, said) => {
  const socket = await direct();
  socket.write(first(code, "user\0me\0\0"));
  expect(await rest(socket)).toContain(said);
});

test("a newer minor version is talked down, with the options that are not known", async () => {
  const socket = await direct();
  socket.write(first(V3 + 2, "user\0me\0_pq_.new\0on\0\0"));
  expect(await until(socket, "R\0\0\0\x08\0\0\0\x03")).toContain("v\0\0\0\x15\0\x03\0\0\0\0\0\x01_pq_.new\0");
});

test("direct TLS needs the name of the protocol", async () => {
  const socket = await direct([]);
  expect(await rest(socket)).toContain("needs the ALPN protocol");
});

test("what is sent before the encryption is never read as if it were inside", async () => {
  const socket = plain();
  socket.write(Buffer.concat([first(80_877_103), STARTUP]));
  expect(await rest(socket)).toBe("");
});

test.each([
  ["nothing that is known", Buffer.from("GET / HTTP/1.1\r\n\r\n")],
  ["a length below its own", first(V3).fill(0, 0, 4)],
  ["a length of 2 GB", Buffer.concat([int32(2 ** 31 - 1), int32(V3)])],
])("a first message with %s ends the connection", async (_, bytes) => {
  const outside = plain();
  outside.write(bytes);
  expect(await rest(outside)).not.toContain("R\0\0\0");
  const inside = await direct();
  inside.write(bytes);
  expect(await rest(inside)).toMatch(/FATAL/);
});

test.each([
  ["a message of 1 GB, before its bytes come", Buffer.concat([Buffer.from("Q"), int32(2 ** 30)]), "54000"],
  ["a negative length", Buffer.concat([Buffer.from("Q"), int32(-1)]), "08P01"],
  ["a text without an end", message("Q", "SELECT 1"), "08P01"],
  ["a kind that is not known", message("y", "x"), "08P01"],
  ["parts that go beyond the message", message("B", "\0\0\0\x7f"), "08P01"],
  ["a text that is not UTF-8", message("Q", Buffer.from([0x53, 0xff, 0])), "22021"],
])("after the sign-in, %s is refused", async (_, bytes, code) => {
  const socket = await session();
  socket.write(bytes);
  const said = await until(socket, `C${code}\0`);
  // What cannot be followed any more ends the connection; what is only wrong does not.
  if (code !== "22021") await rest(socket);
  expect(said).toMatch(code === "22021" ? /SERROR/ : /SFATAL/);
});

test("parts of a COPY and a call of a function are refused or passed over, and the session goes on", async () => {
  const socket = await session();
  socket.write(Buffer.concat([message("d", "1,2\n"), message("c", ""), message("f", "no\0"), message("F", int32(1))]));
  expect(await until(socket, SIGNED_IN)).toContain("C0A000");
  socket.write(message("Q", "SELECT 1\0"));
  expect(await until(socket, SIGNED_IN)).toContain("SELECT 1");
});

test("after a fault, messages are passed over until Sync", async () => {
  const socket = await session();
  socket.write(
    Buffer.concat([message("B", "\0none\0\0\0\0\0\0\0"), parse("SELECT 7"), message("D", "P\0"), message("S", "")]),
  );
  const said = await until(socket, SIGNED_IN);
  expect(said).toContain("C26000");
  expect(said).not.toContain("1\0\0\0\x04");
});

test("a message that comes byte by byte is waited for, while others are answered", async () => {
  const socket = await session();
  const other = await connected(wire, fixture.tokens.auditor);
  for (const byte of message("Q", "SELECT 5\0")) {
    socket.write(Buffer.from([byte]));
    expect((await other.query("SELECT 2 AS two")).rows).toEqual([{ two: 2 }]);
  }
  expect(await until(socket, SIGNED_IN)).toContain("SELECT 1");
  await other.end();
});

test("a flood of messages is answered in turn, while others are answered too", async () => {
  const socket = await session();
  const other = await connected(wire, fixture.tokens.auditor);
  socket.write(Buffer.concat(Array.from({ length: 5000 }, () => message("Q", "SELECT 1\0"))));
  const started = performance.now();
  expect((await other.query("SELECT 2 AS two")).rows).toEqual([{ two: 2 }]);
  expect(performance.now() - started).toBeLessThan(WAIT_MS);
  await other.end();
});

test.each([
  ["100,000 open comments", `${"/*".repeat(100_000)}`],
  ["100,000 quotes", `${"'".repeat(99_999)}`],
  ["100,000 semicolons", ";".repeat(100_000)],
  ["10,000 nested brackets", `SELECT ${"(".repeat(10_000)}1 FROM staff`],
  ["400,000 characters", `SELECT COUNT(*) FROM staff WHERE age > ${"1".repeat(400_000)}`],
  ["2,000 statements", "SET a=1;".repeat(2000)],
  ["a BEGIN of 2,000 words", `BEGIN ${"READ ONLY ".repeat(190)}!`],
  ["a constant of many quotes", `SELECT ${"'',".repeat(600)}`],
])("%s are refused or passed over within moments", async (_, text) => {
  const client = await connected(wire, fixture.tokens.member);
  const { user, system } = process.cpuUsage();
  await client.query(text).catch((error: unknown) => {
    if (!(error instanceof pg.DatabaseError)) throw error;
  });
  const used = process.cpuUsage({ user, system });
  expect(used.user + used.system).toBeLessThan(2_000_000);
  expect((await client.query("SELECT 1 AS alive")).rows).toEqual([{ alive: 1 }]);
  await client.end();
});

test("a session keeps a bounded number of statements", async () => {
  const client = await connected(wire, fixture.tokens.member);
  let kept = 0;
  const said = await refusal(async () => {
    for (; kept < 1000; kept += 1) await client.query({ name: `s${kept}`, text: `SELECT ${kept}` });
  });
  expect(said).toMatchObject({ code: "53400" });
  expect(kept).toBeLessThan(250);
  await client.end();
});

test("one person has a bounded number of sessions, and others are let in", async () => {
  const clients: pg.Client[] = [];
  const said = await refusal(async () => {
    for (;;) clients.push(await connected(wire, fixture.tokens.stranger));
  });
  expect(said).toMatchObject({ severity: "FATAL", code: "53300" });
  expect(clients).toHaveLength(20);
  const other = await connected(wire, fixture.tokens.auditor);
  await other.end();
  await Promise.all(clients.map((client) => client.end()));
});

test("those who say nothing keep no one out, and are bounded", async () => {
  const silent = Array.from({ length: 60 }, plain);
  await within("the end", Promise.all(silent.slice(0, 20).map((socket) => rest(socket))), WAIT_MS);
  const client = await within("a sign-in", connected(wire, fixture.tokens.member), WAIT_MS);
  expect((await client.query("SELECT 1 AS alive")).rows).toEqual([{ alive: 1 }]);
  await client.end();
});

test("a pool may open many connections at once from an address where others are silent", async () => {
  for (let each = 0; each < 30; each += 1) plain();
  const clients = await Promise.all(Array.from({ length: 10 }, () => connected(wire, fixture.tokens.member)));
  await Promise.all(clients.map((client) => client.end()));
});

test("of one address, five that do not sign in stay: a newcomer ends the oldest", async () => {
  const other = await openTestWire(fixture.instance);
  const ended: number[] = [];
  const sockets = Array.from({ length: 45 }, (_, place) => {
    const socket = connectSocket(other.port, "127.0.0.1").on("error", () => undefined);
    opened.push(socket);
    socket.resume();
    socket.on("close", () => ended.push(place));
    return socket;
  });
  try {
    const closed = sockets.slice(0, 40).map((socket) => once(socket, "close"));
    await within("the end of forty", Promise.all(closed), 10_000);
    expect(ended.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, place) => place));
    await (await connected(other, fixture.tokens.member)).end();
    expect(sockets.filter((socket) => !socket.destroyed).length).toBeGreaterThanOrEqual(4);
  } finally {
    for (const socket of sockets) socket.destroy();
    await other.close();
  }
});

test("hundreds who say nothing take no turn of a client at their address, nor end one that is signing in", async () => {
  const other = await openTestWire(fixture.instance);
  const sockets: ReturnType<typeof connectSocket>[] = [];
  const silent = async () => {
    const socket = connectSocket(other.port, "127.0.0.1").on("error", () => undefined);
    sockets.push(socket);
    await within("a connection", once(socket.resume(), "connect"), WAIT_MS);
  };
  try {
    const early = connectSocket(other.port, "127.0.0.1").on("error", () => undefined);
    sockets.push(early);
    const said = once(early, "data");
    early.write(first(80_877_103));
    expect(`${(await within("the answer", said, WAIT_MS))[0]}`).toBe("S");
    for (let each = 0; each < 250; each += 1) await silent();
    await (await within("a sign-in", connected(other, fixture.tokens.member), WAIT_MS)).end();
    expect(early.destroyed).toBe(false);
  } finally {
    for (const socket of sockets) socket.destroy();
    await other.close();
  }
});

test("connections of one address are counted before any encryption", async () => {
  const other = await openTestWire(fixture.instance);
  try {
    let refused = 0;
    for (let each = 0; each < 300; each += 1) {
      const socket = connectSocket(other.port, "127.0.0.1").on("error", () => undefined);
      const said: Buffer[] = [];
      socket.on("data", (bytes) => {
        said.push(bytes);
        socket.end();
      });
      socket.write(first(80_877_103));
      await within("the answer", once(socket, "close"), WAIT_MS);
      if (said.length === 0) refused += 1;
    }
    expect(refused).toBeGreaterThan(0);
  } finally {
    await other.close();
  }
});

test("where all sessions are taken, the one that was idle for longest ends", async () => {
  // Everyone who signs in is someone else.
  let people = 0;
  const other = await openTestWire(fixture.instance, async (request) => {
    const response = await fixture.instance.fetch(request);
    if (new URL(request.url).pathname !== "/v1/me") return response;
    const me = (await response.json()) as { readonly person: object };
    people += 1;
    return Response.json({ ...me, person: { ...me.person, id: `p${people}` } });
  });
  const clients: pg.Client[] = [];
  try {
    for (let each = 0; each < 160; each += 1) clients.push(await connected(other, fixture.tokens.member));
    const [busy, idle] = clients;
    await busy?.query("SELECT 1");
    const said = new Promise((resolve) => idle?.once("error", resolve));
    clients.push(await connected(other, fixture.tokens.member));
    expect(await within("the end of the idle one", said, WAIT_MS)).toMatchObject({ code: "57P05" });
    expect((await busy?.query("SELECT 2 AS two"))?.rows).toEqual([{ two: 2 }]);
  } finally {
    await other.close();
  }
});

test.each([
  ["a token of other characters", "d\u00f6simeter\u0100"],
  ["a token of two lines", "one\r\ntwo: three"],
  ["an empty token", ""],
])("%s is refused like any that is wrong", async (_, token) => {
  const socket = await direct();
  socket.write(STARTUP);
  socket.write(message("p", `${token}\0`));
  expect(await rest(socket)).toContain("C28P01\0");
});

test("a limit is raised by nothing, however little", async () => {
  const client = await connected(wire, fixture.tokens.member, { options: "-c dosimeter.session_epsilon=100000" });
  const said = await refusal(() => client.query("SET dosimeter.session_epsilon = 100000.000000000001"));
  expect(said).toMatchObject({ code: "42501" });
  await client.query("SET dosimeter.session_epsilon = 100000.000");
  await client.end();
});

const int16 = (value: number) => int32(value).subarray(2);
const parse = (text: string) => message("P", `\0${text}\0\0\0`);
const bind = (...values: readonly string[]) =>
  message(
    "B",
    Buffer.concat([
      Buffer.from("\0\0\0\0"),
      int16(values.length),
      ...values.flatMap((value) => [int32(Buffer.byteLength(value)), Buffer.from(value)]),
      int16(0),
    ]),
  );

test.each([
  ["a value at very many places", [parse(`SELECT ${"$1,".repeat(33_000)}`), bind("x".repeat(4418))]],
  [
    "a plan that its value makes too long",
    [
      parse(`SELECT COUNT(*) FROM staff WHERE age IN (${"$1,".repeat(900)}1)`),
      bind("x".repeat(4418)),
      message("D", "P\0"),
    ],
  ],
  ["a high number", [parse("SELECT $40000"), message("D", "S\0")]],
  [
    "a plan that a value of wide characters makes too long",
    [
      parse(`SELECT COUNT(*) FROM staff WHERE age IN (${"$1,".repeat(900)}1)`),
      bind("€".repeat(4418)),
      message("D", "P\0"),
    ],
  ],
  ["a text that is too long", [parse(`SELECT ${"1".repeat(100_000)}`)]],
  ["a query that is too long", [message("Q", `SELECT ${"'',".repeat(40_000)}1\0`)]],
  [
    "more types than parameters may be",
    [message("P", Buffer.concat([Buffer.from("\0SELECT 1\0"), int16(2000), Buffer.alloc(8000)]))],
  ],
])("%s is refused before it is built", async (_, messages) => {
  const socket = await session();
  const { user, system } = process.cpuUsage();
  socket.write(Buffer.concat([...messages, message("S", "")]));
  expect(await until(socket, SIGNED_IN)).toContain("C54000\0");
  const used = process.cpuUsage({ user, system });
  expect(used.user + used.system).toBeLessThan(1_000_000);
});

test("a result that was sent in full is kept no longer, and its statement does not run again", async () => {
  const socket = await session();
  const execute = (most: number) => message("E", Buffer.concat([Buffer.from("\0"), int32(most)]));
  socket.write(
    Buffer.concat([parse("SELECT oid, typname FROM pg_type"), bind(), execute(0), execute(0), message("S", "")]),
  );
  const said = await until(socket, SIGNED_IN);
  expect(said).toMatch(/SELECT \d{3}\0/);
  expect(said).toContain("SELECT 0\0");
});

test("a large answer waits in the process behind until it is asked for", async () => {
  // An answer of many rows: of each table, the first one again and again.
  const large = await openTestWire(fixture.instance, async (request) => {
    const response = await fixture.instance.fetch(request);
    if (new URL(request.url).pathname !== "/v1/sql/release") return response;
    const body = (await response.json()) as {
      readonly tables: readonly { readonly rows: readonly (readonly unknown[])[] }[] | null;
    };
    const tables = body.tables?.map((table) => ({
      ...table,
      rows: Array(10_000).fill(Array(20).fill(table.rows[0]?.[0])),
    }));
    return Response.json({ ...body, tables: tables ?? null }, { status: response.status, headers: response.headers });
  });
  const socket = await direct(["postgresql"], large);
  try {
    socket.write(STARTUP);
    socket.write(message("p", `${fixture.tokens.member}\0`));
    await until(socket, SIGNED_IN);
    socket.write(message("Q", "SET dosimeter.epsilon = 0.01\0"));
    await until(socket, SIGNED_IN);
    const execute = message("E", Buffer.concat([Buffer.from("\0"), int32(1)]));
    socket.write(
      Buffer.concat([parse("SELECT COUNT(*) FROM staff WHERE age < 46"), bind(), execute, message("S", "")]),
    );
    expect(await until(socket, SIGNED_IN)).toContain("s\0\0\0\x04");
  } finally {
    socket.destroy();
    await large.close();
  }
});

test("a name that is too long is refused, and the session goes on", async () => {
  const socket = await session();
  for (let at = 0; at < 5; at++) socket.write(message("P", `${at}${"x".repeat(500_000)}\0SELECT 1\0\0\0`));
  socket.write(message("S", ""));
  expect(await until(socket, SIGNED_IN)).toContain("C54000\0");
});

/** Asks to end what a client runs, with its secret or, with a flipped bit, a wrong one. */
async function cancel(to: TestWire, client: pg.Client, flip = 0): Promise<void> {
  const { processID, secretKey } = client as unknown as { readonly processID: number; readonly secretKey: number };
  const socket = connectSocket(to.port, "127.0.0.1");
  socket.write(Buffer.concat([int32(16), int32(80_877_102), int32(processID), int32(secretKey ^ flip)]));
  socket.resume();
  await within("the next event", once(socket, "close"), WAIT_MS);
}

test("a query that is cancelled while it is quoted is never charged", async () => {
  const [gate, quoting] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const after = Promise.withResolvers<void>();
  const asked: string[] = [];
  const slow = await openTestWire(fixture.instance, async (request) => {
    const { pathname } = new URL(request.url);
    asked.push(pathname);
    if (pathname !== "/v1/sql/quote") return fixture.instance.fetch(request);
    quoting.resolve();
    await gate.promise;
    return Promise.resolve(fixture.instance.fetch(request)).finally(() => setTimeout(after.resolve, 200));
  });
  try {
    const client = await connected(slow, fixture.tokens.member);
    await client.query("SET dosimeter.epsilon = 0.01");
    const waiting = refusal(() => client.query("SELECT COUNT(*) FROM staff WHERE age < 45"));
    await within("the quote", quoting.promise, WAIT_MS);
    await cancel(slow, client);
    expect(await within("the cancelled query", waiting, WAIT_MS)).toMatchObject({ code: "57014" });
    gate.resolve();
    await within("the quote that no one waits for", after.promise, WAIT_MS);
    expect(asked).not.toContain("/v1/sql/release");
    await client.end();
  } finally {
    gate.resolve();
    await slow.close();
  }
});

test("a cancel request ends the waiting of its own query, and of no other; the charge stands", async () => {
  // Every answer waits until it is released.
  const [gate, releasing] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const slow = await openTestWire(fixture.instance, async (request) => {
    if (new URL(request.url).pathname === "/v1/sql/release") {
      releasing.resolve();
      await gate.promise;
    }
    return fixture.instance.fetch(request);
  });
  try {
    const client = await connected(slow, fixture.tokens.member);
    await client.query("SET dosimeter.epsilon = 0.01");
    const waiting = refusal(() => client.query("SELECT COUNT(*) FROM staff WHERE age < 44"));
    await within("the release", releasing.promise, WAIT_MS);
    await cancel(slow, client, 1);
    expect(await Promise.race([waiting, Promise.resolve("waits")])).toBe("waits");
    await cancel(slow, client);
    expect(await within("the cancelled query", waiting, WAIT_MS)).toMatchObject({
      code: "57014",
      message: "the query was cancelled",
    });
    expect((await client.query("SELECT 1 AS alive")).rows).toEqual([{ alive: 1 }]);
    gate.resolve();
    await client.end();
  } finally {
    gate.resolve();
    await slow.close();
  }
});

test("results in binary form, and in parts, are those in text", async () => {
  const socket = await session();
  const inBinary = Buffer.concat([
    Buffer.from("\0\0"),
    Buffer.from([0, 0, 0, 0, 0, 1, 0, 1]), // no values; every result in binary form
  ]);
  socket.write(
    Buffer.concat([
      message("P", "\0SELECT oid, typname FROM pg_type\0\0\0"),
      message("B", inBinary),
      message("E", Buffer.concat([Buffer.from("\0"), int32(2)])),
      message("E", Buffer.concat([Buffer.from("\0"), int32(0)])),
      message("S", ""),
    ]),
  );
  const said = await until(socket, SIGNED_IN);
  expect(said.split("s\0\0\0\x04")).toHaveLength(2);
  expect(said).toContain("\0\0\0\x04\0\0\0\x10\0\0\0\x04bool");
});
