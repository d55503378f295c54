import { setTimeout as wait } from "node:timers/promises";

/** The highest figure that was read, again and again, while something ran. */
export async function highest(read: () => Promise<number>, run: () => Promise<unknown>, every = 20): Promise<number> {
  let [most, isOver] = [0, false];
  const ended = run().finally(() => {
    isOver = true;
  });
  const looked = (async () => {
    while (!isOver) {
      most = Math.max(most, await read());
      await wait(every);
    }
  })();
  await Promise.all([ended, looked]);
  return most;
}
