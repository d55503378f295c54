import { createHash } from "node:crypto";
import { readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/folder.kit.ts";
import { isSigned } from "../instance/signature.ts";
import { placeAt } from "../instance/witness.ts";
import { type ServingWitness, serveWitness } from "./server.ts";

const place = temporaryFolder();
let server: ServingWitness;
beforeAll(async () => {
  server = await serveWitness({ folder: place, names: ["hospital", "clinic"], port: 0 });
});
afterAll(() => server.close());

const checkpoint = (seq: number, more: Record<string, unknown> = {}) =>
  JSON.stringify({
    ...{ database: "a", seq: String(seq), hash: `h${seq}`, ledgers: {}, entry: "0", pending: [], closed: false },
    ...more,
  });

const sums = (more: Record<string, unknown> = {}) => ({
  ...{ activeRule: "addition", epsilon: "5", delta: "5", mu2: "5", version: "2", ...more },
});

const addressOf = (name = "hospital") => new URL(server.addresses[name] ?? "");
function ask(init: RequestInit & { readonly headers?: Record<string, string> }, address = addressOf()) {
  const authorization = `Basic ${btoa(`${address.username}:${address.password}`)}`;
  return fetch(address.origin, { ...init, headers: { authorization, ...init.headers } });
}

test("it keeps one checkpoint for each name and never goes back, until its file is deleted", async () => {
  expect((await ask({})).status).toBe(404);
  const put = async (body: string) => (await ask({ method: "PUT", body })).status;
  expect(await put(checkpoint(5))).toBe(204);
  expect(await put(checkpoint(7))).toBe(204);
  expect(await put(checkpoint(7, { closed: true }))).toBe(204);
  expect(await put(checkpoint(6))).toBe(409);
  expect(await put(checkpoint(7, { hash: "another" }))).toBe(409);
  expect(await put(checkpoint(7, { ledgers: { led: sums() } })), "fewer or more is known at the same line").toBe(409);
  expect(await put(checkpoint(9, { database: "b" }))).toBe(409);
  for (const body of [
    "",
    "{",
    "[]",
    checkpoint(9, { seq: "9e9" }),
    checkpoint(9, { seq: "9".repeat(19) }),
    JSON.stringify({ database: "a", seq: "9", hash: "h" }),
    checkpoint(9, { pending: undefined }),
    checkpoint(9, { ledgers: { led: sums({ version: undefined }) } }),
    checkpoint(9, { ledgers: { led: {} } }),
    checkpoint(9, { ledgers: { led: sums({ delta: "much" }) } }),
  ])
    expect(await put(body)).toBe(400);
  expect(await put(checkpoint(8, { ledgers: { a: "x".repeat(17 * 2 ** 20) } }))).toBe(413);
  expect(await (await ask({})).text()).toBe(checkpoint(7, { closed: true }));
  expect((await ask({}, addressOf("clinic"))).status).toBe(404);
  await rm(join(place, "hospital.json"));
  expect(await put(checkpoint(6))).toBe(204);
});

test("a later line signs no ledger away, nor less spent, nor more left, unless its lifetime was raised", async () => {
  const clinic = addressOf("clinic");
  const put = async (seq: number, ledgers: Record<string, unknown>) =>
    (await ask({ method: "PUT", body: checkpoint(seq, { ledgers }) }, clinic)).status;
  expect(await put(1, { led: sums() })).toBe(204);
  for (const more of [
    { epsilon: "4" },
    { delta: "4" },
    { mu2: "6" },
    { version: "1" },
    { epsilon: null },
    { epsilon: "4", version: "3" },
    { delta: "4", version: "3" },
  ])
    expect([more, await put(2, { led: sums(more) })]).toEqual([more, 409]);
  expect(await put(2, { other: sums() })).toBe(409);
  expect(await put(3, { led: sums({ mu2: "6", version: "3" }), other: sums() })).toBe(204);
  const switched = { activeRule: "tight", epsilon: null, mu2: "4", version: "3" };
  expect(await put(4, { led: sums(switched), other: sums({ mu2: null }) })).toBe(204);
  for (const [led, other] of [
    [{ epsilon: "9" }, { mu2: null }],
    [{ activeRule: "addition", epsilon: "9" }, { mu2: null }],
    [{ mu2: null }, { mu2: null }],
    [{}, { mu2: "1" }],
  ])
    expect(await put(5, { led: sums({ ...switched, ...led }), other: sums(other) })).toBe(409);
  await rm(join(place, "clinic.json"));
});

test("each name is a witness of its own, although one key signs for all", () => {
  const [hospital, clinic] = [placeAt(addressOf().href), placeAt(addressOf("clinic").href)];
  const by = addressOf().hash;
  expect([hospital?.signedBy, clinic?.signedBy]).toEqual([`hospital${by}`, `clinic${by}`]);
});

test("two that arrive at once end with the newer one", async () => {
  const clinic = addressOf("clinic");
  const seqs = Array.from({ length: 20 }, (_, k) => ((k * 7) % 20) + 1);
  await Promise.all(seqs.map((seq) => ask({ method: "PUT", body: checkpoint(seq) }, clinic)));
  expect(await (await ask({}, clinic)).json()).toMatchObject({ seq: "20" });
});

test("each name opens with its own secret only, and every refusal is the same", async () => {
  const [own, other] = [addressOf(), addressOf("clinic")];
  const tries = [
    {},
    { authorization: `Basic ${btoa(`hospital:${other.password}`)}` },
    { authorization: `Basic ${btoa(`unknown:${own.password}`)}` },
    { authorization: `Basic ${btoa("unknown:")}` },
    { authorization: `Bearer ${own.password}` },
  ] satisfies Record<string, string>[];
  const answers = await Promise.all(
    tries.map(async (headers) => {
      const answer = await fetch(own.origin, { method: "PUT", body: checkpoint(99), headers });
      return [answer.status, await answer.text()];
    }),
  );
  expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
  expect(answers[0]?.[0]).toBe(401);
});

test("what it keeps is signed for one question; another key, name, text or question is noticed", async () => {
  await ask({ method: "PUT", body: checkpoint(30) });
  const nonce = "0".repeat(32);
  const answer = await ask({ headers: { "dosimeter-nonce": nonce } });
  const [header, text] = [answer.headers.get("dosimeter-signature"), await answer.text()];
  const by = addressOf().hash.slice(1);
  const key = Buffer.from(header?.split(" ")[0] ?? "", "base64");
  expect(by).toBe(createHash("sha256").update(key).digest("hex"));
  const answered = { nonce, name: "hospital", text };
  expect(isSigned(header, answered, by)).toBe(true);
  for (const other of [{ nonce: "1".repeat(32) }, { name: "clinic" }, { text: checkpoint(29) }, { text: null }])
    expect(isSigned(header, { ...answered, ...other }, by)).toBe(false);
  expect(isSigned(header, answered, "0".repeat(64))).toBe(false);
  expect(isSigned(null, answered, by)).toBe(false);
  expect((await ask({ headers: { "dosimeter-nonce": "short" } })).headers.get("dosimeter-signature")).toBeNull();
  const pinned = addressOf();
  expect(await placeAt(pinned.href)?.read()).toBe(checkpoint(30));
  pinned.hash = "0".repeat(64);
  await expect(placeAt(pinned.href)?.read()).rejects.toThrow("did not sign");
});

test("that nothing is kept, and what was taken, is signed too: another machine's 404 or 204 is no answer", async () => {
  await rm(join(place, "clinic.json"), { force: true });
  expect(await placeAt(addressOf("clinic").href)?.read()).toBeNull();
  const impostor = createServer((request, response) => response.writeHead(request.method === "PUT" ? 204 : 404).end());
  await new Promise<void>((resolve) => impostor.listen(0, "127.0.0.1", resolve));
  const address = addressOf("clinic");
  address.port = String((impostor.address() as AddressInfo).port);
  await expect(placeAt(address.href)?.read()).rejects.toThrow("did not sign");
  await expect(placeAt(address.href)?.write(checkpoint(1))).rejects.toThrow("did not sign");
  await placeAt(addressOf("clinic").href)?.write(checkpoint(1));
  await new Promise((resolve) => impostor.close(resolve));
});

test("key and secrets outlast a restart; a bad name, no name and a folder in use are refused", async () => {
  const before = addressOf().href;
  await expect(serveWitness({ folder: place, names: ["x"], port: 0 })).rejects.toMatchObject({
    code: "ALREADY_RUNNING",
  });
  for (const names of [[], ["../x"], [""], ["lock"], ["a".repeat(65)]])
    await expect(serveWitness({ folder: place, names, port: 0 })).rejects.toMatchObject({
      code: "INVALID_PARAMETER",
    });
  await server.close();
  server = await serveWitness({ folder: place, names: ["hospital", "clinic"], port: 0 });
  const [a, b] = [new URL(before), addressOf()];
  expect([b.password, b.hash]).toEqual([a.password, a.hash]);
  expect(await readFile(join(place, "hospital.json"), "utf8")).toBe(checkpoint(30));
});
