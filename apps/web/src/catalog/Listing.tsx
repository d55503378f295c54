import type { Dataset, Listing as Said } from "@dosimeter/client";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useChange } from "../api/connection.ts";
import { useListing } from "../api/datasets.ts";
import { Form } from "../parts/Form.tsx";
import { Check, LongText } from "../parts/fields.tsx";
import { Fault, Pending } from "../parts/Pending.tsx";
import "./catalog.css";

/** Whether people who cannot see the dataset find it in the catalogue, and what it says there. Its admin decides. */
export function Listing({ dataset }: { dataset: Dataset }) {
  const listing = useListing(dataset.id);
  return (
    <Pending of={listing} lines={3}>
      {(said) =>
        dataset.myRoles.includes("datasetAdmin") ? (
          <Change key={said.description} dataset={dataset} said={said} />
        ) : (
          <p className="soft flush">
            {said.isListed ? <Where dataset={dataset.id} /> : "It is not listed: others see nothing of it."}
          </p>
        )
      }
    </Pending>
  );
}

function Where({ dataset }: { dataset: string }) {
  return (
    <>
      People who cannot see it find it{" "}
      <Link to="/catalog/$dataset" params={{ dataset }}>
        in the catalogue
      </Link>
      .
    </>
  );
}

function Change({ dataset, said }: { dataset: Dataset; said: Said }) {
  const [description, setDescription] = useState(said.description);
  const change = useChange((client, wanted: Partial<Said>) => client.setListing({ dataset: dataset.id, ...wanted }));
  const shown = change.isPending ? { ...said, ...change.variables } : said;
  return (
    <div className="stack gap-12 measured">
      <Check
        label="List it in the catalogue"
        description="Everyone signed in finds its name, the words below and its admins’ names, and can ask for budget. Never its ledger, spending, answers or rows."
        checked={shown.isListed}
        disabled={change.isPending}
        onChange={(isChecked) => change.mutate({ isListed: isChecked })}
      />
      <Check
        label="List its columns too"
        description="Their names, types, labels and descriptions, as declared."
        checked={shown.showsColumns}
        disabled={change.isPending}
        onChange={(isChecked) => change.mutate({ showsColumns: isChecked })}
      />
      <Form
        className="stack gap-12"
        action="Save the description"
        isReady={description !== said.description && !change.isPending}
        variant="default"
        isBusy={change.isPending}
        error={change.error}
        keeps={{ of: `description ${dataset.id}` }}
        onSubmit={() => change.mutate({ description })}
      >
        <LongText
          label="Description"
          description="What it holds, and for whom it is. People read this before they ask."
          maxLength={2000}
          value={description}
          onChange={setDescription}
        />
      </Form>
      {shown.isListed ? (
        <p className="soft small flush">
          {dataset.ledger === null ? "It appears once its ledger is open." : <Where dataset={dataset.id} />}
        </p>
      ) : null}
      <Fault error={change.error} />
    </div>
  );
}
