import { PrivacyError } from "@dosimeter/core";
import { probeConnections } from "@dosimeter/engines";
import { connectionErrorCode } from "@dosimeter/ledger";
import { checkProvider } from "../access/oidc-check.ts";
import { openMailer } from "../outbox/mail.ts";
import { checkOptions } from "./check-options.ts";
import type { Configuration } from "./configuration.ts";

/** Something that the settings name on the network. */
export interface Connected {
  readonly what: string;
  /** What to do; null where it answers as it should. */
  readonly problem: string | null;
}

/** Connects to everything that the settings name, writes nothing and sends nothing. The settings were found to be right. */
export async function checkConnected(
  configuration: Configuration,
  env: NodeJS.ProcessEnv,
): Promise<readonly Connected[]> {
  const { database, mail, oidc = [] } = configuration;
  const { place, connections } = await checkOptions(configuration, env);
  const sources = await probeConnections(connections);
  const asked: readonly (readonly [string, () => Promise<string | null>])[] = [
    ...(database === undefined ? [] : [["the database of DATABASE_URL", () => tryDatabase(database)] as const]),
    ...Object.entries(sources).map(([name, problem]) => [`the connection ${name}`, async () => problem] as const),
    ...(mail === undefined ? [] : [["the mail server", () => tryMail(mail)] as const]),
    ...oidc.map((provider) => [`the provider ${provider.name}`, () => problemIn(checkProvider(provider))] as const),
    ...(place === null ? [] : [["the witness", () => problemIn(place.read(), "does not answer")] as const]),
  ];
  return Promise.all(asked.map(async ([what, ask]) => ({ what, problem: await ask() })));
}

/** A refusal in our own words; what others say may hold a secret. */
const problemIn = (asking: Promise<unknown>, otherwise = "cannot be used"): Promise<string | null> =>
  asking.then(
    () => null,
    (error: unknown) => (error instanceof PrivacyError ? error.message : otherwise),
  );

async function tryDatabase(url: string): Promise<string | null> {
  const { runOnce } = await import("@dosimeter/ledger/postgres");
  return runOnce(url, "SELECT 1").then(
    () => null,
    (error: unknown) => {
      if (error instanceof PrivacyError) return error.message;
      const { code } = error as { readonly code?: string };
      if (code === "28P01" || code === "28000") return "does not take the user and the password of DATABASE_URL";
      if (code === "3D000") return "has no database of the name in DATABASE_URL";
      return connectionErrorCode(error) === null ? "cannot be used" : "cannot be reached: look at host and port";
    },
  );
}

async function tryMail(mail: NonNullable<Configuration["mail"]>): Promise<string | null> {
  const mailer = await openMailer(mail);
  try {
    return await mailer.verify();
  } finally {
    mailer.close();
  }
}
