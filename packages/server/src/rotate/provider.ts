import { readFile } from "node:fs/promises";
import { invalid, PrivacyError } from "@dosimeter/core";
import { checkProvider } from "../access/oidc-check.ts";
import { fileOrInline, providerSecretFile, readProviders } from "../instance/providers.ts";
import { type Origins, settingTexts } from "../instance/setting-texts.ts";
import { replaceSecretFile, type SecretFile } from "./secret-file.ts";

/** Replaces the secret of a provider, which issued a new one, by that: only where the provider is seen to take it. Servers need a restart. */
export async function rotateProviderSecret(origins: Origins, id: string, newSecretFile: string): Promise<SecretFile> {
  const from = fileOrInline(settingTexts(origins).written.get("DOSIMETER_OIDC"));
  const provider = from === null ? undefined : readProviders(from).find((one) => one.id === id);
  if (from === null || provider === undefined) throw new PrivacyError("NOT_FOUND", { name: "provider", got: id });
  const path = providerSecretFile(from, id);
  if (path === null)
    invalid(
      `DOSIMETER_OIDC.${id}.clientSecretFile`,
      undefined,
      "the file with the secret: the new one is written there",
    );
  const secret = await readFile(newSecretFile, "utf8").catch(() => {
    throw new PrivacyError("NOT_FOUND", { name: "file", got: newSecretFile });
  });
  return replaceSecretFile(path, {
    make: () => secret.trimEnd(),
    works: (clientSecret) => checkProvider({ ...provider, clientSecret }),
  });
}
