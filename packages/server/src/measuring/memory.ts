import { availableParallelism } from "node:os";
import { connectionOf, type Source } from "@dosimeter/query/source";
import type { ChildLimits } from "../children/start-child.ts";

const POWER = { K: 1, M: 2, G: 3, T: 4 } as const;

/** A size such as 4GB or 500MiB, in bytes. */
function bytesOf(size: string): number {
  const [, count = "", unit = "M", binary] = /^(\d+)([KMGT])(i?)B$/.exec(size) ?? [];
  return Number(count) * (binary === "i" ? 1024 : 1000) ** POWER[unit as keyof typeof POWER];
}

/** Of all memory, for each row that is bounded at once: states of units lie outside of the engine's part, and brief plans run next to what fills it. */
const HELD_BYTES = 750;

/** What the process of the files may take in all, and how much of it is its engine's: rows that it gives back, and what it reads ahead, take some. */
export function memoryOfFiles(
  size = "2GB",
  threads = Math.max(1, availableParallelism() - 1),
): {
  readonly process: ChildLimits;
  readonly engine: string;
  /** The most rows that it bounds at once: of a larger table people are taken part by part. */
  readonly mostHeld: number;
} {
  const memory = bytesOf(size);
  const engine = `${Math.floor((memory * 5) / 8e6)}MB`;
  return { process: { memory, heap: (memory * 5) / 8, threads }, engine, mostHeld: Math.floor(memory / HELD_BYTES) };
}

/** What bounded rows of a plan, all parts together, may take: the engine keeps them in memory and spills the rest. */
export const mostBoundedBytes = (engine: string, spill: string): number => bytesOf(engine) + bytesOf(spill);

/** That of the connections: it has no engine of its own, only what their databases answer. */
export function memoryOfConnections(size = "2GB"): ChildLimits {
  const memory = bytesOf(size) / 2;
  return { memory, heap: memory / 2 };
}

/**
 * What the values that one plan may find may take, next to the engine and to the releases that run at the same time: of those that take more than
 * a quarter of it one runs at a time [M210].
 */
export const mostFoundBytes =
  (size = "2GB") =>
  (source: Source): number =>
    bytesOf(size) / (connectionOf(source) === null ? 5 : 10);

/** What may spill to a disk with this room: the setting, or less. */
export function spillWithin(room: number, size = "16GB"): string {
  return `${Math.max(1, Math.floor(Math.min(bytesOf(size), room) / 1e6))}MB`;
}
