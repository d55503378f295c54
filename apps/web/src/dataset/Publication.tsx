import type { Ledger } from "@dosimeter/client";
import { Link } from "@tanstack/react-router";
import { useChange } from "../api/change.ts";
import { Check } from "../parts/fields.tsx";
import { Fault } from "../parts/Pending.tsx";

/** Whether the guarantee is public. An admin decides; the choice is shown to all who see the ledger. */
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
    <div className="small below-12">
      {mine.mayManage ? (
        <Check
          label="Anyone can read this guarantee without signing in"
          description="It shows the guarantee, the unit, caps, versions and the head hash. It shows no names and no spending."
          checked={publish.isPending ? publish.variables : isPublic}
          disabled={publish.isPending}
          onChange={(isChecked) => publish.mutate(isChecked)}
        />
      ) : null}
      {isPublic ? <p className="soft flush below-8">It stands on {page}.</p> : null}
      <Fault error={publish.error} />
    </div>
  );
}
