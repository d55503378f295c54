import type { Dataset } from "@dosimeter/client";
import { Link } from "@tanstack/react-router";
import { Notice } from "./Notice.tsx";

/** Says which tables hide rows from the connection, and who else has a ledger over the same rows. */
export function Lineage({ dataset: { lineage } }: { dataset: Dataset }) {
  const { rowSecurity = [], sameRows = [] } = lineage ?? {};
  return (
    <>
      {rowSecurity.length === 0 ? null : (
        <Notice tone="warn" title="Some rows may be missing">
          <p>Row-level security of {rowSecurity.join(", ")} decides which rows this server reads.</p>
        </Notice>
      )}
      {sameRows.length === 0 ? null : (
        <Notice tone="warn" title="These rows have another ledger too">
          {sameRows.map(({ dataset, name, reason }, index) => (
            <p key={dataset ?? index}>
              {dataset === null ? (
                "Another dataset"
              ) : (
                <Link to="/datasets/$dataset" params={{ dataset }}>
                  {name}
                </Link>
              )}
              {reason === null ? "" : `: ${reason}`}
            </p>
          ))}
        </Notice>
      )}
    </>
  );
}
