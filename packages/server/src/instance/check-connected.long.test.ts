import { writeFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { SMTPServer } from "smtp-server";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openPostgres, type PostgresServer } from "../../../../test/postgres.kit.ts";
import { temporaryFolder } from "../instance.kit.ts";
import { checkConnected } from "./check-connected.ts";

let place: Awaited<ReturnType<typeof temporaryFolder>>;
let server: PostgresServer;
const smtp = new SMTPServer({ authOptional: true, disabledCommands: ["STARTTLS"] });

beforeAll(async () => {
  place = await temporaryFolder();
  server = await openPostgres({ access: ["host all reader 127.0.0.1/32 scram-sha-256"] });
  await server.query("CREATE ROLE reader LOGIN PASSWORD 'reading'");
  await new Promise<void>((resolve) => smtp.listen(0, "127.0.0.1", () => resolve()));
});
afterAll(async () => {
  await server.close();
  await new Promise<void>((resolve) => smtp.close(() => resolve()));
  await place.remove();
});

const tried = async (configuration: Parameters<typeof checkConnected>[0]) =>
  Object.fromEntries((await checkConnected(configuration, {})).map(({ what, problem }) => [what, problem]));

test("everything that the settings name is tried, and the database is left empty", async () => {
  const url = `smtp://127.0.0.1:${(smtp.server.address() as AddressInfo).port}`;
  await writeFile(
    join(place.folder, "sources.json"),
    JSON.stringify({ clinic: { url: server.url, allowWritable: true } }),
  );
  const found = await tried({
    database: server.url,
    sources: join(place.folder, "sources.json"),
    mail: { url, from: "d@example.org" },
    witness: pathToFileURL(join(place.folder, "witness.json")).href,
  });
  expect(found).toEqual({
    "the database of DATABASE_URL": null,
    "the connection clinic": null,
    "the mail server": null,
    "the witness": null,
  });
  expect(await server.query("SELECT 1 FROM pg_namespace WHERE nspname = 'dosimeter'")).toEqual([]);
});

test("what does not work is named with what to do, and no secret is repeated", async () => {
  const reader = server.address({ role: "reader", password: "s3cret" });
  await writeFile(join(place.folder, "wrong.json"), JSON.stringify({ clinic: { url: reader } }));
  const found = await tried({
    database: reader,
    sources: join(place.folder, "wrong.json"),
    mail: { url: "smtp://u:s3cret@127.0.0.1:1", from: "d@example.org" },
    oidc: [{ id: "work", name: "Work", issuer: "https://127.0.0.1:2", clientId: "d", clientSecret: "s3cret" }],
    witness: "https://u:s3cret@127.0.0.1:2/checkpoint.json",
  });
  expect(found).toEqual({
    "the database of DATABASE_URL": "does not take the user and the password of DATABASE_URL",
    "the connection clinic": expect.stringMatching(/password|authentication/i),
    "the mail server": expect.stringContaining("cannot be reached: look at host and port"),
    "the provider Work": expect.stringContaining("cannot be reached at https://127.0.0.1:2"),
    "the witness": expect.any(String),
  });
  expect(JSON.stringify(found)).not.toContain("s3cret");
  const other = await tried({ database: server.address({ database: "nothing" }) });
  expect(Object.values(other)).toEqual(["has no database of the name in DATABASE_URL"]);
  const silent = await tried({ database: "postgres://u@127.0.0.1:1/d" });
  expect(Object.values(silent)).toEqual(["cannot be reached: look at host and port"]);
});
