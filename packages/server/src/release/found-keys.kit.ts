import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { present } from "@dosimeter/core/internal";
import { DuckDBInstance } from "@duckdb/node-api";
import { buildFixture, type Fixture, openTestInstance } from "../instance.kit.ts";
import { startProcess } from "../measuring/measurer.ts";
import { memoryOfFiles } from "../measuring/memory.ts";
import { createLog } from "../telemetry/log.ts";

/** A stranger's table: in nine rows of ten `part` is 1, every row has a word of its own, and people have four rows each. */
export interface StrangersTable {
  readonly fixture: Fixture;
  readonly dataset: string;
  readonly account: string;
  /** Milliseconds until the answer about rows of one part: 1 of nine rows in ten, 0 of one in ten, 2 of none. */
  took(part: 0 | 1 | 2): Promise<number>;
  /** Releases a statistic and waits for its answer. */
  release(statistic: object): Promise<void>;
  /** How many departures were missed so far. */
  missed(): number;
  close(): Promise<void>;
}

export async function openStrangersTable(
  rows: number,
  declared: { readonly mostRows?: number; readonly mostValues?: number; readonly contribution?: object },
  {
    text = "'word ' || i",
    memoryLimit,
    onStart,
    temporaryLimit,
  }: {
    readonly temporaryLimit?: string;
    readonly text?: string;
    readonly memoryLimit?: string;
    readonly onStart?: (process: number) => void;
  } = {},
): Promise<StrangersTable> {
  let missed = 0;
  const log = createLog("error", (line) => {
    if (line.includes("a departure was missed")) missed += 1;
  });
  const startMeasuring = () => {
    const child = startProcess(memoryOfFiles(memoryLimit).process);
    onStart?.(child.pid ?? 0);
    return child;
  };
  const measuring = memoryLimit === undefined ? {} : { measuring: { memoryLimit, ...present({ temporaryLimit }) } };
  const instance = await openTestInstance({ log, startMeasuring, ...measuring });
  const fixture = await buildFixture(instance);
  const { as, people } = fixture;
  const { id: file } = await as.datasetAdmin.uploadFile({ name: "rows.parquet", content: await parquet(rows, text) });
  const { mostRows, mostValues, contribution = { rows: 4 } } = declared;
  const declaration = {
    ...{ name: "rows", source: { parquet: "rows.parquet" }, privacyUnit: { column: "person" } },
    ...present({ mostRows }),
    contribution,
    columns: {
      person: { type: "integer" },
      part: { type: "integer", lower: 0, upper: 2 },
      word: { type: "text", ...present({ mostValues }) },
    },
  };
  const { id: dataset } = await as.datasetAdmin.createDataset({ file, declaration });
  const { id: ledger } = await as.datasetAdmin.openLedger({ dataset, epsilon: "50", delta: "1e-3" });
  const holder = { kind: "person", id: people.datasetAdmin } as const;
  const { id: account } = await as.datasetAdmin.createAccount({ ledger, holder, epsilon: "40" });
  const release = async (statistic: object): Promise<void> => {
    const plan = { statistics: [statistic] };
    await as.datasetAdmin.releaseAndWait({ dataset, account, plan, reuse: "never" } as never);
  };
  return {
    ...{ fixture, dataset, account, release },
    async took(part) {
      const started = performance.now();
      await release({ statistic: "keyCounts", column: "word", where: `part = ${part}`, epsilon: "0.1", delta: "1e-9" });
      return performance.now() - started;
    },
    missed: () => missed,
    close: () => instance.close(),
  };
}

async function parquet(rows: number, text: string): Promise<Uint8Array<ArrayBuffer>> {
  const folder = await mkdtemp(join(tmpdir(), "dosimeter-found-keys-"));
  try {
    const path = join(folder, "rows.parquet");
    const database = await DuckDBInstance.create(":memory:");
    const connection = await database.connect();
    const columns = `i // 4 AS person, CAST(i % 10 > 0 AS INTEGER) AS part, ${text} AS word`;
    await connection.run(`COPY (SELECT ${columns} FROM range(${rows}) AS t(i)) TO '${path}' (FORMAT parquet)`);
    connection.closeSync();
    database.closeSync();
    return new Uint8Array(await readFile(path));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
