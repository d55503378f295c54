import type { Dataset } from "@dosimeter/client";
import { useAccess, useListing } from "../api/datasets.ts";
import { useAccountTree } from "../api/ledgers.ts";
import { Amount } from "../parts/Amount.tsx";
import { DataTable } from "../parts/DataTable.tsx";
import { Pending } from "../parts/Pending.tsx";

interface Row {
  readonly key: string;
  readonly who: string;
  readonly what: string;
  readonly quota: string | null;
  readonly free: string | null;
  readonly freeDelta: string | null;
}

const roleWords = { datasetAdmin: "administers it", auditor: "audits it" } as const;
/** Only people and their purposes are charged; a team divides its account among its members. */
const mayWords = {
  person: "can spend",
  purpose: "can spend",
  team: "divides it among its people",
  dataset: "divides it",
} as const;

/** Who can do what with this dataset, as far as I can see it: roles first, then those who hold an account. */
export function Access({ dataset: { id: dataset, ledger, myRoles } }: { dataset: Dataset }) {
  const access = useAccess(dataset);
  const accounts = useAccountTree(ledger?.id ?? "", ledger !== null);
  const isListed = useListing(dataset).data?.isListed === true;
  const isWhole = myRoles.includes("datasetAdmin") || myRoles.includes("auditor");
  return (
    <Pending of={access} lines={3}>
      {(roles) => {
        const rows: Row[] = [
          ...roles.map(({ person, personName, role }) => ({
            key: `${role} ${person}`,
            who: personName,
            what: roleWords[role],
            quota: null,
            free: null,
            freeDelta: null,
          })),
          ...(accounts.data ?? [])
            .filter(({ status }) => status !== "closed")
            .map(({ id, path, status, quota, free, kind, holder }) => ({
              key: id,
              who: path.join(" › "),
              what:
                status === "active"
                  ? `${mayWords[holder.kind]}${kind === "cap" ? ", capped" : ""}`
                  : `cannot spend now: ${status}`,
              quota: quota.epsilon,
              free: free.epsilon,
              freeDelta: free.delta,
            })),
        ];
        return (
          <DataTable
            caption={
              isWhole
                ? `Who has access. ${isListed ? "Others see only its entry in the catalogue." : "Others cannot see that it exists."}`
                : "Who has access, as far as you can see. Only admins and auditors see other people’s budgets."
            }
            isStacking
            rows={rows}
            keyOf={({ key }) => key}
            columns={[
              { name: "Who", isHead: true, cell: ({ who }) => who },
              { name: "May", cell: ({ what }) => what },
              { name: "Budget ε", isNumber: true, cell: ({ quota }) => <Amount isRoom of={quota} /> },
              { name: "Free ε", isNumber: true, cell: ({ free }) => <Amount isRoom of={free} /> },
              { name: "Free δ", isNumber: true, cell: ({ freeDelta }) => <Amount isRoom of={freeDelta} /> },
            ]}
          />
        );
      }}
    </Pending>
  );
}
