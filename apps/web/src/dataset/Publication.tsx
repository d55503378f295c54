import type { Ledger } from "@dosimeter/client";
import { Checkbox } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useChange } from "../api/change.ts";
import { Fault } from "../parts/Pending.tsx";

/** Whether anyone may read the promise. An admin decides; everybody who sees the ledger is told. */
export function Publication({ ledger }: { ledger: Ledger }) {
  const { id, isPublic, population, mine } = ledger;
  const publish = useChange((client, wanted: boolean) => client.setPublication({ ledger: id, isPublic: wanted }));
  const page = (
    <Link to="/public/$population" params={{ population }}>
      the public page
    </Link>
  );
  if (!mine.mayManage && !isPublic) return null;
  return (
    <div className="small" style={{ marginTop: 12 }}>
      {mine.mayManage ? (
        <Checkbox
          label="Anyone may read this promise without signing in"
          description="Sentence, unit, caps, versions and head hash; nobody’s name, and nothing of what was spent."
          checked={publish.isPending ? publish.variables : isPublic}
          disabled={publish.isPending}
          onChange={(event) => publish.mutate(event.currentTarget.checked)}
        />
      ) : null}
      {isPublic ? (
        <p className="soft" style={{ margin: "8px 0 0" }}>
          It stands on {page}.
        </p>
      ) : null}
      {publish.error === null ? null : <Fault error={publish.error} />}
    </div>
  );
}
