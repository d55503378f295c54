import { createHash, createHmac, pbkdf2Sync, randomBytes } from "node:crypto";
import { PrivacyError } from "@dosimeter/core";
import { connectionKindOf } from "@dosimeter/query";
import type { OperatorConnection } from "@dosimeter/query/postgres";
import { fileOrInline } from "../instance/providers.ts";
import { type Origins, settingTexts } from "../instance/setting-texts.ts";
import { passwordFileOf, readSources } from "../sources/connections.ts";
import { replaceSecretFile, type SecretFile } from "./secret-file.ts";

const ITERATIONS = 4096;

/** What PostgreSQL keeps of a password (RFC 5803): sent instead of the password, which then stands in no log of the server. */
function scramVerifier(password: string, salt = randomBytes(16)): string {
  const salted = pbkdf2Sync(password, salt, ITERATIONS, 32, "sha256");
  const keyed = (text: string) => createHmac("sha256", salted).update(text).digest();
  const stored = createHash("sha256").update(keyed("Client Key")).digest("base64");
  return `SCRAM-SHA-256$${ITERATIONS}:${salt.toString("base64")}$${stored}:${keyed("Server Key").toString("base64")}`;
}

/** A new password of 192 random bits for the role of DATABASE_URL, and the file that holds the address. Servers need a restart. */
export async function rotateDatabasePassword(origins: Origins): Promise<SecretFile> {
  const path = settingTexts(origins).written.get("DATABASE_URL")?.path;
  if (path === undefined)
    throw new PrivacyError(
      "INVALID_PARAMETER",
      { name: "DATABASE_URL" },
      "the address of the database is in no file of its own: name one by DATABASE_URL_FILE, or change the password by ALTER ROLE and then the setting",
    );
  return rotatePassword({
    path,
    textWith(password, before) {
      const url = new URL(before);
      url.password = password;
      return url.href;
    },
    connect: async (text) => {
      const [{ default: pg }, { inWords, withTls }] = await Promise.all([
        import("pg"),
        import("@dosimeter/ledger/postgres"),
      ]);
      const client = new pg.Client({ connectionString: withTls(text), connectionTimeoutMillis: CONNECT_MS });
      client.on("error", () => undefined);
      await client.connect().catch((error: unknown) => {
        throw inWords(error);
      });
      return { run: (sql) => client.query(sql), end: () => client.end() };
    },
  });
}

const CONNECT_MS = 10_000;

/** The same for a connection of DOSIMETER_SOURCES and the file of its password. */
export async function rotateSourcePassword(origins: Origins, name: string): Promise<SecretFile> {
  const sources = fileOrInline(settingTexts(origins).written.get("DOSIMETER_SOURCES"));
  if (sources === null) throw new PrivacyError("NOT_FOUND", { name: "DOSIMETER_SOURCES" });
  const settings = (await readSources(sources, origins.env))[name];
  if (settings === undefined) throw new PrivacyError("NOT_FOUND", { name: "connection", got: name });
  if (connectionKindOf(settings.url, `sources.${name}.url`) !== "postgres")
    throw new PrivacyError(
      "INVALID_PARAMETER",
      { name: `sources.${name}` },
      `"${name}" is no connection to PostgreSQL: change its password or token where its users are kept, and then its file`,
    );
  const path = await passwordFileOf(sources, name);
  if (path === null)
    throw new PrivacyError(
      "INVALID_PARAMETER",
      { name: `sources.${name}.passwordFile` },
      `the password of "${name}" is in no file of its own: use passwordFile, or change it by ALTER ROLE and then the setting`,
    );
  return rotatePassword({
    path,
    textWith: (password) => password,
    connect: async (password) => {
      const { operatorConnection } = await import("@dosimeter/query/postgres");
      return operatorConnection(name, { ...settings, password: password.trimEnd() });
    },
  });
}

interface Place {
  readonly path: string;
  readonly textWith: (password: string, before: string) => string;
  readonly connect: (text: string) => Promise<OperatorConnection>;
}

/** The new file is written first, so that a rotation that was killed is finished by the next one. */
const rotatePassword = ({ path, textWith, connect }: Place): Promise<SecretFile> =>
  replaceSecretFile(path, {
    make: (before) => textWith(randomBytes(24).toString("base64url"), before),
    works: (text) => using(connect, text, ({ run }) => run("SELECT 1")),
    async introduce(text, before) {
      const password = /^postgres(ql)?:/.test(text) ? decodeURIComponent(new URL(text).password) : text;
      await using(connect, before, ({ run }) => run(`ALTER ROLE CURRENT_USER PASSWORD '${scramVerifier(password)}'`));
    },
  });

async function using(
  connect: Place["connect"],
  text: string,
  use: (connection: OperatorConnection) => Promise<unknown>,
) {
  const connection = await connect(text);
  try {
    await use(connection);
  } finally {
    await connection.end();
  }
}
