import { writeFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { SMTPServer } from "smtp-server";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openPostgres, type PostgresServer } from "../../../../test/postgres.kit.ts";
import { temporaryFolder } from "../instance.kit.ts";
import { diagnose } from "./doctor.ts";

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

const tried = async (env: NodeJS.ProcessEnv) => {
  const { problems, findings } = await diagnose(join(place.folder, "data"), { env }, { isConnecting: true });
  expect(problems).toEqual([]);
  return Object.fromEntries(
    findings.flatMap(({ what, problem }) =>
      /database|connection|mail|provider|witness|OTLP/.test(what) ? [[what, problem]] : [],
    ),
  );
};

test("everything that the settings name is tried, and the database is left empty", async () => {
  const url = `smtp://127.0.0.1:${(smtp.server.address() as AddressInfo).port}`;
  await writeFile(
    join(place.folder, "sources.json"),
    JSON.stringify({ clinic: { url: server.url, allowWritable: true } }),
  );
  const found = await tried({
    DATABASE_URL: server.url,
    DOSIMETER_SOURCES: join(place.folder, "sources.json"),
    DOSIMETER_MAIL_URL: url,
    DOSIMETER_MAIL_FROM: "d@example.org",
  });
  expect(found).toEqual({
    "the database of DATABASE_URL": null,
    "the connection clinic": null,
    "the mail server": null,
  });
  expect(await server.query("SELECT 1 FROM pg_namespace WHERE nspname = 'dosimeter'")).toEqual([]);
});

test("what does not work is named with what to do, and no secret is repeated", async () => {
  const reader = server.address({ role: "reader", password: "s3cret" });
  await writeFile(join(place.folder, "wrong.json"), JSON.stringify({ clinic: { url: reader } }));
  const work = { id: "work", name: "Work", issuer: "https://127.0.0.1:2", clientId: "d", clientSecret: "s3cret" };
  await writeFile(join(place.folder, "oidc.json"), JSON.stringify([work]));
  const found = await tried({
    DATABASE_URL: reader,
    DOSIMETER_SOURCES: join(place.folder, "wrong.json"),
    DOSIMETER_MAIL_URL: "smtp://u:s3cret@127.0.0.1:1",
    DOSIMETER_MAIL_FROM: "d@example.org",
    DOSIMETER_OIDC: join(place.folder, "oidc.json"),
    DOSIMETER_WITNESS: "https://u:s3cret@127.0.0.1:2/checkpoint.json",
    DOSIMETER_OTLP: "https://u:s3cret@127.0.0.1:2",
  });
  expect(found).toEqual({
    "the database of DATABASE_URL": "does not take the user and the password of DATABASE_URL",
    "the connection clinic": expect.stringMatching(/password|authentication/i),
    "the mail server": expect.stringContaining("cannot be reached: look at host and port"),
    "the provider Work": expect.stringContaining("cannot be reached at https://127.0.0.1:2"),
    "the witness": expect.any(String),
    "the receiver of DOSIMETER_OTLP": "cannot be reached: look at host, port, certificate and firewall",
  });
  expect(JSON.stringify(found)).not.toContain("s3cret");
  const other = await tried({ DATABASE_URL: server.address({ database: "nothing" }) });
  expect(Object.values(other)).toEqual(["has no database of the name in DATABASE_URL"]);
  const silent = await tried({ DATABASE_URL: "postgres://u@127.0.0.1:1/d" });
  expect(Object.values(silent)).toEqual(["cannot be reached: look at host and port"]);
});

test("a role that may not make the tables gets the statement that mends it", async () => {
  await server.query("CREATE ROLE poor LOGIN");
  const [found] = Object.values(await tried({ DATABASE_URL: server.address({ role: "poor" }) }));
  expect(found).toContain("GRANT CREATE ON DATABASE");
});
