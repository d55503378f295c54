import type { Quote } from "@dosimeter/client";
import type { LedgerDatabase, ReleasedStatistic } from "@dosimeter/ledger";
import type { Found } from "../reuse/find.ts";
import type { Resolved } from "../reuse/resolve.ts";
import type { Directory } from "./directory.ts";

type RowReuse = Quote["statistics"][number]["reuse"];

/** What earlier answers offer to each row, with who released them and when. */
export async function reuseViews(
  { found, ways: chosen }: { readonly found: readonly Found[]; readonly ways: Resolved["ways"] },
  { nameOf }: Directory,
  database: LedgerDatabase,
): Promise<readonly RowReuse[]> {
  const origins = found.flatMap(({ ways }) => ways.flatMap(({ from }) => from));
  const rows = new Map<string, ReleasedStatistic>(
    (await database.reuse.rows(uniqueOf(origins))).map((row) => [`${row.charge}/${row.row}`, row]),
  );
  return found.map(({ asked, key, ways, note }) => ({
    key,
    offers: ways.map(({ id, kind, cost, halfWidth, asAccurate, from, sentence, notes }) => ({
      id,
      kind,
      cost,
      halfWidth,
      asAccurate,
      from: from.map(({ release, row }) => {
        const known = rows.get(`${release}/${row}`);
        return {
          release,
          row,
          label: known?.label ?? "",
          at: known?.at ?? "",
          by: known === undefined ? "" : nameOf(known.principal),
        };
      }),
      sentence,
      notes,
    })),
    chosen: chosen.get(asked.statistic.id)?.id ?? null,
    note,
  }));
}

function uniqueOf<T extends { readonly release: string; readonly row: string }>(origins: readonly T[]): readonly T[] {
  return [...new Map(origins.map((origin) => [`${origin.release}/${origin.row}`, origin])).values()];
}
