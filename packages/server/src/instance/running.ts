import { realpath } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { invalid } from "@dosimeter/core";
import { isThisMachine } from "@dosimeter/core/internal";
import { holderOf, whyNotBelieved } from "./lock.ts";

export const OPERATOR_FILE = "operator.token";

/** Where the operator's token is: with the uploads where they lie apart, since all servers of a database share those. */
export const operatorFile = ({
  folder,
  uploads,
}: {
  readonly folder: string;
  readonly uploads?: string | undefined;
}): string => join(uploads ?? folder, OPERATOR_FILE);

/**
 * Where the server that holds this data folder answers, and the file of its operator's token; null when there is none.
 * INVALID_PARAMETER for a lock that such a server would not write: a folder from elsewhere must not say where a token goes.
 */
export async function runningInstance(
  folder: string,
): Promise<{ readonly url: string; readonly operator: string | null } | null> {
  const holder = await holderOf(folder);
  if (holder === null || holder.url === null) return null;
  const { url, operator } = holder;
  const problem = whyNotBelieved(holder);
  const instead = `; if you trust the server, name it by --url or DOSIMETER_URL, else remove ${join(folder, "lock.json")}`;
  if (problem !== null) invalid("the process in lock.json", problem.got, `${problem.want}${instead}`);
  if (!isOfThisMachine(url))
    invalid("the url in lock.json", url, `http://localhost:… or another loopback address${instead}`);
  return { url, operator };
}

function isOfThisMachine(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname, username, password } = new URL(url);
  return protocol === "http:" && isThisMachine(hostname) && username === "" && password === "";
}

/**
 * The file of the operator's token: where the running server says, else where a server would write it. INVALID_PARAMETER unless it is in the
 * data folder or with the uploads, links followed: a folder from elsewhere must not name another installation's token.
 */
export async function findOperatorFile({
  folder,
  uploads,
  said,
}: {
  readonly folder: string;
  readonly uploads: string | undefined;
  readonly said: string | null;
}): Promise<string> {
  const path = said ?? operatorFile({ folder, uploads });
  const file = await realpath(path).catch(async () => join(await realOr(dirname(path)), basename(path)));
  const homes = await Promise.all([folder, ...(uploads === undefined ? [] : [uploads])].map(realOr));
  if (homes.some((home) => join(home, OPERATOR_FILE) === file)) return path;
  invalid("the operator's file", file, `${OPERATOR_FILE} in the data folder or in the folder of DOSIMETER_FILES`);
}

const realOr = (path: string): Promise<string> => realpath(path).catch(() => path);
