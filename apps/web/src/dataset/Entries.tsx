import type { Entry } from "@dosimeter/client";
import { Link } from "@tanstack/react-router";
import { useEntries } from "../api.ts";
import { Amount } from "../parts/Amount.tsx";
import { DataTable } from "../parts/DataTable.tsx";
import { More } from "../parts/More.tsx";
import { Empty, Pending } from "../parts/Pending.tsx";
import { momentText } from "../parts/time.ts";

const kindWords = { open: "opened", charge: "charge", switch: "switched to tight" } as const;

/** The ledger line by line. Lines are never changed and never deleted. */
export function Entries({ ledger }: { ledger: string }) {
  const entries = useEntries(ledger);
  return (
    <Pending of={entries}>
      {({ pages }) => {
        const items = pages.flatMap((page) => page.items);
        if (items.length === 0) return <Empty title="No line yet">Every charge will stand here, for ever.</Empty>;
        return (
          <>
            <DataTable
              caption="Every line is chained to the one before it; what was spent is never given back."
              isStacking
              rows={items}
              keyOf={(entry) => String(entry.number)}
              columns={[
                { name: "Line", isHead: true, cell: (entry) => `${entry.number}` },
                { name: "When", cell: (entry) => <span className="nowrap">{momentText(entry.at)}</span> },
                { name: "What", cell: What },
                { name: "Who", cell: (entry) => entry.personName ?? <span className="soft">another account</span> },
                { name: "ε", isNumber: true, cell: (entry) => <Amount of={entry.cost?.epsilon} /> },
                { name: "δ", isNumber: true, cell: (entry) => <Amount of={entry.cost?.delta} /> },
                { name: "μ² before → after", isNumber: true, cell: Residue },
                {
                  name: "Hash",
                  cell: (entry) => (
                    <span className="code" title={entry.hash}>
                      {entry.hash.slice(0, 10)}…
                    </span>
                  ),
                },
              ]}
            />
            <More of={entries} />
          </>
        );
      }}
    </Pending>
  );
}

function What(entry: Entry) {
  if (entry.release === null) return kindWords[entry.kind];
  return (
    <Link to="/releases/$release" params={{ release: entry.release }}>
      {kindWords[entry.kind]}
    </Link>
  );
}

function Residue({ residueBefore, residueAfter }: Entry) {
  if (residueAfter === null) return <Amount of={null} />;
  return (
    <span className="nowrap">
      {residueBefore === null ? null : <>{short(residueBefore)} → </>}
      {short(residueAfter)}
    </span>
  );
}

/** Six decimals are enough to read along; the whole amount is in the file of the ledger. */
const short = (decimal: string): string =>
  /^\d+\.\d{7,}$/.test(decimal) ? `${decimal.slice(0, decimal.indexOf(".") + 7)}…` : decimal;
