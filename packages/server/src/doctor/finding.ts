/** One thing that a server needs, tried. Repeats no secret. */
export interface Finding {
  readonly what: string;
  /** What is wrong and what to do; null where it is as it should be. */
  readonly problem: string | null;
  /** A server starts all the same. */
  readonly isAdvice?: true;
}

/** The first of its answer and of `seconds`: a hung disk or host is a finding, too. */
export async function within(seconds: number, trying: Promise<string | null>): Promise<string | null> {
  const late = Promise.withResolvers<string>();
  const timer = setTimeout(() => late.resolve(`does not answer within ${seconds} seconds`), 1000 * seconds);
  return Promise.race([trying, late.promise]).finally(() => clearTimeout(timer));
}
