import type { Release } from "@dosimeter/client";
import { invalid, PrivacyError } from "@dosimeter/core";
import type { PrincipalId } from "@dosimeter/ledger";
import type { ReleasedTable, RowsAnswer, RowsQuestion } from "@dosimeter/query/statistics";
import { perPerson } from "../access/per-person.ts";
import { openThread } from "../threads/thread.ts";

/** The most made-up rows of one answer, and their bytes; commands and pages make more by themselves. */
export const MAX_ROWS = 100_000;
export const MAX_ROWS_BYTES = 16_000_000;
const MAX_OPEN = 2;
const MAX_MILLISECONDS = 20_000;

/** Which made-up rows are asked for. */
export interface RowsWanted {
  readonly table: ReleasedTable;
  readonly rows: number | undefined;
  readonly seed: number | undefined;
  readonly format: "csv" | "parquet";
}

/** What is asked of made-up rows; checked before. */
export interface RowsAsked {
  readonly table: ReleasedTable;
  readonly asked: RowsQuestion;
}

/** What a file of made-up rows says it is. */
export const ROW_MEDIA = { csv: "text/csv", parquet: "application/vnd.apache.parquet" } as const satisfies Record<
  RowsWanted["format"],
  string
>;

/** The synthetic table of a release: that of one answer, or its first. */
export function tableOf({ answers, stage }: Release, row: string | undefined): ReleasedTable {
  if (answers === null) return invalid("release", stage, "done: its answers are not there yet");
  const found = answers.find(({ id, table }) => table !== undefined && (row === undefined || id === row));
  if (found?.table === undefined) return invalid("query.row", row, "the id of a synthetic table of this release");
  return found.table as unknown as ReleasedTable;
}

export interface RowMaker {
  /** The rows as a file. PAYLOAD_TOO_LARGE, or RATE_LIMITED while two of one person are being made or read. */
  make(
    asked: RowsWanted & { readonly reader: PrincipalId; readonly signal: AbortSignal },
  ): Promise<ReadableStream<Uint8Array<ArrayBuffer>>>;
  /** How many made-up rows match. RATE_LIMITED as above. */
  ask(asked: RowsAsked & { readonly reader: PrincipalId; readonly signal: AbortSignal }): Promise<RowsAnswer>;
  close(): Promise<void>;
}

export function openRowMaker(): RowMaker {
  const thread = openThread<RowsWanted | RowsAsked, Uint8Array<ArrayBuffer> | RowsAnswer | null>(
    "rows.worker",
    import.meta.url,
    {
      milliseconds: MAX_MILLISECONDS,
    },
  );
  const begin = perPerson(MAX_OPEN, "synthetic tables");
  return {
    async make({ reader, signal, ...question }) {
      const end = begin(reader);
      try {
        const bytes = await thread.ask(question, signal);
        if (!(bytes instanceof Uint8Array))
          throw new PrivacyError(
            "PAYLOAD_TOO_LARGE",
            { name: "rows", most: MAX_ROWS_BYTES },
            `this number of rows can have more than ${MAX_ROWS_BYTES / 1e6} MB; ask for fewer, or make them with dosimeter synthesize rows`,
          );
        return readOnce(bytes, signal, end);
      } catch (error) {
        end();
        throw error;
      }
    },
    async ask({ reader, signal, ...question }) {
      const end = begin(reader);
      try {
        return (await thread.ask(question, signal)) as RowsAnswer;
      } finally {
        end();
      }
    },
    close: () => thread.close(),
  };
}

const PART = 65_536;

/** Bytes in parts, as they are read; `end` is called once, when all are read or their reader has left. */
function readOnce(bytes: Uint8Array<ArrayBuffer>, signal: AbortSignal, end: () => void) {
  let at = 0;
  let isOpen = true;
  const close = () => {
    if (isOpen) end();
    isOpen = false;
  };
  signal.addEventListener("abort", close);
  return new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      pull(controller) {
        const part = bytes.subarray(at, at + PART);
        at += PART;
        if (part.length > 0) return controller.enqueue(part);
        close();
        controller.close();
      },
      cancel: close,
    },
    { highWaterMark: 0 },
  );
}
