/** The first of the answer and, after `milliseconds`, of `late`: a hung disk or host has no time-out of its own. */
export function within<T>(milliseconds: number, answer: Promise<T>, late: () => T): Promise<T> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, milliseconds);
  return Promise.race([answer, promise.then(late)]).finally(() => clearTimeout(timer));
}
