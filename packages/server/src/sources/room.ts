import { statfsSync } from "node:fs";
import { PrivacyError } from "@dosimeter/core";

/** What stays free for the ledger, whose every charge needs some; of a small disk a tenth. */
const RESERVE = 2 ** 30;
/** How many bytes are written between two looks at the disk. */
const STEP = 2 ** 24;

/** How many bytes of the disk of a folder may be taken: what is free, without what stays free. */
export function roomIn(folder: string, reserve?: number): number {
  const { bavail, blocks, bsize } = statfsSync(folder);
  return bavail * bsize - (reserve ?? Math.min(RESERVE, (blocks * bsize) / 10));
}

/** NOT_READY where the disk has no room for this number of bytes and for what stays free. */
export function refuseFull(folder: string, bytes: number, reserve?: number): void {
  if (roomIn(folder, reserve) < bytes) throw noRoom();
}

/** Every byte that a person has us write goes through one: `take` comes before the write. */
export interface WrittenBytes {
  take(bytes: number): void;
}

interface Limit {
  readonly folder: string;
  readonly reserve?: number | undefined;
  /** The most bytes, and the refusal of one more; as many as the disk has when absent. */
  readonly most?: number;
  readonly tooMany?: () => PrivacyError;
}

/** Throws `tooMany`, and NOT_READY before the disk has no more than what stays free. */
export function writtenBytes({ folder, reserve, most = Infinity, tooMany = noRoom }: Limit): WrittenBytes {
  let total = 0;
  let looked = -STEP;
  return {
    take(bytes) {
      total += bytes;
      if (total > most) throw tooMany();
      if (total - looked < STEP) return;
      looked = total;
      refuseFull(folder, STEP, reserve);
    },
  };
}

const noRoom = (): PrivacyError =>
  new PrivacyError(
    "NOT_READY",
    { name: "disk", want: "room that the ledger does not need" },
    "the disk of the server is nearly full: what is left is kept for the ledger. Delete uploads, or try again later",
  );
