import type { Dataset, Ledger } from "@dosimeter/client";
import { useAccountTree } from "../api/ledgers.ts";
import { ButtonLink } from "../parts/buttons.tsx";
import { Notice } from "../parts/Notice.tsx";

/** For the admin of a dataset whose ledger is open while no one has budget: the way back into the set-up. */
export function SetUpNotice({ dataset: { id, myRoles }, ledger }: { dataset: Dataset; ledger: Ledger }) {
  // Where something was spent, someone had budget: nothing is asked.
  const mayBeUnshared = myRoles.includes("datasetAdmin") && ledger.balance.used === 0;
  const accounts = useAccountTree(ledger.id, mayBeUnshared);
  if (!mayBeUnshared || accounts.data?.length !== 0) return null;
  return (
    <Notice tone="plain" title="No one has budget yet">
      <p>The set-up stopped at step 3: give budget to a team or a person.</p>
      <ButtonLink to="/datasets/$dataset/open" params={{ dataset: id }} variant="default">
        Continue the set-up
      </ButtonLink>
    </Notice>
  );
}
