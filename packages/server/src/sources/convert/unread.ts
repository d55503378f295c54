import { PrivacyError } from "@dosimeter/core";
import { present } from "@dosimeter/core/internal";
import { type ConvertedFormat, convertedFormats, type PackedFormat, packedFormats } from "@dosimeter/query/source";

/** What a process of its own reads. */
export type Convertible = ConvertedFormat | PackedFormat;

export const WANTED = Object.fromEntries(
  Object.entries({ ...convertedFormats, ...packedFormats }).map(([format, { want }]) => [format, want]),
) as Readonly<Record<Convertible, string>>;

/** A file that cannot be converted. `want` says what it must be, and `got` holds a name of a header or a sheet, never a value. */
export const unread = (want: string, got?: string): PrivacyError =>
  new PrivacyError("DATA_UNREADABLE", { name: "content", ...present({ got }), want }, `the file must be ${want}`);

/** A file that needs more than it may. */
export const tooMuch = (want: string): PrivacyError =>
  new PrivacyError("PAYLOAD_TOO_LARGE", { name: "content", want }, `the file must be ${want}`);

export const tooMuchWork = (): PrivacyError =>
  tooMuch("a table that takes work in proportion to its bytes; a larger one is written as CSV or Parquet");

export const tooMuchMemory = (): PrivacyError =>
  tooMuch("a table whose texts fit in memory; a larger one is written as CSV or Parquet");

/** Counts the bytes that were unpacked. Throws PAYLOAD_TOO_LARGE when there are more than `largest`. */
export function unpackedCounter(largest: number): (bytes: number) => void {
  let total = 0;
  return (bytes) => {
    total += bytes;
    if (total > largest) throw tooMuch(`at most ${largest} bytes when unpacked`);
  };
}
