import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PrivacyError } from "@dosimeter/core";
import { checkAddress, isAddress, problemAt } from "../ship/objects.ts";
import { copyPlace } from "../ship/target.ts";

/** Gives a folder in place of the address of a second place: a copy, encrypted as it is there, which is deleted afterwards. */
export async function withPlace<T>(
  asked: string,
  { secret, at }: { readonly secret: string | undefined; readonly at: (path: string) => string },
  use: (path: string) => Promise<T>,
): Promise<T> {
  if (!isAddress(asked)) return use(at(asked));
  checkAddress(asked, secret);
  const folder = await mkdtemp(join(tmpdir(), "dosimeter-place-"));
  try {
    await copyPlace(asked, secret, folder).catch((error: NodeJS.ErrnoException) => {
      if (error instanceof PrivacyError || error.syscall !== undefined) throw error;
      throw new PrivacyError("NOT_READY", { name: "place", got: asked }, `${asked} ${problemAt(error)}`);
    });
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
