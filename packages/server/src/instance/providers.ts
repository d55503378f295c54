import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { PrivacyError } from "@dosimeter/core";
import { z } from "zod";
import type { OidcProvider } from "../access/oidc-provider.ts";
import type { FileOrInline } from "../sources/connections.ts";
import type { Written } from "./setting-texts.ts";
import { settings } from "./settings.ts";

const grant = z.union([
  z.strictObject({ team: z.string().min(1), role: z.literal("teamAdmin").optional() }),
  z.strictObject({ role: z.enum(["platformAdmin", "auditor"]) }),
]);

const provider = z
  .strictObject({
    id: z.string().regex(/^[a-z0-9-]{1,40}$/),
    name: z.string().min(1),
    issuer: z
      .url()
      .refine((url) => url.startsWith("https:"), { message: "which is http: a provider is asked over https alone" }),
    clientId: z.string().min(1),
    clientSecret: z.string().min(1).optional(),
    clientSecretFile: z.string().min(1).optional(),
    scope: z.string().optional(),
    signUp: z.boolean().optional(),
    groups: z.record(z.string().min(1), grant).optional(),
    groupsClaim: z.string().min(1).optional(),
    scim: z.boolean().optional(),
  })
  .refine(({ scim, groupsClaim }) => scim !== true || groupsClaim === undefined, {
    path: ["groupsClaim"],
    message: "which scim: true replaces: SCIM itself says who is in a group. Take one of the two",
  })
  .refine(({ clientSecret, clientSecretFile }) => clientSecret === undefined || clientSecretFile === undefined, {
    path: ["clientSecretFile"],
    message: "which stands next to clientSecret: take one of the two",
  });

/** The providers of DOSIMETER_OIDC. INVALID_PARAMETER with the place, never a value. */
export function readProviders(from: FileOrInline): readonly OidcProvider[] {
  const folder = typeof from === "string" ? dirname(from) : from.folder;
  const parsed = z.array(provider).safeParse(typeof from === "string" ? readJson(from) : from.inline);
  if (!parsed.success) refuse(parsed.error.issues);
  return parsed.data.map(({ clientSecretFile: path, clientSecret: given, ...rest }, index) => {
    const clientSecret = path === undefined ? given : readSecret(resolve(folder, path), index);
    const secret = clientSecret === undefined ? {} : { clientSecret };
    return { ...rest, ...secret, ...(path === undefined ? {} : { secretFile: resolve(folder, path) }) } as OidcProvider;
  });
}

/** A setting as it was written, for those that have a file of their own; null where it is not set. */
export function fileOrInline(written: Written | undefined): FileOrInline | null {
  if (written === undefined) return null;
  const { value, folder } = written;
  return typeof value === "string" ? resolve(folder, value) : { ...value, folder };
}

/** The file of a provider's secret; null where it is in the setting itself, or there is none. */
export function providerSecretFile(from: FileOrInline, id: string): string | null {
  const folder = typeof from === "string" ? dirname(from) : from.folder;
  const all = z.array(provider).parse(typeof from === "string" ? readJson(from) : from.inline);
  const path = all.find((one) => one.id === id)?.clientSecretFile;
  return path === undefined ? null : resolve(folder, path);
}

function readSecret(path: string, index: number): string {
  try {
    return readFileSync(path, "utf8").trimEnd();
  } catch {
    return refuse([{ path: [index, "clientSecretFile"], message: "whose file cannot be read" }]);
  }
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return null;
  }
}

type Issue = Pick<z.core.$ZodIssue, "path" | "message"> & { readonly code?: string };

/** Every place that is wrong; of those with words of their own, why. */
function refuse(issues: readonly Issue[]): never {
  const { want } = settings.DOSIMETER_OIDC;
  const places = issues.map(({ path, message, code }) => {
    const at = path.join(".") || "the file";
    return code === undefined || code === "custom" ? `${at}, ${message}` : at;
  });
  throw new PrivacyError("INVALID_PARAMETER", {}, `DOSIMETER_OIDC must be ${want}; look at ${places.join("; at ")}`);
}
