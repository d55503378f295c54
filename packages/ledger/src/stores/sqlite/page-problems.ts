import { DatabaseSync } from "node:sqlite";
import { Worker } from "node:worker_threads";

/** What is wrong with the pages of a database file; none for a sound one. `file` may be an address with options. */
export function quickProblems(file: string): readonly string[] {
  const connection = new DatabaseSync(file, { readOnly: true });
  try {
    return problemsIn(connection.prepare("PRAGMA quick_check(20)").all());
  } catch (error) {
    return [(error as Error).message];
  } finally {
    connection.close();
  }
}

/** The same with every index, in a thread of its own: 100 MB take seconds. */
export function pageProblems(file: string): Promise<readonly string[]> {
  const { promise, resolve, reject } = Promise.withResolvers<readonly string[]>();
  const worker = new Worker(CHECK, { eval: true, workerData: file });
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
