import { PrivacyError } from "@dosimeter/core";
import { runTask } from "./run-task.ts";
import type { Piece, Task } from "./task.ts";

/** Milliseconds between two looks at a forming distribution. */
const BEAT = 60;

const tell = (piece: Piece): void => self.postMessage(piece);

self.addEventListener("message", ({ data }: MessageEvent<Task>) => {
  let last = performance.now();
  const isDue = (): boolean => {
    const now = performance.now();
    if (now - last < BEAT) return false;
    last = now;
    return true;
  };
  try {
    for (const piece of runTask(data, isDue)) tell(piece);
  } catch (error) {
    tell({ kind: "fault", message: error instanceof PrivacyError ? error.message : "The computation failed." });
  }
});
