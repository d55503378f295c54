import { afterEach } from "vitest";

/** A test that runs out of time leaves a picture of what this process still waits for. */
afterEach(({ task }) => {
  const isLate = task.result?.errors?.some(({ message }) => /timed out in \d+ms/.test(message)) ?? false;
  if (!isLate) return;
  const open = Map.groupBy(process.getActiveResourcesInfo(), (kind) => kind);
  const counts = [...open].map(([kind, all]) => `${all.length} ${kind}`);
  console.error(`${task.name}: still open are ${counts.join(", ") || "no resources"}`);
});
