import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/folder.kit.ts";
import { readSources } from "./connections.ts";

const folder = temporaryFolder();
beforeAll(async () => {
  await writeFile(join(folder, "password"), "opensesame\n");
});

async function read(json: unknown, env: NodeJS.ProcessEnv = {}) {
  const path = join(folder, "sources.json");
  await writeFile(path, typeof json === "string" ? json : JSON.stringify(json));
  return readSources(path, env);
}

const url = "postgres://reader@db.example.org/clinic";
const lake = "trino://reader@lake.example.org/iceberg";

test("connections have names; passwords and tokens come from a file or a variable", async () => {
  expect(
    await read(
      {
        a: { url, passwordFile: "password", timeoutSeconds: 60 },
        b: { url, passwordEnv: "PW" },
        c: { url: lake, tokenEnv: "JWT" },
        d: { url: lake, tokenFile: "password" },
      },
      { PW: "x", JWT: "y" },
    ),
  ).toEqual({
    a: { url, password: "opensesame", timeout: 60_000 },
    b: { url, password: "x" },
    c: { url: lake, token: "y" },
    d: { url: lake, tokenFile: join(folder, "password") },
  });
});

test.each([
  ["{", "DOSIMETER_SOURCES"],
  [[], "must be an object"],
  [{ a: {} }, "sources.a.url"],
  [{ a: { url, sslmode: "require" } }, "sources.a.sslmode is not a setting of a connection, must be one of url, "],
  [{ a: { url, tls: "prefer" } }, "sources.a.tls"],
  [{ a: { url, passwordFile: "nowhere" } }, "sources.a.passwordFile"],
  [{ a: { url, passwordEnv: "NOT_SET" } }, "sources.a.passwordEnv"],
  [{ a: { url: lake, tokenEnv: "NOT_SET" } }, "sources.a.tokenEnv"],
  [{ a: { url: lake, tokenFile: "nowhere" } }, "sources.a.tokenFile"],
  [{ a: { url, timeoutSeconds: 0 } }, "sources.a.timeoutSeconds"],
])("%j is refused, naming the setting", async (json, words) => {
  await expect(read(json)).rejects.toThrow(words);
});
