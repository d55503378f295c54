import { createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { PrivacyError } from "@dosimeter/core";
import { createTarDecoder } from "modern-tar";
import { packTar } from "modern-tar/fs";
import { z } from "zod";
import { decrypterWith, encrypterFor } from "../ship/age.ts";
import { webStream, withBytes } from "../threads/web-stream.ts";

/** A file of an archive, by its name there. */
export interface Member {
  readonly name: string;
  readonly path: string;
  readonly size: number;
}

export const UPLOADS = "files/";
const MANIFEST = "manifest.json";

/** The names that an archive may hold: nothing that leads out of the folder it is unpacked into, and no token. */
const NAME = /^(ledger\.sqlite|signing\.key|files\/(?!operator\.token$)[A-Za-z0-9_][A-Za-z0-9_.-]{0,99})$/;

const manifestSchema = z.object({
  format: z.literal(1),
  version: z.string(),
  madeAt: z.iso.datetime(),
  /** The newest line of the audit, and how many lines there are. */
  head: z.string().regex(/^[0-9a-f]{64}$/),
  lines: z.number().int().nonnegative(),
  files: z.array(z.object({ name: z.string().regex(NAME), size: z.number().int().nonnegative() })).min(1),
});

/** The first file of an archive: what it is a backup of, and every other file that it holds. */
export type Manifest = z.output<typeof manifestSchema>;

/** Writes the files as one tar, encrypted for each of the recipients; under `path` only when it is whole and on the disk. */
export async function writeArchive(
  path: string,
  {
    recipients,
    manifest,
    members,
    written = () => {},
  }: {
    readonly recipients: readonly string[];
    readonly manifest: Manifest;
    readonly members: readonly Member[];
    /** Called when the bytes are on the disk, under another name than `path`. */
    readonly written?: () => void;
  },
): Promise<void> {
  const mtime = new Date(manifest.madeAt);
  const mode = 0o600;
  const tar = packTar(
    [
      { type: "content", target: MANIFEST, content: JSON.stringify(manifest), mode, mtime },
      ...members.map(({ name, path: source }) => ({ type: "file" as const, target: name, source, mode, mtime })),
    ],
    { concurrency: 1 },
  );
  const partial = `${path}.partial`;
  try {
    const encrypted = await encrypterFor(recipients).encrypt(webStream(tar));
    await pipeline(Readable.fromWeb(encrypted as never), createWriteStream(partial, { mode, flush: true }));
    written();
    await rename(partial, path);
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}

const DAMAGED = "it is cut short, was changed, or is not a backup of Dosimeter";

/**
 * Reads a whole archive, and writes each file to the path that `placeOf` gives it, or nowhere. It returns only where every byte is
 * authentic and every file of the manifest is there. INVALID_PARAMETER for another key, CONFLICT for an archive that is cut short.
 */
export async function readArchive(
  path: string,
  key: string,
  placeOf: (name: string) => string | null = () => null,
): Promise<Manifest> {
  const decrypter = decrypterWith(key);
  try {
    return await withBytes(path, async (bytes) => unpack(await decrypter.decrypt(bytes), placeOf));
  } catch (error) {
    throw inWords(error, path);
  }
}

function inWords(error: unknown, path: string): unknown {
  const { code, message = "" } = error as NodeJS.ErrnoException;
  if (code === "ENOENT") return new PrivacyError("NOT_FOUND", { name: "archive", got: path });
  if (error instanceof PrivacyError || code !== undefined) return error; // a disk that is full, a folder that cannot be written
  if (message.startsWith("no identity matched"))
    return new PrivacyError("INVALID_PARAMETER", {}, `${path} was encrypted for other keys than this one`);
  return damaged(path);
}

const damaged = (what: string, why = DAMAGED) =>
  new PrivacyError("CONFLICT", { name: "archive" }, `${what} cannot be restored: ${why}; nothing was restored`);

async function unpack(plain: ReadableStream<Uint8Array>, placeOf: (name: string) => string | null): Promise<Manifest> {
  let manifest: Manifest | undefined;
  const missing = new Map<string, number>();
  for await (const { header, body } of plain.pipeThrough(createTarDecoder({ strict: true }) as never) as Entries) {
    if (manifest === undefined) {
      if (header.name !== MANIFEST) throw damaged("the archive");
      manifest = parseManifest(await new Response(body).text());
      for (const { name, size } of manifest.files) missing.set(name, size);
      continue;
    }
    if (header.type !== "file" || missing.get(header.name) !== header.size)
      throw damaged("the archive", `its manifest does not name ${header.name} as it is there`);
    missing.delete(header.name);
    const place = placeOf(header.name);
    if (place === null) for await (const _ of body as AsyncIterable<Uint8Array>);
    else
      await pipeline(
        Readable.fromWeb(body as never),
        createWriteStream(place, { mode: 0o600, flags: "wx", flush: true }),
      );
  }
  const [lacks] = missing.keys();
  if (manifest === undefined) throw damaged("the archive");
  if (lacks !== undefined) throw damaged("the archive", `it lacks ${lacks}`);
  return manifest;
}

type Entries = AsyncIterable<{
  readonly header: { readonly name: string; readonly size: number; readonly type?: string };
  readonly body: ReadableStream<Uint8Array>;
}>;

function parseManifest(text: string): Manifest {
  const { format } = JSON.parse(text) as { readonly format?: unknown };
  if (typeof format === "number" && format > 1) throw damaged("the archive", "a newer Dosimeter made it, use that one");
  return manifestSchema.parse(JSON.parse(text));
}
