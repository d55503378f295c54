import { holderOf } from "./lock.ts";

/** Where the server answers that holds this data folder; null when none does. */
export async function runningInstance(folder: string): Promise<{ readonly url: string } | null> {
  const holder = await holderOf(folder);
  return holder === null || holder.url === null ? null : { url: holder.url };
}
