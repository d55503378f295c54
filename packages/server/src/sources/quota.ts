import { PrivacyError } from "@dosimeter/core";
import type { PrincipalId } from "@dosimeter/ledger";
import type { Records } from "./records.ts";

/** What one upload may add to the files of its person. */
export interface Room {
  left(): number;
  /** PAYLOAD_TOO_LARGE where the files of the person would have more bytes than they may. */
  take(bytes: number): void;
  end(): void;
}

/** The bytes of each person: of their files, of what they appended, and of all uploads that arrive. */
export function openQuota(records: Records, most: number): { begin(person: PrincipalId): Promise<Room> } {
  const arriving = new Map<PrincipalId, number>();
  const stored = (person: PrincipalId): number => {
    let bytes = 0;
    for (const file of records.known())
      if ((file.broughtBy ?? file.owner) === person) bytes += file.broughtBytes ?? file.bytes;
    return bytes;
  };
  return {
    async begin(person) {
      await records.all();
      let own = 0;
      const left = () => Math.max(0, most - stored(person) - (arriving.get(person) ?? 0));
      const add = (bytes: number) => {
        own += bytes;
        const all = (arriving.get(person) ?? 0) + bytes;
        if (all > 0) arriving.set(person, all);
        else arriving.delete(person);
      };
      return {
        left,
        take(bytes) {
          if (bytes > left())
            throw new PrivacyError(
              "PAYLOAD_TOO_LARGE",
              { name: "content", want: `at most ${most} bytes of all your uploads` },
              `your uploads may have ${most} bytes together: delete those that no dataset reads, or ask who runs the server for a larger DOSIMETER_LARGEST_OF_PERSON`,
            );
          add(bytes);
        },
        end: () => add(-own),
      };
    },
  };
}
