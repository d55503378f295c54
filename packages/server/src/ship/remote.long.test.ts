import { spawn, spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pipeline } from "node:stream/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { freePort } from "../../../../test/port.kit.ts";
import { readShipped } from "../backup/shipped.ts";
import { withPlace } from "../backup/with-place.ts";
import { type ServingWitness, serveWitness } from "../witness/server.ts";
import { newBackupKey } from "./age.ts";
import { checkAddress, objectsAt, tryAddress } from "./objects.ts";
import { Taken } from "./place.ts";
import { Emptied, openShipper, type ShipTo } from "./shipper.ts";
import { copyPlace, targetAt, targetIn } from "./target.ts";

const { recipient, text } = await newBackupKey();
let folder = "";
const at = (...path: string[]) => join(folder, ...path);
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "dosimeter-remote-"));
  return () => rmSync(folder, { recursive: true });
});

/** As a server has it, and what ships it. */
function openLedger(name: string, to: Pick<ShipTo, "place" | "secret">, more: Partial<ShipTo> = {}) {
  mkdirSync(at(name, "files"), { recursive: true });
  const ledger = at(name, "ledger.sqlite");
  const database = new DatabaseSync(ledger);
  database.exec(
    `PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; CREATE TABLE IF NOT EXISTS audit (seq INTEGER PRIMARY KEY, hash TEXT);
     CREATE TABLE IF NOT EXISTS instance_secret (name TEXT PRIMARY KEY, secret TEXT); INSERT OR IGNORE INTO instance_secret VALUES ('ship', 'c2VjcmV0')`,
  );
  const add = (hash: string) => database.prepare("INSERT INTO audit (hash) VALUES (?)").run(hash);
  const shipper = openShipper({
    ...{
      ...to,
      recipients: [recipient],
      ledger,
      uploads: at(name, "files"),
      keepDays: 7,
      more: [at(name, "signing.key")],
    },
    ...more,
  });
  return {
    ...{ add, shipper },
    end() {
      shipper.end();
      database.close();
    },
  };
}

let copies = 0;
async function restored({ place, secret }: Pick<ShipTo, "place" | "secret">) {
  copies += 1;
  const [copy, out] = [at(`copy${copies}`), at(`out${copies}`)];
  for (const one of [copy, out]) mkdirSync(one);
  await copyPlace(place, secret, copy);
  const placeOf = (name: string) => join(out, name.slice(name.lastIndexOf("/") + 1));
  const { said, isWhole, manifest } = await readShipped(copy, text, { until: "newest", placeOf });
  const lines = new DatabaseSync(join(out, "ledger.sqlite")).prepare("SELECT hash FROM audit ORDER BY seq").all();
  return { said, isWhole, lines: lines.map(({ hash }) => hash), files: manifest.files.map(({ name }) => name), out };
}

let kept = "";
let witness: ServingWitness;
let to: { readonly place: string; readonly secret: string };
beforeAll(async () => {
  kept = mkdtempSync(join(tmpdir(), "dosimeter-kept-"));
  witness = await serveWitness({ folder: kept, names: ["hospital", "clinic"], port: 0 });
});
afterAll(async () => {
  await witness.close();
  rmSync(kept, { recursive: true });
});
beforeEach(() => {
  rmSync(join(kept, "hospital.ship"), { recursive: true, force: true });
  const { origin, username, password } = new URL(witness.addresses.hospital ?? "");
  to = { place: `${origin}/ship`, secret: `${username}:${password}` };
});

/** A place of either kind takes all that a folder takes. */
async function walk(place: Pick<ShipTo, "place" | "secret">): Promise<void> {
  expect(await tryAddress(place.place, place.secret)).toBe(null);
  mkdirSync(at("data"));
  writeFileSync(at("data", "signing.key"), "a key");
  const first = openLedger("data", place, { endBytes: 1, keepDays: 1 });
  first.add("one");
  writeFileSync(at("data", "files", "fil_1.csv"), Buffer.alloc(9 * 2 ** 20, "1"));
  await first.shipper.ship(0);
  first.add("two");
  await first.shipper.ship(0);
  await first.shipper.files();
  const found = await restored(place);
  expect(found).toMatchObject({ said: [], isWhole: true, lines: ["one", "two"] });
  expect(found.files.toSorted()).toEqual(["files/fil_1.csv", "ledger.sqlite", "signing.key"]);
  expect(readFileSync(join(found.out, "fil_1.csv")).equals(readFileSync(at("data", "files", "fil_1.csv")))).toBe(true);
  await first.shipper.erase("fil_1");
  expect((await restored(place)).files).not.toContain("files/fil_1.csv");

  // A folder that is restored elsewhere takes over; who was there before stops.
  mkdirSync(at("new"));
  copyFileSync(join(found.out, "ledger.sqlite"), at("new", "ledger.sqlite"));
  const second = openLedger("new", place);
  second.add("three");
  await second.shipper.ship(0);
  first.add("lost");
  await expect(first.shipper.ship(0)).rejects.toThrow(Taken);
  await expect(first.shipper.ship(0)).rejects.toThrow(Taken);
  first.end();
  expect((await restored(place)).lines).toEqual(["one", "two", "three"]);

  // Each start begins another generation, and those within the hour go.
  second.end();
  for (let start = 0; start < 3; start += 1) {
    const next = openLedger("new", place);
    next.add(`start ${start}`);
    await next.shipper.ship(0);
    next.end();
  }
  const objects = await objectsAt(place.place, place.secret);
  expect((await objects.names("heads/")).length).toBeLessThan(5);
  await expect.poll(async () => objects.names("gone/"), { timeout: 20_000 }).toEqual([]);
  expect((await restored(place)).lines.at(-1)).toBe("start 2");
  // What was there and is not there any more is no place to go on in.
  await objects.remove(await objects.names(""));
  const emptied = openLedger("new", place);
  await expect(emptied.shipper.ship(0)).rejects.toThrow(Emptied);
  emptied.end();
}

test("a witness keeps what is shipped, each server's for itself", async () => {
  await walk(to);
  const other = new URL(witness.addresses.clinic ?? "");
  const objects = await objectsAt(to.place, `clinic:${other.password}`);
  await (await objectsAt(to.place, to.secret)).put("heads/x", Buffer.from("1"));
  expect([await objects.get("heads/x"), await objects.names("")]).toEqual([null, []]);
  expect(await tryAddress(to.place, "hospital:wrong")).toMatch(/refuses the secret/);
  const authorization = `Basic ${btoa(to.secret)}`;
  const ask = async (path: string, method = "PUT") =>
    (
      await fetch(`${to.place}${path}`, {
        method,
        headers: { authorization },
        ...(method === "PUT" ? { body: "1" } : {}),
      })
    ).status;
  expect(
    await Promise.all(["/.hidden", "/a%2f..%2f..%2fb", "/a//b", `/${"a".repeat(201)}`].map((path) => ask(path))),
  ).toEqual([400, 400, 400, 400]);
  expect([await ask("?prefix=../", "GET"), await ask("/heads", "GET"), await ask("/heads", "POST")]).toEqual([
    400, 404, 405,
  ]);
});

test("a witness keeps no half of an object, and none but the one that was signed for", async () => {
  const { port } = new URL(to.place);
  const headers = { authorization: `Basic ${btoa(to.secret)}` };
  const half = connect(Number(port), "127.0.0.1");
  half.end(
    `PUT /ship/half HTTP/1.1\r\nhost: x\r\nauthorization: ${headers.authorization}\r\ncontent-length: 9\r\n\r\nhalf`,
  );
  await new Promise((resolve) => half.resume().once("close", resolve));
  const put = async (more: Readonly<Record<string, string>>) =>
    (await fetch(`${to.place}/other`, { method: "PUT", headers: { ...headers, ...more }, body: "1" })).status;
  expect([await put({}), await put({ "x-amz-content-sha256": "0".repeat(64) })]).toEqual([400, 400]);
  const objects = await objectsAt(to.place, to.secret);
  expect([await objects.names(""), readdirSync(join(kept, "hospital.ship"))]).toEqual([[], []]);
  mkdirSync(at("clinic.ship"));
  writeFileSync(at("clinic.ship", ".half"), "of a witness that was killed");
  await (await serveWitness({ folder, names: ["clinic"], port: 0 })).close();
  expect(readdirSync(at("clinic.ship"))).toEqual([]);
});

/** A bucket of S3's kind that answers as the test says. */
type Lie =
  | "none"
  | "not stored"
  | "cut"
  | "stale"
  | "late"
  | "overwrites"
  | "short list"
  | "not deleted"
  | "full"
  | "no XML"
  | "one page"
  | "all names"
  | "endless"
  | "other names"
  | "no right to delete"
  | "no condition"
  | "clock";
const MORE =
  "<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>x</NextContinuationToken></ListBucketResult>";
async function* endless() {
  for (;;) yield Buffer.alloc(2 ** 20);
}
async function lying(use: (place: Pick<ShipTo, "place" | "secret">, say: (lie: Lie) => void) => Promise<void>) {
  const objects = new Map<string, Buffer>();
  let lie: Lie = "none";
  const asked = new Map<string, number>();
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<unknown> => {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://localhost");
    const name = pathname.slice("/bucket/".length);
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    const answer = (status: number, body: Buffer | string = "") => response.writeHead(status).end(body);
    if (!/^AWS4-HMAC-SHA256 Credential=id\//.test(request.headers.authorization ?? "")) return answer(403);
    if (lie === "clock") return answer(403, "<Error><Code>RequestTimeTooSkewed</Code></Error>");
    if (request.method === "PUT") {
      if (lie === "no condition") return answer(501);
      if (lie === "full") return answer(507);
      if (lie !== "overwrites" && objects.has(name)) return answer(412);
      const body = Buffer.concat(parts);
      if (lie !== "not stored") objects.set(name, lie === "cut" ? body.subarray(0, -1) : body);
      return answer(200);
    }
    if (request.method === "DELETE") {
      if (lie === "no right to delete") return answer(403);
      if (lie !== "not deleted") objects.delete(name);
      return answer(204);
    }
    if (name === "") {
      if (lie === "no XML") return answer(200, "<html>Sign in</html>");
      if (lie === "one page") return answer(200, MORE);
      const prefix = lie === "all names" ? "" : (searchParams.get("prefix") ?? "");
      if (lie === "other names" && prefix.endsWith("/files/"))
        return answer(200, `<ListBucketResult><Key>${prefix}../../out/00000000-end</Key></ListBucketResult>`);
      const keys = [...objects.keys()].filter((key) => key.startsWith(prefix)).sort();
      const from = Number(searchParams.get("continuation-token") ?? 0);
      const shown = (lie === "short list" ? keys.slice(0, -1) : keys).slice(from, from + 2); // two a page
      const isMore = from + 2 < keys.length && lie !== "short list";
      const more = isMore
        ? `<IsTruncated>true</IsTruncated><NextContinuationToken>${from + 2}</NextContinuationToken>`
        : "";
      return answer(
        200,
        `<ListBucketResult>${shown.map((key) => `<Key>${key}</Key>`).join("")}${more}</ListBucketResult>`,
      );
    }
    if (lie === "other names" && name.endsWith("-end")) return answer(200, "owned");
    if (lie === "endless") return pipeline(endless, response.writeHead(200)).catch(() => undefined);
    const times = (asked.get(name) ?? 0) + 1;
    asked.set(name, times);
    const found = objects.get(name);
    if (found === undefined || lie === "stale" || (lie === "late" && times < 2)) return answer(404);
    return answer(200, found);
  };
  const server = createServer((request, response) => void serve(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  try {
    await use({ place: `s3+http://127.0.0.1:${port}/bucket/some/where`, secret: "id:key" }, (next) => {
      lie = next;
    });
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

test("a bucket takes all that a folder takes", () => lying(async (place) => walk(place)), 60_000);

test.each([
  ["not stored", "NOT_KEPT"],
  ["cut", "NOT_KEPT"],
  ["stale", "NOT_KEPT"],
  ["full", "HTTP_507"],
  ["endless", "TOO_LONG"],
] as const)("a place that lies (%s) is not believed: nothing counts as shipped", (lie, code) =>
  lying(async (place, say) => {
    const { add, shipper, end } = openLedger("data", place);
    add("one");
    await shipper.ship(0);
    say(lie);
    add("two");
    await expect(shipper.ship(0)).rejects.toMatchObject({ code });
    say("none");
    await shipper.ship(0); // begins another generation
    expect((await restored(place)).lines).toEqual(["one", "two"]);
    end();
  }),
);

test("a place that answers late is waited for, one that overwrites or does not list is refused", () =>
  lying(async (place, say) => {
    say("late");
    const { add, shipper, end } = openLedger("data", place);
    add("one");
    await shipper.ship(0);
    end();
    for (const [lie, words] of [
      ["overwrites", /writes over/],
      ["short list", /does not list/],
      ["not stored", /does not keep/],
      ["no XML", /NO_LIST/],
      ["one page", /NO_LIST/],
      ["no right to delete", /delete/],
      ["not deleted", /does not delete/],
      ["no condition", /If-None-Match/],
      ["clock", /clock/],
      ["full", /full/],
    ] as const) {
      say(lie);
      expect(await tryAddress(place.place, place.secret), lie).toMatch(words);
    }
    say("not deleted");
    await expect((await objectsAt(place.place, place.secret)).remove(["x", "heads/00000001"])).rejects.toThrow();
    say("overwrites");
    const other = openLedger("other", { ...place, place: `${place.place}/else` });
    await expect(other.shipper.ship(0)).rejects.toMatchObject({ code: "OVERWRITES" });
    other.end();
  }));

test("a list that lacks the newest generation or segment hides neither; one that is lost is said", () =>
  lying(async (place, say) => {
    for (const line of ["one", "two"]) {
      const { add, shipper, end } = openLedger("data", place);
      add(line);
      await shipper.ship(0);
      add(`${line} more`);
      await shipper.ship(0);
      end();
    }
    say("short list");
    expect((await restored(place)).lines).toEqual(["one", "one more", "two", "two more"]);
    say("none");
    const objects = await objectsAt(place.place, place.secret);
    const parts = await objects.names("00000002-");
    await objects.remove(parts.slice(1, 2));
    const { isWhole, said } = await restored(place);
    expect([isWhole, said.join()]).toEqual([false, expect.stringContaining("generation 2")]);
  }));

test.each([
  ["ftp://host/ship", "a:b"],
  ["http://host/ship", "a:b"],
  ["https://user:secret@host/ship", "a:b"],
  ["s3+https://host", "a:b"],
  ["s3+https://host/", "a:b"],
  ["https://host/ship#x", "a:b"],
  ["https://host:99999/ship", "a:b"],
  ["s3+https://host:99999/bucket", "a:b"],
  ["https://host/ship", undefined],
  ["https://host/ship", "ab"],
  ["https://host/ship", ":b"],
])("%s with %s is refused, and not repeated", (place, secret) => {
  expect(() => checkAddress(place, secret)).toThrow(/^(?!.*user:secret).*DOSIMETER_SHIP/);
});

test("what is listed leads nowhere else, ends, and is what was asked for", () =>
  lying(async (place, say) => {
    const objects = await objectsAt(place.place, place.secret);
    const names = [
      "heads/00000001",
      "heads/x",
      "files/fil_1.csv.age/00000000-end",
      "files/fil_11.csv.age/00000000-end",
    ];
    for (const name of names) await objects.put(name, Buffer.from("1"));
    const target = await targetAt(place.place, place.secret);
    expect(await target.generations()).toEqual([1]);
    say("all names");
    await target.erase("fil_1");
    say("none");
    expect(await objects.names("")).toEqual(names.filter((name) => !name.includes("fil_1.")).toSorted());
    say("other names");
    mkdirSync(at("in", "copy"), { recursive: true });
    await copyPlace(place.place, place.secret, at("in", "copy")); // ends, though heads/x is none
    expect([readdirSync(at("in")), readdirSync(at("in", "copy", "files"))]).toEqual([["copy"], []]);
  }));

test("a generation whose mark stayed keeps its segments, and one that failed leaves none", () =>
  lying(async (place, say) => {
    const target = await targetAt(place.place, place.secret);
    const objects = await objectsAt(place.place, place.secret);
    const failed = await target.begin(1, "1\n");
    await failed.append(Buffer.from("segment"));
    failed.close();
    await expect.poll(() => objects.names("")).toEqual([]);
    for (const [number, lie] of [["1", "no right to delete"] as const, ["2", "none"] as const]) {
      say(lie);
      const writer = await target.begin(Number(number), `${number}\n`);
      await writer.append(Buffer.from("segment"));
      await writer.publish();
    }
    await expect.poll(() => objects.names("gone/")).toEqual([]);
    expect((await objects.names("0000")).map((name) => name.slice(0, 8))).toEqual(["00000001", "00000002"]);
  }));

test("what came of an upload whose writer was killed is erased with it", () =>
  lying(async (place) => {
    const objects = await objectsAt(place.place, place.secret);
    await objects.put("files/fil_1.csv.age/00000000", Buffer.from("1"));
    await (await targetAt(place.place, place.secret)).erase("fil_1");
    expect(await objects.names("")).toEqual([]);
    mkdirSync(at("files"));
    for (const name of ["fil_1.csv.age", "fil_1.csv.age.partial", "fil_11.csv.age"])
      writeFileSync(at("files", name), "1");
    await targetIn(folder).erase("fil_1");
    expect(readdirSync(at("files"))).toEqual(["fil_11.csv.age"]);
  }));

test("a place that cannot be reached, or sends elsewhere, is named and gets nothing more", async () => {
  const place = `s3+http://127.0.0.1:${await freePort()}/bucket`;
  expect(await tryAddress(place, "id:key")).toMatch(/ECONNREFUSED/);
  await expect(withPlace(place, { secret: "id:key", at: String }, async () => null)).rejects.toThrow(/ECONNREFUSED/);
  const asked: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url);
    response.writeHead(307, { location: "/elsewhere" }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  expect(await tryAddress(`http://127.0.0.1:${port}/ship`, "id:key")).toMatch(/cannot be used/);
  expect(asked.filter((url) => url === "/elsewhere")).toEqual([]);
  server.close();
  server.closeAllConnections();
});

/** `pip install "moto[server]"`: a server of S3 that is not ours. */
const moto = spawnSync("moto_server", ["--help"]).status === 0;
describe.skipIf(!moto)("moto_server, where it is installed", () => {
  test("takes all that a folder takes", { timeout: 120_000 }, async () => {
    const port = await freePort();
    const child = spawn("moto_server", ["-H", "127.0.0.1", "-p", String(port)], { stdio: "ignore" });
    try {
      const bucket = `http://127.0.0.1:${port}/ledger`;
      await expect
        .poll(
          () =>
            fetch(bucket, { method: "PUT" }).then(
              ({ status }) => status,
              () => 0,
            ),
          { timeout: 60_000 },
        )
        .toBe(200);
      await walk({ place: `s3+${bucket}/a/b?region=us-east-1`, secret: "id:key" });
    } finally {
      child.kill();
    }
  });
});
