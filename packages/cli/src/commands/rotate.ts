import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { invalid } from "@dosimeter/core";
import type { SecretFile } from "@dosimeter/server";
import type { Command } from "commander";
import { dataFolder } from "../connect.ts";
import type { Context } from "../context.ts";
import { say, sayJson } from "../terminal/output.ts";

/** `dosimeter rotate signing-key | key-secret | database | source | provider`: replaces a secret of this server. */
export function define(command: Command, context: Context): void {
  const { terminal, globals } = context;
  const origins = { env: terminal.env as NodeJS.ProcessEnv, cwd: terminal.cwd };
  const settings = async () => {
    const { readConfiguration } = await import("@dosimeter/server");
    return { ...readConfiguration(origins.env, origins), folder: dataFolder(context) };
  };
  const report = (result: object, ...lines: readonly string[]): void => {
    if (globals().json) sayJson(terminal, result);
    else for (const line of lines) say(terminal, line);
  };
  const reportFile = ({ path, isFinished }: SecretFile): void =>
    report(
      { path },
      `${isFinished ? "An earlier try is finished" : "Replaced"}: ${path}. Start every server that reads it again.`,
    );

  command
    .command("signing-key")
    .description("a new key that signs exports, with every server stopped; what the old one signed stays valid")
    .action(async () => {
      const { rotateSigningKey } = await import("@dosimeter/server");
      const { from, to } = await rotateSigningKey(await settings());
      report(
        { from, to },
        `Exports are signed by ${to} from now on, no longer by ${from}.`,
        "Give its new fingerprint to those who verify exports.",
      );
    });

  command
    .command("key-secret")
    .description(
      "encrypt what lies in the ledger database under DOSIMETER_NEW_KEY_SECRET instead of DOSIMETER_KEY_SECRET",
    )
    .action(async () => {
      const { rotateKeySecret } = await import("@dosimeter/server");
      const { isResealed, file, isFinished } = await rotateKeySecret(await settings(), await newKeySecret(terminal));
      report(
        { resealed: isResealed, file, finished: isFinished },
        `What lies encrypted in the ledger database is under ${isFinished ? "the secret of an earlier try, which is finished" : "the new secret"}. ${file === null ? "Set it as DOSIMETER_KEY_SECRET" : `${file} holds it`}; start every server again.`,
        isResealed
          ? "The secrets of authenticator apps and webhooks are sealed under a new key."
          : "Servers run, so the secrets of authenticator apps and webhooks keep their key: to replace it, stop them and do this again.",
      );
    });

  command
    .command("database")
    .description("a new password for the role of DATABASE_URL, which is in the file of DATABASE_URL_FILE")
    .action(async () => {
      const { rotateDatabasePassword } = await import("@dosimeter/server");
      reportFile(await rotateDatabasePassword(origins));
    });

  command
    .command("source")
    .description("a new password for the role of a connection, in its passwordFile")
    .argument("<connection>", "its name in DOSIMETER_SOURCES")
    .action(async (name: string) => {
      const { rotateSourcePassword } = await import("@dosimeter/server");
      reportFile(await rotateSourcePassword(origins, name));
    });

  command
    .command("provider")
    .description("the secret that an OpenID Connect provider has issued, in its clientSecretFile, once it takes it")
    .argument("<provider>", "its id in DOSIMETER_OIDC")
    .requiredOption("--secret <file>", "a file with the new secret")
    .action(async (id: string, { secret }: { readonly secret: string }) => {
      const { rotateProviderSecret } = await import("@dosimeter/server");
      reportFile(await rotateProviderSecret(origins, id, resolve(terminal.cwd, secret)));
    });
}

async function newKeySecret({ env, cwd }: Context["terminal"]): Promise<string> {
  const { DOSIMETER_NEW_KEY_SECRET: secret, DOSIMETER_NEW_KEY_SECRET_FILE: path } = env;
  if (secret && path) invalid("DOSIMETER_NEW_KEY_SECRET", undefined, "not set next to DOSIMETER_NEW_KEY_SECRET_FILE");
  if (path) return (await readFile(resolve(cwd, path), "utf8")).trimEnd();
  return secret || invalid("DOSIMETER_NEW_KEY_SECRET", undefined, "set, or DOSIMETER_NEW_KEY_SECRET_FILE");
}
