import { Link } from "@tanstack/react-router";
import { useAccess, useAccountTree } from "../api.ts";
import { Amount } from "../parts/Amount.tsx";
import { DataTable } from "../parts/DataTable.tsx";
import { Pending } from "../parts/Pending.tsx";

interface Row {
  readonly key: string;
  readonly who: string;
  readonly what: string;
  readonly quota: string | null;
  readonly left: string | null;
  readonly leftDelta: string | null;
}

const roleWords = { datasetAdmin: "administers it", auditor: "audits it" } as const;

/** Who can do what with this dataset, as far as I can see it: roles first, then those who hold an account. */
export function Access({ dataset, ledger }: { dataset: string; ledger: string | null }) {
  const access = useAccess(dataset);
  const accounts = useAccountTree(ledger ?? "", ledger !== null);
  return (
    <Pending of={access} lines={3}>
      {(roles) => {
        const rows: Row[] = [
          ...roles.map(({ person, personName, role }) => ({
            key: `${role} ${person}`,
            who: personName,
            what: roleWords[role],
            quota: null,
            left: null,
            leftDelta: null,
          })),
          ...(accounts.data ?? [])
            .filter(({ status }) => status !== "closed")
            .map(({ id, path, status, quota, balance, kind }) => ({
              key: id,
              who: path.join(" › "),
              what:
                status === "frozen" ? "may not spend now: frozen" : kind === "cap" ? "may spend, capped" : "may spend",
              quota: quota.epsilon,
              left: balance.epsilon.left,
              leftDelta: balance.delta.left,
            })),
        ];
        return (
          <>
            <DataTable
              caption="Who has access. Everybody else sees nothing of it, not even that it exists."
              isStacking
              rows={rows}
              keyOf={({ key }) => key}
              columns={[
                { name: "Who", isHead: true, cell: ({ who }) => who },
                { name: "May", cell: ({ what }) => what },
                { name: "Quota ε", isNumber: true, cell: ({ quota }) => <Amount of={quota} /> },
                { name: "Left ε", isNumber: true, cell: ({ left }) => <Amount of={left} /> },
                { name: "Left δ", isNumber: true, cell: ({ leftDelta }) => <Amount of={leftDelta} /> },
              ]}
            />
            <p className="small" style={{ margin: "10px 0 0" }}>
              <Link to="/requests/new" search={{ dataset }}>
                Ask for access or more quota
              </Link>
            </p>
          </>
        );
      }}
    </Pending>
  );
}
