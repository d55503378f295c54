import type { Entry } from "@dosimeter/client";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useAccountTree, useEntries } from "../api/ledgers.ts";
import { usePeople } from "../api/people.ts";
import { Amount, digitsFrom } from "../parts/Amount.tsx";
import { More } from "../parts/buttons.tsx";
import { DataTable } from "../parts/DataTable.tsx";
import { Choice } from "../parts/fields.tsx";
import { Empty, Pending } from "../parts/Pending.tsx";
import { budgetChoices, momentText } from "../parts/words.ts";

const kindWords = {
  open: "opened",
  charge: "charge",
  switch: "switched to tight",
  amend: "lifetime budget raised",
  writeOff: "written off as spent",
} as const satisfies Record<Entry["kind"], string>;

/** The ledger line by line. Lines are never changed and never deleted. */
export function Entries({ ledger, mayAudit }: { ledger: string; mayAudit: boolean }) {
  const [kind, setKind] = useState("");
  const [account, setAccount] = useState("");
  const [person, setPerson] = useState("");
  const entries = useEntries(ledger, {
    ...(kind === "" ? {} : { kind: kind as Entry["kind"] }),
    ...(account === "" ? {} : { account }),
    ...(person === "" ? {} : { person }),
  });
  const accounts = useAccountTree(ledger);
  const people = usePeople();
  const isFiltered = kind !== "" || account !== "" || person !== "";
  return (
    <div className="stack">
      <div className="fields">
        <Choice
          label="What"
          value={kind}
          onChange={setKind}
          data={[
            { value: "", label: "everything" },
            ...Object.entries(kindWords).map(([value, label]) => ({ value, label })),
          ]}
        />
        <Choice
          label="Budget"
          value={account}
          onChange={setAccount}
          data={[{ value: "", label: "all" }, ...budgetChoices(accounts.data)]}
        />
        {mayAudit ? (
          <Choice
            label="Who"
            value={person}
            onChange={setPerson}
            data={[
              { value: "", label: "anyone" },
              ...(people.data ?? []).map(({ id, name }) => ({ value: id, label: name })),
            ]}
          />
        ) : null}
      </div>
      <Pending of={entries}>
        {({ pages }) => {
          const items = pages.flatMap((page) => page.items);
          if (items.length === 0)
            return isFiltered ? (
              <Empty title="No matching line">No line of this ledger matches the filter.</Empty>
            ) : (
              <Empty title="No lines yet">Every charge is listed here permanently.</Empty>
            );
          return (
            <>
              <DataTable
                caption="Every line contains the hash of the one before it. What was spent is never refunded."
                isStacking
                rows={items}
                keyOf={(entry) => String(entry.number)}
                columns={[
                  { name: "Line", isHead: true, cell: (entry) => `${entry.number}` },
                  { name: "When", cell: (entry) => <span className="nowrap">{momentText(entry.at)}</span> },
                  { name: "What", cell: What },
                  { name: "Who", cell: (entry) => entry.personName ?? <span className="soft">another budget</span> },
                  { name: "ε", isNumber: true, cell: (entry) => <Amount of={entry.cost?.epsilon} /> },
                  { name: "δ", isNumber: true, cell: (entry) => <Amount of={entry.cost?.delta} /> },
                  { name: "μ² before → after", isNumber: true, cell: RemainingMu2 },
                  {
                    name: "Hash",
                    cell: (entry) => (
                      <span className="code">
                        <span className="cut" title={entry.hash}>
                          {entry.hash.slice(0, 10)}…
                        </span>
                        <span className="uncut">{entry.hash}</span>
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
    </div>
  );
}

function What(entry: Entry) {
  if (entry.outside !== null)
    return (
      <>
        made outside: {entry.outside.purpose}
        <span className="soft small">
          {" "}
          {[entry.outside.key, entry.outside.tool, entry.outside.published].filter((text) => text !== null).join(" · ")}
        </span>
      </>
    );
  if (entry.release === null) return kindWords[entry.kind];
  return (
    <Link to="/releases/$release" params={{ release: entry.release }}>
      {kindWords[entry.kind]}
    </Link>
  );
}

function RemainingMu2({ remainingMu2Before, remainingMu2After }: Entry) {
  if (remainingMu2After === null) return <Amount of={null} />;
  const digits = digitsFrom(remainingMu2Before, remainingMu2After);
  return (
    <span className="nowrap">
      {remainingMu2Before === null ? null : (
        <>
          <Amount isRoom of={remainingMu2Before} digits={digits} /> →{" "}
        </>
      )}
      <Amount isRoom of={remainingMu2After} digits={digits} />
    </span>
  );
}
