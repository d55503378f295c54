import { createHash, createHmac, pbkdf2Sync, randomBytes } from "node:crypto";
import { PrivacyError } from "@dosimeter/core";
import { roleStatementOf } from "@dosimeter/engines";
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

/** Gives the role that runs it another password. */
const passwordStatement = (password: string): string => `ALTER ROLE CURRENT_USER PASSWORD '${scramVerifier(password)}'`;

/** A new password of 192 random bits for the role of DATABASE_URL, and the file that holds the address. Servers need a restart. */
export async function rotateDatabasePassword(origins: Origins): Promise<SecretFile> {
  const path = settingTexts(origins).written.get("DATABASE_URL")?.path;
  if (path === undefined)
    throw new PrivacyError(
      "INVALID_PARAMETER",
      { name: "DATABASE_URL" },
      "DATABASE_URL is an address, must be kept in a file that DATABASE_URL_FILE names: the new password is written there. Or change the password by ALTER ROLE, and then the setting",
    );
  const { runOnce } = await import("@dosimeter/ledger/postgres");
  return rotatePassword({
    path,
    textWith(password, before) {
      const url = new URL(before);
      url.password = password;
      return url.href;
    },
    passwordIn: (url) => decodeURIComponent(new URL(url).password),
    run: async (url, statement) => void (await runOnce(url, statement)),
  });
}

/** The same for a connection of DOSIMETER_SOURCES and the file of its password. */
export async function rotateSourcePassword(origins: Origins, name: string): Promise<SecretFile> {
  const sources = fileOrInline(settingTexts(origins).written.get("DOSIMETER_SOURCES"));
  if (sources === null) throw new PrivacyError("NOT_FOUND", { name: "DOSIMETER_SOURCES" });
  const settings = (await readSources(sources, origins.env))[name];
  if (settings === undefined) throw new PrivacyError("NOT_FOUND", { name: "connection", got: name });
  const run = roleStatementOf(name, settings);
  if (run === null)
    throw new PrivacyError(
      "INVALID_PARAMETER",
      { name: `sources.${name}` },
      `sources.${name} is a connection to another kind of database, must be one to PostgreSQL: change its password or token where its users are kept, and then its file`,
    );
  const path = await passwordFileOf(sources, name);
  if (path === null)
    throw new PrivacyError(
      "INVALID_PARAMETER",
      { name: `sources.${name}.passwordFile` },
      `sources.${name}.passwordFile is missing, must name the file with the password: the new one is written there. Or change the password by ALTER ROLE, and then the setting`,
    );
  return rotatePassword({
    path,
    textWith: (password) => password,
    passwordIn: (password) => password,
    run: (password, statement) => run(name, { ...settings, password }, statement),
  });
}

interface Place {
  readonly path: string;
  readonly textWith: (password: string, before: string) => string;
  readonly passwordIn: (text: string) => string;
  /** Signs in with the secret in a text, and runs a statement. */
  readonly run: (text: string, statement: string) => Promise<void>;
}

/** The new file is written first, so that a rotation that was killed is finished by the next one. */
const rotatePassword = ({ path, textWith, passwordIn, run }: Place): Promise<SecretFile> =>
  replaceSecretFile(path, {
    make: (before) => textWith(randomBytes(24).toString("base64url"), before),
    works: (text) => run(text, "SELECT 1"),
    introduce: (text, before) => run(before, passwordStatement(passwordIn(text))),
  });
