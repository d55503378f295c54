/** Runs work every so often, and never while the last run still goes on. Returns what stops it. A process may end meanwhile. */
export function regularly(milliseconds: number, work: () => Promise<void>): () => void {
  let isBusy = false;
  const timer = setInterval(() => {
    if (isBusy) return;
    isBusy = true;
    void work().finally(() => {
      isBusy = false;
    });
  }, milliseconds);
  timer.unref();
  return () => clearInterval(timer);
}
