import { DatabaseSync } from "node:sqlite";
import { Worker } from "node:worker_threads";

/** Up to this number of pages, 2 MB as a rule, a check takes less time than to start a thread for it. */
const MAX_PAGES_HERE = 500;

/** Problems of the pages of a database file; none of a sound one. `file` may be an address with options. */
export const quickProblems = (file: string): readonly string[] =>
  inspected(file, (connection) => problemsIn(connection.prepare("PRAGMA quick_check(20)").all()));

/** The same with every index. A large file is checked in a thread of its own: 100 MB take seconds. */
export async function pageProblems(file: string): Promise<readonly string[]> {
  const found = inspected(file, (connection) =>
    Number(connection.prepare("PRAGMA page_count").get()?.page_count) > MAX_PAGES_HERE
      ? null
      : problemsIn(connection.prepare("PRAGMA integrity_check(100)").all()),
  );
  return found ?? problemsInThread(file);
}

/** The content of the file, or why it cannot be read. */
function inspected<T>(file: string, read: (connection: DatabaseSync) => T): T | readonly string[] {
  const connection = new DatabaseSync(file, { readOnly: true });
  try {
    return read(connection);
  } catch (error) {
    return [(error as Error).message];
  } finally {
    connection.close();
  }
}

function problemsInThread(file: string): Promise<readonly string[]> {
  const { promise, resolve, reject } = Promise.withResolvers<readonly string[]>();
  const worker = new Worker(CHECK, { eval: true, env: {}, workerData: file });
  worker.once("message", ({ rows, message }: { rows?: readonly object[]; message?: string }) =>
    resolve(message === undefined ? problemsIn(rows ?? []) : [message]),
  );
  worker.once("error", reject);
  return promise;
}

const CHECK = `const { parentPort, workerData } = require("node:worker_threads");
const { DatabaseSync } = require("node:sqlite");
try {
  const connection = new DatabaseSync(workerData, { readOnly: true });
  parentPort.postMessage({ rows: connection.prepare("PRAGMA integrity_check(100)").all().map((row) => ({ ...row })) });
  connection.close();
} catch (error) {
  parentPort.postMessage({ message: error.message });
}`;

const problemsIn = (rows: readonly object[]): readonly string[] =>
  rows.map((row) => String(Object.values(row)[0])).filter((problem) => problem !== "ok");
