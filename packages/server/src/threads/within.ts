/** The first of the answer and, after `milliseconds`, of `late`: a hung disk or host has no time-out of its own. */
export function within<T>(milliseconds: number, answer: Promise<T>, late: () => T): Promise<T> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, milliseconds);
  return Promise.race([answer, promise.then(late)]).finally(() => clearTimeout(timer));
}

/**
 * Calls one after another, each of which fails when it takes too long, and those after it for as long as it hangs: a system call on a mount
 * that hangs holds one of the four threads that all files share.
 */
export function oneThatMayHang<Given extends readonly unknown[], T>(
  milliseconds: number,
  work: (...given: Given) => Promise<T>,
): (...given: Given) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  const late = (): never => {
    throw Object.assign(new Error("it did not answer in time"), { code: "ETIMEDOUT" });
  };
  return (...given) => {
    let isLate = false;
    const done = last.then(() => (isLate ? late() : work(...given)));
    last = done.catch(() => undefined);
    return within(milliseconds, done, () => {
      isLate = true;
      return late();
    });
  };
}
