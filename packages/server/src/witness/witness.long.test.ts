import { once } from "node:events";
import { cp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/folder.kit.ts";
import { openWitness } from "../instance/witness.ts";
import {
  buildFixture,
  clientOf,
  countPlan,
  type Fixture,
  ORIGIN,
  openTestInstance,
  reopenByTwo,
} from "../instance.kit.ts";
import { type ServingWitness, serveWitness } from "./server.ts";

/** A real server that keeps one text, and can be stopped, made to fail, and made to hang. */
async function openEndpoint() {
  const seen = { text: null as string | null, mode: "works" as "works" | "fails" | "hangs", authorized: "" };
  const server: Server = createServer((request, response) => {
    if (seen.mode === "hangs") return;
    seen.authorized = request.headers.authorization ?? "";
    let body = "";
    request.setEncoding("utf8").on("data", (part: string) => {
      body += part;
    });
    request.on("end", () => {
      if (seen.mode === "fails") response.statusCode = 500;
      else if (request.method === "PUT") seen.text = body;
      else if (seen.text === null) response.statusCode = 404;
      response.end(request.method === "GET" && seen.mode === "works" ? seen.text : undefined);
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    seen,
    address: `http://user:secret@127.0.0.1:${port}/checkpoint.json`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

const endpoint = await openEndpoint();
afterAll(() => endpoint.close());

/** A folder with one release, and an older state of the whole folder, checkpoint included, without it. Each test gets a copy. */
const base = temporaryFolder();
let fixture: Fixture;
beforeAll(async () => {
  const options = { folder: join(base, "data"), witness: pathToFileURL(join(base, "witness.json")).href };
  const instance = await openTestInstance(options);
  fixture = await buildFixture(instance);
  await instance.close();
  await cp(options.folder, join(base, "older"), { recursive: true });
  const later = await openTestInstance(options);
  await clientOf(later, fixture.tokens.member).releaseAndWait(
    { plan: countPlan(), dataset: fixture.dataset, account: fixture.memberAccount },
    { idempotencyKey: "k" },
  );
  await later.close();
});

describe.each(["file", "http", "signed"] as const)("the witness is of kind %s", (kind) => {
  let place: string;
  let witness: string;
  let server: ServingWitness | null = null;
  const at = (...path: string[]) => join(place, ...path);
  const options = (folder = at("data")) => ({ folder, witness });
  const file = kind === "signed" ? ["witness", "hospital.json"] : ["witness.json"];
  const text = async () => (kind === "http" ? endpoint.seen.text : readFile(at(...file), "utf8"));
  const serve = async () => {
    server = await serveWitness({ folder: at("witness"), names: ["hospital", "clinic"], port: 0 });
    return server.addresses.hospital ?? "";
  };

  beforeEach(async () => {
    place = temporaryFolder();
    await cp(base, place, { recursive: true });
    const kept = await readFile(at("witness.json"), "utf8");
    Object.assign(endpoint.seen, { text: kept, mode: "works" });
    witness =
      kind === "signed" ? await serve() : kind === "file" ? pathToFileURL(at("witness.json")).href : endpoint.address;
    if (kind === "signed") await writeFile(at(...file), kept);
  });
  afterEach(async () => {
    await server?.close();
    server = null;
  });

  test("it keeps what checkpoint.json keeps, and the folder goes on from it", async () => {
    const before = await text();
    const instance = await openTestInstance(options());
    expect((await instance.database.ledgers.ledger(fixture.ledger as never)).status).toBe("open");
    await clientOf(instance, instance.operatorToken).createPerson({ name: "new" });
    await instance.close();
    expect(await text()).not.toBe(before);
    expect(await text()).toBe(await readFile(at("data", "checkpoint.json"), "utf8"));
    if (kind === "http") expect(endpoint.seen.authorized).toBe(`Basic ${btoa("user:secret")}`);
  });

  test("a folder that was restored as a whole is refused; without its checkpoint it opens frozen, with what is missing", async () => {
    const before = await text();
    await expect(openTestInstance(options(at("older")))).rejects.toMatchObject({
      code: "CONFLICT",
      message: expect.stringContaining("older than its witness"),
    });
    expect(await text()).toBe(before);
    await rm(at("older", "checkpoint.json"));
    const instance = await openTestInstance(options(at("older")));
    const reopen = { ledger: fixture.ledger, delta: "0", reason: "restored as a whole" };
    const open = (epsilon: string) => reopenByTwo(instance, fixture, { ...reopen, epsilon });
    await expect(open("0.05")).rejects.toThrow("at least (0.1, 0)");
    expect(await text(), "one that may lack charges is not its own witness").toBe(before);
    expect((await open("0.1")).status).toBe("open");
    await instance.close();
  });

  test("the newest folder on a new machine, which has no checkpoint, opens only where its database names the witness", async () => {
    const status = async () => {
      await rm(at("data", "checkpoint.json"));
      const instance = await openTestInstance(options());
      const found = (await instance.database.ledgers.ledger(fixture.ledger as never)).status;
      await instance.close();
      return found;
    };
    if (kind === "signed") await (await openTestInstance(options())).close(); // names it
    expect(await status()).toBe(kind === "signed" ? "open" : "frozen");
  });

  test("one person opens a restored database with what the signed witness says when the server asks it; else two do", async () => {
    const one = await openTestInstance(options()); // names it
    await one.close();
    await cp(at("data"), at("named"), { recursive: true });
    const later = await openTestInstance(options());
    const asked = { plan: countPlan(), dataset: fixture.dataset, account: fixture.memberAccount };
    await clientOf(later, fixture.tokens.member).releaseAndWait(asked, { idempotencyKey: "later" });
    await later.close();
    await rm(at("named", "checkpoint.json"));
    const instance = await openTestInstance(options(at("named")));
    const alone = (epsilon: string) =>
      clientOf(instance, fixture.tokens.datasetAdmin).reopenLedger({
        ...{ ledger: fixture.ledger, epsilon, delta: "0", reason: "restored" },
      });
    await expect(alone("0.05")).rejects.toThrow("at least (0.1, 0)");
    expect((await alone("0.1")).status).toBe(kind === "signed" ? "open" : "frozen");
    await instance.close();
  });

  test("one that cannot be read, or that lost what was written, stops the start", async () => {
    const kept = (await text()) ?? "";
    if (kind === "http") endpoint.seen.text = null;
    else await rm(at(...file));
    await expect(openTestInstance(options())).rejects.toMatchObject({ code: "CONFLICT" });
    const broken = kind === "file" ? pathToFileURL(at("data")).href : witness;
    if (kind === "signed") await server?.close();
    endpoint.seen.mode = "fails";
    await expect(openTestInstance({ ...options(), witness: broken })).rejects.toMatchObject({ code: "NOT_READY" });
    endpoint.seen.mode = "works";
    if (kind === "signed") witness = await serve();
    if (kind === "http") endpoint.seen.text = kept;
    else await writeFile(at(...file), kept);
    await (await openTestInstance(options())).close();
  });
});

test("one that fails while the server runs stops nothing, and gets the newest when it is back", async () => {
  const place = temporaryFolder();
  Object.assign(endpoint.seen, { text: null, mode: "works" });
  const lines: string[] = [];
  const say = (event: string) => void lines.push(event);
  const options = { folder: place, witness: endpoint.address, log: { info: say, error: say }, metrics: true };
  const instance = await openTestInstance(options);
  const failing = async () => {
    const metrics = await (await instance.fetch(new Request(`${ORIGIN}/metrics`))).text();
    return /^dosimeter_witness_failing (.*)$/m.exec(metrics)?.[1];
  };
  expect(await failing()).toBe("0");
  endpoint.seen.mode = "fails";
  const before = endpoint.seen.text;
  await buildFixture(instance);
  await expect.poll(() => lines, { timeout: 20_000 }).toContain("WITNESS_NOT_WRITTEN");
  expect(endpoint.seen.text).toBe(before);
  expect(await failing()).toBe("1");
  endpoint.seen.mode = "works";
  await expect.poll(() => lines, { timeout: 20_000 }).toContain("witness written again");
  expect(lines.filter((line) => line === "WITNESS_NOT_WRITTEN")).toHaveLength(1);
  expect(await failing()).toBe("0");
  const { head } = await instance.database.audit.verify();
  await expect.poll(() => endpoint.seen.text, { timeout: 20_000 }).toContain(head);
  await instance.close();
});

test("of two servers on copies of one folder, with one signed witness, the second to write is frozen", async () => {
  const place = temporaryFolder();
  await cp(base, place, { recursive: true });
  const at = (...path: string[]) => join(place, ...path);
  const server = await serveWitness({ folder: at("witness"), names: ["hospital"], port: 0 });
  await writeFile(at("witness", "hospital.json"), await readFile(at("witness.json"), "utf8"));
  const witness = server.addresses.hospital ?? "";
  await (await openTestInstance({ folder: at("data"), witness })).close(); // names it
  await cp(at("data"), at("clone"), { recursive: true });
  const [first, second] = [
    await openTestInstance({ folder: at("data"), witness }),
    await openTestInstance({ folder: at("clone"), witness }),
  ];
  const statusOf = async ({ database }: typeof first) =>
    (await database.ledgers.ledger(fixture.ledger as never)).status;
  expect([await statusOf(first), await statusOf(second)]).toEqual(["open", "open"]);
  await clientOf(first, first.operatorToken).createPerson({ name: "in the first" });
  await expect
    .poll(async () => readFile(at("witness", "hospital.json"), "utf8"))
    .toContain((await first.database.audit.verify()).head);
  await clientOf(second, second.operatorToken).createPerson({ name: "in the second" });
  await expect.poll(() => statusOf(second), { timeout: 20_000 }).toBe("frozen");
  expect(await statusOf(first)).toBe("open");
  await Promise.all([first.close(), second.close()]);
  await server.close();
});

test("one that hangs is given up", async () => {
  const hangs = new Promise<never>(() => undefined);
  const lines: string[] = [];
  const log = { info: () => undefined, error: (event: string) => void lines.push(event) };
  const witness = openWitness({ read: () => hangs, write: () => hangs, signedBy: null }, log, 50);
  await expect(witness.read()).rejects.toMatchObject({ code: "NOT_READY" });
  witness.keep("newest");
  await witness.settled();
  expect([lines, witness.isFailing()]).toEqual([["WITNESS_NOT_WRITTEN"], true]);
});
