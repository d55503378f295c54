import { chmod, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { checkExport } from "@dosimeter/verify";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/folder.kit.ts";
import { openPostgres, type PostgresServer } from "../../../../test/postgres.kit.ts";
import { openSealer } from "../access/sealing.ts";
import { buildFixture, clientOf, type Fixture } from "../instance.kit.ts";
import { type Instance, openInstance } from "../instance.ts";
import { rotateDatabasePassword, rotateSourcePassword } from "./password.ts";
import { rotateKeySecret, rotateSigningKey } from "./signing.ts";

const SECRET = "the first secret, which is long enough";
const NEXT = "the second secret, which is long too";
const place = temporaryFolder();
let server: PostgresServer;
let fixture: Omit<Fixture, "instance">;
const at = (...path: string[]) => join(place, ...path);
const options = (keySecret: string | null) => ({ folder: at("data"), database: server.url, keySecret });
const signer = async (instance: Instance) => {
  const file = await clientOf(instance, fixture.tokens.datasetAdmin).exportLedger({ ledger: fixture.ledger });
  return (await checkExport(await file.text())).signedBy;
};

beforeAll(async () => {
  server = await openPostgres({
    settings: { fsync: "on", password_encryption: "scram-sha-256" },
    access: ["host all reader 127.0.0.1/32 scram-sha-256", "host all owner 127.0.0.1/32 scram-sha-256"],
  });
  const instance = await openInstance(options(null));
  fixture = await buildFixture(instance);
  await instance.close();
});
afterAll(() => server.close());

describe("the secret of the signing key in PostgreSQL", () => {
  test("is set where there was none, and replaced while a server runs; the key stays, and only the new secret opens it", async () => {
    const running = await openInstance(options(null));
    const before = await signer(running);
    expect(await rotateKeySecret(options(null), SECRET)).toMatchObject({ isResealed: false });
    await rotateKeySecret(options(SECRET), NEXT);
    expect(await signer(running)).toBe(before);
    await running.close();
    const restarted = await openInstance(options(NEXT));
    const sealer = await openSealer(restarted.database, NEXT);
    const stored = sealer.seal("a secret", "about");
    expect(await rotateKeySecret(options(NEXT), SECRET), "beside a server").toMatchObject({ isResealed: false });
    expect((await openSealer(restarted.database, SECRET)).open(stored, "about"), "goes on").toBe("a secret");
    await restarted.close();
    expect(await rotateKeySecret(options(SECRET), NEXT), "alone").toMatchObject({ isResealed: true });
    for (const old of [null, SECRET])
      await expect(openInstance(options(old))).rejects.toThrow(/DOSIMETER_KEY_SECRET must be what/);
    const next = await openInstance(options(NEXT));
    expect(await signer(next)).toBe(before);
    await next.close();
    const rows = await server.query("SELECT secret FROM dosimeter.instance_secret WHERE name = 'signing'");
    expect(rows).toEqual([{ secret: expect.stringMatching(/^-----BEGIN ENCRYPTED PRIVATE KEY-----/) }]);
  });

  test("is not replaced by a short one, the same one, or by those who do not know it", async () => {
    await expect(rotateKeySecret(options(NEXT), "short")).rejects.toMatchObject({ code: "INVALID_PARAMETER" });
    await expect(rotateKeySecret(options(NEXT), NEXT)).rejects.toMatchObject({ code: "INVALID_PARAMETER" });
    await expect(rotateKeySecret(options(SECRET), "another secret of this length")).rejects.toThrow(/must be what/);
  });
});

test("the signing key that servers share is replaced when none of them runs, for all of them, and the old one is gone", async () => {
  const running = await openInstance(options(NEXT));
  const before = await signer(running);
  const other = { ...options(NEXT), folder: at("other") };
  await expect(rotateSigningKey(other)).rejects.toThrow(/a server uses this database/);
  await running.close();
  const { from, to } = await rotateSigningKey(options(NEXT));
  expect(from).toBe(before);
  const [one, two] = [await openInstance(options(NEXT)), await openInstance(other)];
  expect([await signer(one), await signer(two)]).toEqual([to, to]);
  expect((await one.database.audit.verify()).problems).toEqual([]);
  for (const each of [one, two]) await each.close();
});

describe("a password of a role", () => {
  const connects = async (url: string) => {
    const client = new pg.Client({ connectionString: url });
    try {
      await client.connect();
      return true;
    } catch {
      return false;
    } finally {
      await client.end();
    }
  };
  const file = () => at("database.url");
  const env = () => ({ DATABASE_URL_FILE: file() });
  const url = async () => (await readFile(file(), "utf8")).trim();

  beforeAll(async () => {
    await server.query("CREATE ROLE owner LOGIN PASSWORD 'first'");
    await server.query("CREATE DATABASE owned OWNER owner");
    await writeFile(file(), server.address({ role: "owner", password: "first", database: "owned" }));
    await chmod(file(), 0o600);
  });

  test("is replaced in the database and in the file of the address, and the old one is refused", async () => {
    const before = await url();
    expect(await rotateDatabasePassword({ env: env() })).toEqual({ path: file(), isFinished: false });
    expect(await url()).not.toBe(before);
    expect([await connects(before), await connects(await url())]).toEqual([false, true]);
    expect((await stat(file())).mode & 0o777).toBe(0o600);
    const instance = await openInstance({ folder: at("owned"), database: await url() });
    await instance.close();
    const log = await server.query("SELECT rolpassword FROM pg_authid WHERE rolname = 'owner'");
    expect(log).toEqual([{ rolpassword: expect.stringMatching(/^SCRAM-SHA-256\$4096:/) }]);
  });

  test("that a killed rotation had replaced is found again: before and after the database learned it", async () => {
    const before = await url();
    await writeFile(`${file()}.next`, before.replace(/:[^:@]+@/, ":never-introduced@"));
    expect((await rotateDatabasePassword({ env: env() })).isFinished).toBe(false);
    const learned = (await url()).replace(/:[^:@]+@/, ":learned@");
    await server.query("ALTER ROLE owner PASSWORD 'learned'");
    await writeFile(`${file()}.next`, learned);
    expect((await rotateDatabasePassword({ env: env() })).isFinished).toBe(true);
    expect([await url(), await connects(learned)]).toEqual([learned, true]);
  });

  test("stays where the database does not answer, and where it is in no file of its own", async () => {
    const before = await url();
    await writeFile(file(), before.replace(/:[^:@]+@/, ":wrong@"));
    await expect(rotateDatabasePassword({ env: env() })).rejects.toMatchObject({ code: "28P01" });
    await writeFile(file(), before);
    expect(await connects(before)).toBe(true);
    const named = { env: { DATABASE_URL: before } };
    await expect(rotateDatabasePassword(named)).rejects.toThrow(
      /^DATABASE_URL is an address, must be kept in a file that DATABASE_URL_FILE names/,
    );
  });

  test("of a connection to a table is replaced in its file", async () => {
    await server.query("CREATE ROLE reader LOGIN PASSWORD 'reading'");
    const clinic = { url: server.address({ role: "reader" }), passwordFile: "clinic.password" };
    const lake = { url: "trino://reader@lake.example.org/iceberg", passwordFile: "clinic.password" };
    await writeFile(
      at("sources.json"),
      JSON.stringify({ clinic, lake, other: { url: server.address({ role: "reader" }) } }),
    );
    await writeFile(at("clinic.password"), "reading\n");
    const origins = { env: { DOSIMETER_SOURCES: at("sources.json") } };
    await expect(rotateSourcePassword(origins, "lake")).rejects.toThrow(
      /^sources.lake is a connection to another kind of database, must be one to PostgreSQL/,
    );
    expect(await readFile(at("clinic.password"), "utf8")).toBe("reading\n");
    await rotateSourcePassword(origins, "clinic");
    const password = (await readFile(at("clinic.password"), "utf8")).trim();
    const tried = [password, "reading"].map((each) => connects(server.address({ role: "reader", password: each })));
    expect(await Promise.all(tried)).toEqual([true, false]);
    await expect(rotateSourcePassword(origins, "nothing")).rejects.toMatchObject({ code: "NOT_FOUND" });
    await expect(rotateSourcePassword(origins, "other")).rejects.toThrow(
      /^sources.other.passwordFile is missing, must name the file with the password/,
    );
    expect(await readdir(place)).not.toContain("clinic.password.next");
  });
});
