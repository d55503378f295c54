import { PrivacyError } from "@dosimeter/core";

/** A file that cannot be converted. `want` says what it must be, and `got` holds a name of a header or a sheet, never a value. */
export const unread = (want: string, got?: string): PrivacyError =>
  new PrivacyError(
    "DATA_UNREADABLE",
    { name: "content", ...(got === undefined ? {} : { got }), want },
    `the file must be ${want}`,
  );

/** A file that needs more than it may. */
export const tooMuch = (want: string): PrivacyError =>
  new PrivacyError("PAYLOAD_TOO_LARGE", { name: "content", want }, `the file must be ${want}`);

/** Counts the bytes that were unpacked. Throws PAYLOAD_TOO_LARGE when there are more than `largest`. */
export function unpackedCounter(largest: number): (bytes: number) => void {
  let total = 0;
  return (bytes) => {
    total += bytes;
    if (total > largest) throw tooMuch(`at most ${largest} bytes when unpacked`);
  };
}
