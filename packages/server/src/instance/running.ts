export { operatorFile } from "./operator-file.ts";

import { holderOf } from "./lock.ts";

/** The address of the server that holds this data folder; null when there is none. */
export async function runningInstance(folder: string): Promise<{ readonly url: string } | null> {
  const holder = await holderOf(folder);
  return holder === null || holder.url === null ? null : { url: holder.url };
}
