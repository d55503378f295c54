import type { Dataset, Ledger } from "@dosimeter/client";
import { Button } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useChange } from "../../api/connection.ts";
import { useAccess, useListing } from "../../api/datasets.ts";
import { declarationOf } from "../../api/declaration.ts";
import { useAccountTree, useAmendments, useLedger } from "../../api/ledgers.ts";
import { Listing } from "../../catalog/Listing.tsx";
import { declaredNoun } from "../../new-dataset/size.ts";
import { Confirm } from "../../parts/Dialog.tsx";
import { Check } from "../../parts/fields.tsx";
import { Card } from "../../parts/Page.tsx";
import { Fault, Pending, Together } from "../../parts/Pending.tsx";
import { Access } from "../Access.tsx";
import { Amendments } from "../Amendments.tsx";
import { Frozen } from "../Frozen.tsx";
import { RuleSettings } from "../RuleSettings.tsx";

/** Deletes the uploaded tables of a dataset permanently; for its admins. */
function EraseUploads({ dataset, name }: { dataset: string; name: string }) {
  const [isAsking, setIsAsking] = useState(false);
  const erase = useChange((client) => client.eraseUploads({ dataset }));
  return (
    <div className="stack gap-8">
      <div>
        <Button variant="default" color="red" onClick={() => setIsAsking(true)}>
          Erase the uploads
        </Button>
      </div>
      {erase.data === undefined ? null : (
        <p className="flush" role="status">
          Deleted: {erase.data.files}.
        </p>
      )}
      {isAsking ? (
        <Confirm
          title={`Erase the uploads of ${name}`}
          action="Erase for good"
          change={erase}
          onClose={() => setIsAsking(false)}
          onConfirm={() => erase.mutate(undefined, { onSuccess: () => setIsAsking(false) })}
        >
          The uploaded tables of all its versions are deleted, and nothing can be released from them any more. The
          ledger, what was spent, and every answer stay. Backups keep the tables until they are deleted.
        </Confirm>
      ) : null}
    </div>
  );
}

/** Whether the guarantee is public. An admin decides; the choice is shown to all who see the ledger. */
function Publication({ ledger }: { ledger: Ledger }) {
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
          description="It shows the guarantee, the unit, caps, versions, the head hash, and what it relies on outside: of publications that an admin counted the day, place and tool, as typed. It shows nothing that who spends has typed, no one’s name, and no spending."
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
