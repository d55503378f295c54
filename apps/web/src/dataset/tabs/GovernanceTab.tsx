import type { Dataset, Ledger } from "@dosimeter/client";
import { useAccountTree } from "../../api/accounts.ts";
import { useAmendments } from "../../api/amendments.ts";
import { useListing } from "../../api/catalog.ts";
import { useAccess } from "../../api/datasets.ts";
import { declarationOf } from "../../api/declaration.ts";
import { useLedger } from "../../api/ledgers.ts";
import { Listing } from "../../catalog/Listing.tsx";
import { declaredNoun } from "../../new-dataset/size.ts";
import { Card } from "../../parts/Page.tsx";
import { Pending, Together } from "../../parts/Pending.tsx";
import { Access } from "../Access.tsx";
import { Amendments } from "../Amendments.tsx";
import { EraseUploads } from "../EraseUploads.tsx";
import { Frozen } from "../Frozen.tsx";
import { Publication } from "../Publication.tsx";
import { RuleSettings } from "../RuleSettings.tsx";

/** Who decides: roles and accounts, the versions of the guarantee, and the rules of the ledger. */
export function GovernanceTab({ dataset }: { dataset: Dataset }) {
  const { id = "" } = dataset.ledger ?? {};
  const isOpen = id !== "";
  const ledger = useLedger(id, isOpen);
  const tree = useAccountTree(id, isOpen);
  const others = [useAccess(dataset.id), useListing(dataset.id), ...(isOpen ? [ledger, tree] : [])];
  return (
    <Together of={others}>
      <div className="stack">
        <Card title="Access">
          <Access dataset={dataset} />
        </Card>
        <Card title="Catalogue">
          <Listing dataset={dataset} />
        </Card>
        {isOpen ? <Pending of={ledger}>{(open) => <OfLedger ledger={open} dataset={dataset} />}</Pending> : null}
      </div>
    </Together>
  );
}

function OfLedger({ ledger, dataset }: { ledger: Ledger; dataset: Dataset }) {
  const size = declarationOf(dataset)?.size;
  const people = size === undefined ? null : "public" in size ? size.public : size.assumed;
  return (
    <Together of={[useAmendments(ledger.id)]}>
      <Card title="Amendments">
        <Amendments ledger={ledger} people={people} noun={declaredNoun(dataset)} />
      </Card>
      {ledger.mine.mayManage || ledger.isPublic || ledger.status === "frozen" ? (
        <Card title="Rules and publication">
          <div className="stack">
            <Frozen ledger={ledger} />
            <Publication ledger={ledger} />
            {ledger.mine.mayManage ? <RuleSettings ledger={ledger} dataset={dataset.id} /> : null}
            {ledger.mine.mayManage ? <EraseUploads dataset={dataset.id} name={dataset.name} /> : null}
          </div>
        </Card>
      ) : null}
    </Together>
  );
}
