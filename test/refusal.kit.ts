import { PrivacyError } from "@dosimeter/core";

const refusalIn = (error: unknown): PrivacyError => {
  if (error instanceof PrivacyError) return error;
  throw error;
};

/** What `run` refuses with; null where it refuses nothing. Any other error goes through. */
export function refusalOf(run: () => unknown): PrivacyError | null {
  try {
    run();
    return null;
  } catch (error) {
    return refusalIn(error);
  }
}

/** What a promise is refused with, where it must be. */
export const refused = (run: Promise<unknown>): Promise<PrivacyError> =>
  run.then(() => {
    throw new Error("nothing was refused");
  }, refusalIn);

/** Its code and message, or "accepted". */
export function refusalText(run: () => unknown): string {
  const error = refusalOf(run);
  return error === null ? "accepted" : `${error.code} ${error.message}`;
}
