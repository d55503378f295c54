export { OPERATOR_FILE, operatorFile } from "./operator-file.ts";

import { holderOf } from "./lock.ts";

/** Where the server that holds this data folder answers, and the file of its operator's token; null when there is none. */
export async function runningInstance(
  folder: string,
): Promise<{ readonly url: string; readonly operator: string | null } | null> {
  const { url = null, operator = null } = (await holderOf(folder)) ?? {};
  return url === null ? null : { url, operator };
}
