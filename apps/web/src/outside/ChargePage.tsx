import type { Dataset, Input } from "@dosimeter/client";
import { Button, NativeSelect, Textarea, TextInput } from "@mantine/core";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { useChange } from "../api/connection.ts";
import { useDataset } from "../api/datasets.ts";
import { Amount } from "../parts/Amount.tsx";
import { Notice } from "../parts/Notice.tsx";
import { Card, DatasetCrumbs, Page } from "../parts/Page.tsx";
import { Empty, Fault, PendingPage } from "../parts/Pending.tsx";
import { eventsIn, type Mechanism, mechanisms } from "./mechanisms.ts";

const route = getRouteApi("/datasets/$dataset/charge");

/** Charges a program that runs elsewhere, before it runs: its price first, its permit afterwards. */
export function ChargePage() {
  const dataset = useDataset(route.useParams().dataset);
  return (
    <PendingPage of={dataset} name="Charge a program">
      {(data) => (
        <Page
          title="Charge a program"
          crumbs={<DatasetCrumbs id={data.id} name={data.name} />}
          lead="A notebook or a training elsewhere spends from the same budget. State what its own proof says it costs, before it runs: nothing is given back, and you vouch that it did what you state."
        >
          {data.accounts.length === 0 ? (
            <Empty title="No budget of yours">Ask for one first: a program is charged to a budget that you hold.</Empty>
          ) : (
            <ChargeForm dataset={data} />
          )}
        </Page>
      )}
    </PendingPage>
  );
}

type Stated = Input<"declareCharge">;

const nothing = { key: "", purpose: "", tool: "", rows: "1", on: "", where: "" };

function ChargeForm({ dataset }: { dataset: Dataset }) {
  const [account, setAccount] = useState(dataset.accounts[0]?.id ?? "");
  const [mechanism, setMechanism] = useState<Mechanism>("dpSgd");
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const [relation, setRelation] = useState<Stated["relation"]>("add-or-remove-one");
  const [facts, setFacts] = useState(nothing);
  const quote = useChange((client, stated: Stated) => client.quoteCharge(stated));
  const charge = useChange((client, stated: Stated) => client.declareCharge(stated));
  const { fields, hint } = mechanisms[mechanism];
  const read = eventsIn(mechanism, values);
  const [name = "", version = ""] = facts.tool.split("@");
  const stated: Stated | null =
    read === null
      ? null
      : {
          ...{ account, dataset: dataset.id, events: read as Stated["events"], relation },
          ...{ key: facts.key, purpose: facts.purpose, rowsPerUnit: Math.max(1, Math.trunc(Number(facts.rows)) || 1) },
          ...(name === "" || version === "" ? {} : { tool: { name, version } }),
          ...(facts.on === "" ? {} : { published: { on: facts.on, where: facts.where } }),
        };
  const fact = (field: keyof typeof nothing, label: string, description?: string) => (
    <TextInput
      label={label}
      description={description}
      value={facts[field]}
      onChange={({ currentTarget: { value } }) => setFacts((now) => ({ ...now, [field]: value }))}
    />
  );
  const isWhole = stated !== null && facts.key !== "" && facts.purpose !== "";
  return (
    <div className="stack">
      <Card title="What runs">
        <div className="stack">
          <NativeSelect
            label="Budget"
            value={account}
            onChange={({ currentTarget: { value } }) => setAccount(value)}
            data={dataset.accounts.map(({ id, path }) => ({ value: id, label: path.join(" › ") }))}
          />
          <NativeSelect
            label="Mechanism"
            description={hint}
            value={mechanism}
            onChange={({ currentTarget: { value } }) => {
              setMechanism(value as Mechanism);
              setValues({});
            }}
            data={Object.entries(mechanisms).map(([value, { label }]) => ({ value, label }))}
          />
          {fields.map(([field, label]) => {
            const Field = field === "events" ? Textarea : TextInput;
            return (
              <Field
                key={`${mechanism} ${field}`}
                label={label}
                value={values[field] ?? ""}
                onChange={({ currentTarget: { value } }) => setValues((now) => ({ ...now, [field]: value }))}
              />
            );
          })}
          <NativeSelect
            label="Its proof is for"
            value={relation}
            onChange={({ currentTarget: { value } }) => setRelation(value as Stated["relation"])}
            data={[
              { value: "add-or-remove-one", label: "one record added or removed" },
              { value: "replace-one", label: "one record replaced by another" },
            ]}
          />
          {fact("rows", "Rows of one person", "The most that the numbers above were computed for")}
        </div>
      </Card>
      <Card title="What it is for">
        <div className="stack">
          {fact(
            "key",
            "Key",
            "The name of this run: charged once. Chunks share what is before a slash, train-7/epoch-3",
          )}
          {fact("purpose", "Purpose")}
          {fact("tool", "Tool", "Name and version: OpenDP@0.16.0")}
          {mechanism === "published" ? fact("on", "Published on", "2024-05-01") : null}
          {mechanism === "published" ? fact("where", "Where") : null}
        </div>
      </Card>
      <Card title="Price">
        <div className="stack" aria-live="polite">
          {quote.data === undefined ? null : (
            <p>
              {quote.data.price === null ? null : (
                <>
                  ε <Amount of={quote.data.price.epsilon} />, δ <Amount of={quote.data.price.delta} />, μ²{" "}
                  <Amount of={quote.data.price.mu2} />.{" "}
                </>
              )}
              {quote.data.why ?? "It fits."}
            </p>
          )}
          {quote.error === null ? null : <Fault error={quote.error} />}
          {charge.error === null ? null : <Fault error={charge.error} />}
          <div className="row">
            <Button
              variant="default"
              disabled={stated === null}
              loading={quote.isPending}
              onClick={() =>
                stated !== null &&
                quote.mutate({ ...stated, key: facts.key || "quote", purpose: facts.purpose || "quote" })
              }
            >
              Show the price
            </Button>
            <Button
              disabled={!isWhole}
              loading={charge.isPending}
              onClick={() => stated !== null && charge.mutate(stated)}
            >
              Charge
            </Button>
          </div>
          {charge.data === undefined ? null : (
            <Notice tone="plain" title={`Charged, line ${charge.data.charge.entry.number} of the ledger`}>
              <p>Give the program this permit as DOSIMETER_PERMIT; whoever opens the data can check it.</p>
              <Textarea aria-label="Permit" readOnly rows={6} value={charge.data.permit} />
            </Notice>
          )}
        </div>
      </Card>
    </div>
  );
}
