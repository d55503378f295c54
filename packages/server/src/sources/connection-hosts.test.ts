import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/folder.kit.ts";
import { databaseOf, readConnectionHosts } from "./connection-hosts.ts";

const place = temporaryFolder();
beforeAll(async () => {
  await writeFile(join(place, "password"), "opensesame\n");
  await writeFile(join(place, "empty"), "\n");
});

const read = (inline: unknown, env: NodeJS.ProcessEnv = {}) => readConnectionHosts({ inline, folder: place }, env);
const reader = { passwordFile: "password" };
const lake = { tokenEnv: "JWT" };
const hosts = () =>
  read(
    {
      "db.example.org:5432": { timeoutSeconds: 60, secrets: { reader } },
      "*.lake.example.org:8443": { secrets: { lake } },
      "other.example.org:5432": { secrets: { other: { passwordEnv: "OTHER" } } },
    },
    { JWT: "a token", OTHER: "another" },
  );

test("a secret goes to the hosts that its operator keeps it for, as the operator trusts them", async () => {
  const { choices, settingsOf, addressOf } = await hosts();
  expect(choices).toEqual([
    { host: "db.example.org:5432", secrets: ["reader"] },
    { host: "*.lake.example.org:8443", secrets: ["lake"] },
    { host: "other.example.org:5432", secrets: ["other"] },
  ]);
  const url = addressOf("postgres://role@DB.example.org/clinic");
  expect(url).toBe("postgres://role@db.example.org:5432/clinic");
  expect(await settingsOf({ name: "a", url, secret: "reader" })).toEqual({
    url,
    password: "opensesame",
    timeout: 60_000,
  });
  const deep = "trino://user@a.b.lake.example.org:8443/iceberg";
  expect(await settingsOf({ name: "b", url: deep, secret: "lake" })).toEqual({ url: deep, token: "a token" });
});

test.each([
  ["postgres://role@db.example.org:5432/clinic", "other", "secret must be one that"],
  ["postgres://role@db.example.org:5432/clinic", "lake", "secret must be one that"],
  ["postgres://role@db.example.org:5432/clinic", "__proto__", "secret must be one that"],
  ["postgres://role@db.example.org:5432/clinic", "../password", "secret must be one that"],
  ["postgres://role@x.lake.example.org:8443/iceberg", "lake", "PostgreSQL takes no token"],
  ["postgres://role@db.example.org:5433/clinic", "reader", "lists no host db.example.org:5433"],
  ["trino://user@lake.example.org:8443/iceberg", "lake", "lists no host"],
  ["trino://user@evillake.example.org:8443/iceberg", "lake", "lists no host"],
  ["trino://user@lake.example.org.evil.org:8443/iceberg", "lake", "lists no host"],
  ["trino://user@127.0.0.1:8443/iceberg", "lake", "lists no host"],
])("%s with %s is refused", async (url, secret, words) => {
  const { addressOf, settingsOf } = await hosts();
  expect(addressOf(url)).toBe(url);
  await expect(settingsOf({ name: "a", url, secret })).rejects.toThrow(words);
});

test.each([
  ["postgres://role:hunter2@db.example.org/clinic", "url must be without a password"],
  ["postgres://role@db.example.org/clinic?host=evil.org", "url must be without parameters"],
  ["postgres://role@db.example.org/clinic#x", "url must be without parameters"],
  ["postgres://role@db.example.org/clinic?host=/var/run", "url must be without parameters"],
  ["postgres://role@%2Fvar%2Frun/clinic", "url must be"],
  ["postgres://role@*.example.org/clinic", "url must be without a star: the name of one host"],
  ["postgres://role@db.example.org/clinic%00options%00-c%20role%3Downer", "url must be without control characters"],
  ["postgres://role%00options%00-c%20role%3Downer@db.example.org/clinic", "url must be without control characters"],
  ["trino://user@db.example.org/ice%0aberg", "url must be without control characters"],
  ["postgres://role@db.example.org/%zz", "url must be"],
  ["postgres://ro%C3le@db.example.org/clinic", "url must be"],
  ["postgres://db.example.org/clinic", "url must be"],
  ["postgres://role@db.example.org", "url must be"],
  ["postgres://role@/clinic", "must be postgres://"],
  ["https://db.example.org/clinic", "must be postgres://"],
  ["not an address", "must be postgres://"],
])("the address %s is refused, and not repeated", async (url, words) => {
  const { addressOf } = await hosts();
  expect(() => addressOf(url)).toThrow(words);
  expect(() => addressOf(url)).not.toThrow("hunter2");
});

test("a host is found as it is listed, below stars the longest one; _ may be in a name", async () => {
  const { settingsOf, addressOf } = await read({
    "*.example.org:5432": { timeoutSeconds: 1, secrets: { reader } },
    "*.lake.example.org:5432": { timeoutSeconds: 2, secrets: { reader } },
    "my_db:5432": { timeoutSeconds: 3, secrets: { reader } },
    "[2001:db8::1]:5432": { timeoutSeconds: 4, secrets: { reader } },
  });
  const timeoutOf = async (host: string) =>
    (await settingsOf({ name: "a", url: addressOf(`postgres://role@${host}/clinic`), secret: "reader" })).timeout;
  expect(await timeoutOf("a.example.org")).toBe(1000);
  expect(await timeoutOf("a.lake.example.org")).toBe(2000);
  expect(await timeoutOf("my_db")).toBe(3000);
  expect(await timeoutOf("[2001:0DB8::1]")).toBe(4000);
});

test("whatever stands before the host stays there: the drivers read the host that was compared", async () => {
  const { addressOf } = await hosts();
  const url = addressOf("postgres://role@db.example.org@evil.org/clinic");
  expect(new URL(url).host).toBe("evil.org:5432");
  expect(addressOf(url)).toBe(url);
});

test("one database with one role has one address, however it is written", async () => {
  const { addressOf } = await hosts();
  const url = "postgres://role@db.example.org:5432/clinic";
  for (const same of [
    "postgresql://role@db.example.org/clinic",
    "postgres://r%6fle@DB.example.org:05432/x/../clini%63",
  ])
    expect(addressOf(same)).toBe(url);
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", minLength: 1 }), fc.string({ minLength: 1 }), (role, path) => {
      const given = `postgres://${encodeURIComponent(role)}@db.example.org/${encodeURIComponent(path)}`;
      let once: string;
      try {
        once = addressOf(given);
      } catch {
        return;
      }
      expect(addressOf(once)).toBe(once);
      expect(decodeURIComponent(new URL(once).pathname.slice(1))).toBe(path);
      expect(new URL(once).host).toBe("db.example.org:5432");
    }),
  );
});

const longest = "d".repeat(63);
test.each([
  ["postgres://role@db.example.org/clinic", "postgresql://other:pw@DB.example.org:5432/clini%63", true],
  [`postgres://role@db.example.org/${longest}`, `postgres://role@db.example.org/${longest}x`, true],
  [`postgres://role@db.example.org/${longest.slice(1)}`, `postgres://role@db.example.org/${longest}`, false],
  ["postgres://role@db.example.org/clinic", "postgres://role@db.example.org/Clinic", false],
  ["postgres://role@db.example.org/clinic", "postgres://role@db.example.org:5433/clinic", false],
  ["trino://user@db.example.org/lake", "trino://user@db.example.org:443/LAKE", true],
  ["trino://user@db.example.org:5432/clinic", "postgres://user@db.example.org:5432/clinic", false],
])("one database has one name, as its server reads it: %s, %s", (one, other, isSame) => {
  expect(databaseOf(one) === databaseOf(other)).toBe(isSame);
});

test.each([
  "postgres://role@db.example.org:5432/clinic?host=evil.org",
  "postgres://role@db.example.org:5432/clinic%00options",
  "postgresql://role@db.example.org:5432/clinic",
  "postgres://role@DB.example.org:5432/clinic",
  "postgres://role@db.example.org/clinic",
])("a stored address that is not as it would be written, %s, is not used", async (url) => {
  const { settingsOf } = await hosts();
  await expect(settingsOf({ name: "a", url, secret: "reader" })).rejects.toThrow("url must be");
});

test.each([
  [{ "db.example.org": { secrets: { reader } } }, 'connectionHosts is "db.example.org", must be hosts with a port'],
  [{ "*:5432": { secrets: { reader } } }, "must be hosts with a port"],
  [{ "db.example.org:05432": { secrets: { reader } } }, "must be hosts with a port"],
  [{ "db.example.org:99999": { secrets: { reader } } }, "must be hosts with a port"],
  [{ "[2001:0db8::1]:5432": { secrets: { reader } } }, "must be hosts with a port"],
  [{ "*.example.org:5432": { tls: "off", secrets: { reader } } }, 'tls is "off", must be verify-full'],
  [{ "db.example.org:5432": { url: "postgres://r@h/d" } }, "connectionHosts.db.example.org:5432.url is not a setting"],
  [{ "db.example.org:5432": { tls: "prefer", secrets: { reader } } }, "tls is missing, must be verify-full"],
  [{ "db.example.org:5432": { secrets: { reader: {} } } }, "a password or token, not empty"],
  [{ "db.example.org:5432": { secrets: { reader: { passwordFile: "empty" } } } }, "a password or token, not empty"],
  [{ "db.example.org:5432": { secrets: { reader: { passwordEnv: "NOT_SET" } } } }, "passwordEnv is missing"],
  [{ "db.example.org:5432": { secrets: { reader: { passwordFile: "nowhere" } } } }, "passwordFile is missing"],
  [{ "db.example.org:5432": { secrets: { reader: { password: "hunter2" } } } }, "password is not a setting"],
])("%j is refused at the start, naming the setting and no value", async (json, words) => {
  await expect(read(json)).rejects.toThrow(words);
  await expect(read(json)).rejects.not.toThrow("hunter2");
});

test("a secret is read when it is used: a replaced one counts at once, one that is gone is a refusal", async () => {
  const path = join(place, "changes");
  await writeFile(path, "first");
  const { settingsOf } = await read({ "db.example.org:5432": { secrets: { reader: { passwordFile: "changes" } } } });
  const asked = { name: "a", url: "postgres://role@db.example.org:5432/clinic", secret: "reader" };
  expect(await settingsOf(asked)).toMatchObject({ password: "first" });
  await writeFile(path, "second");
  expect(await settingsOf(asked)).toMatchObject({ password: "second" });
  await rm(path);
  await expect(settingsOf(asked)).rejects.toThrow("must be a file that can be read");
});
