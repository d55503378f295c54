import type { Dataset, Ledger } from "@dosimeter/client";
import { Link } from "@tanstack/react-router";
import { useCharges } from "../api/ledgers.ts";
import { Amount } from "../parts/Amount.tsx";
import { More } from "../parts/buttons.tsx";
import { DataTable } from "../parts/DataTable.tsx";
import { Card } from "../parts/Page.tsx";
import { Pending } from "../parts/Pending.tsx";
import { dayText } from "../parts/words.ts";
import { Declaring } from "./Declaring.tsx";
import { ImportPublications } from "./ImportPublications.tsx";
import { Vouched } from "./Vouched.tsx";

/** Programs outside of a ledger: what the guarantee relies on, each charge, who may charge, and what was published before. */
export function Programs({ ledger, dataset }: { ledger: Ledger; dataset: Dataset }) {
  const { mayManage } = ledger.mine;
  const charges = useCharges(dataset.id);
  const isNone = charges.data?.pages[0]?.items.length === 0;
  if (isNone && ledger.outside.programs.length === 0 && !mayManage) return null;
  return (
    <Card title="Made outside">
      <div className="stack">
        <Vouched outside={ledger.outside} />
        <Pending of={charges} lines={2}>
          {({ pages }) =>
            isNone ? (
              <p className="soft flush">No program that runs elsewhere was charged here.</p>
            ) : (
              <>
                <DataTable
                  caption="Charges of programs outside"
                  isStacking
                  rows={pages.flatMap(({ items }) => items)}
                  keyOf={({ id }) => id}
                  columns={[
                    {
                      name: "Charge",
                      isHead: true,
                      cell: ({ id, key }) => (
                        <Link to="/charges/$charge" params={{ charge: id }}>
                          {key}
                        </Link>
                      ),
                    },
                    { name: "When", cell: ({ at }) => dayText(at) },
                    { name: "Who vouches", cell: ({ personName }) => personName },
                    { name: "ε", isNumber: true, cell: ({ price }) => <Amount of={price.epsilon} /> },
                    {
                      name: "Evidence",
                      cell: ({ evidence }) =>
                        evidence === null ? <span className="soft">none</span> : dayText(evidence.at),
                    },
                  ]}
                />
                <More of={charges} />
              </>
            )
          }
        </Pending>
        {mayManage ? <Declaring ledger={ledger.id} /> : null}
        {mayManage && ledger.blocks === undefined ? <ImportPublications ledger={ledger.id} /> : null}
      </div>
    </Card>
  );
}
