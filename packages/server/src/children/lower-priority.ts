import { getPriority, setPriority } from "node:os";

/** How much nicer, up to the most that a system has. */
const BELOW = 10;
const LOWEST = 19;

/** A process, or on Linux a thread, gives way to the caller, whatever priority that one has. */
export function lowerPriority(id: number): void {
  try {
    setPriority(id, Math.min(LOWEST, getPriority() + BELOW));
  } catch {
    // The system does not let this user set priorities.
  }
}
