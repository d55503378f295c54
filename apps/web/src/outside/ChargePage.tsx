import type { Dataset, Input, Output } from "@dosimeter/client";
import { PrivacyError } from "@dosimeter/core";
import { checkDeclaration, unitNounOf } from "@dosimeter/query/declaration";
import { Button, NativeSelect, Textarea, TextInput } from "@mantine/core";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useRef, useState } from "react";
import { useChange } from "../api/connection.ts";
import { useDataset } from "../api/datasets.ts";
import { useDeclaring } from "../api/ledgers.ts";
import { Amount } from "../parts/Amount.tsx";
import { toClipboard } from "../parts/browser.ts";
import { ButtonLink } from "../parts/buttons.tsx";
import { NumberField } from "../parts/fields.tsx";
import { Notice } from "../parts/Notice.tsx";
import { numberOf, WHOLE } from "../parts/number-text.ts";
import { Card, DatasetCrumbs, Page } from "../parts/Page.tsx";
import { Empty, Fault, PendingPage, sentence } from "../parts/Pending.tsx";
import { useTyped } from "../parts/use-typed.tsx";
import { budgetChoices } from "../parts/words.ts";
import { CostText } from "./CostText.tsx";
import { eventsIn, type Mechanism, mechanisms } from "./mechanisms.ts";
import { relations } from "./words.ts";

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
          {payersOf(data).length === 0 ? (
            <Empty
              title="No budget of yours"
              action={
                <ButtonLink to="/requests/new" search={{ dataset: data.id }}>
                  Ask for budget
                </ButtonLink>
              }
            >
              A program is charged to a budget that you hold.
            </Empty>
          ) : (
            <ChargeForm dataset={data} />
          )}
        </Page>
      )}
    </PendingPage>
  );
}

type Stated = Input<"declareCharge">;

const nothing = { key: "", purpose: "", tool: "", rows: "1", on: "", where: "", from: "", to: "" };

const payersOf = ({ accounts }: Dataset) => accounts.filter(({ mine }) => mine.mayRelease);

/** Name and version; null for what is neither empty nor both. */
function toolOf(text: string): { readonly tool?: NonNullable<Stated["tool"]> } | null {
  if (text.trim() === "") return {};
  const [, name, version] = /^([^@]+)@([^@]+)$/.exec(text.trim()) ?? [];
  return name === undefined || version === undefined ? null : { tool: { name, version } };
}

function ChargeForm({ dataset }: { dataset: Dataset }) {
  const [account, setAccount] = useState(payersOf(dataset)[0]?.id ?? "");
  const [mechanism, setMechanism] = useState<Mechanism>("dpSgd");
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const [relation, setRelation] = useState<Stated["relation"]>("add-or-remove-one");
  const [facts, setFacts] = useState(nothing);
  const quote = useChange((client, asked: Input<"quoteCharge">) => client.quoteCharge(asked));
  const charge = useChange((client, stated: Stated) => client.declareCharge(stated));
  const form = useRef<HTMLFormElement>(null);
  const keeps = { of: `program on ${dataset.id}`, name: `A program on ${dataset.name}` };
  const back = useTyped(form, keeps, { isBusy: charge.isPending, error: charge.error });
  const blocks = dataset.ledger?.blocks ?? undefined;
  const read = eventsIn(mechanism, values);
  const rows = numberOf(facts.rows, WHOLE);
  const tool = toolOf(facts.tool);
  const stated: Stated | null =
    read === null || tool === null || !Number.isFinite(rows) || (blocks !== undefined && facts.from === "")
      ? null
      : {
          ...{ account, dataset: dataset.id, events: read as Stated["events"], relation, rowsPerUnit: rows },
          ...{ key: facts.key, purpose: facts.purpose, ...tool },
          ...(facts.from === "" ? {} : { from: facts.from }),
          ...(facts.to === "" ? {} : { to: facts.to }),
          ...(mechanism === "published" ? { published: { on: facts.on, where: facts.where } } : {}),
        };
  const asked = stated === null ? null : quoteOf(stated);
  const isAsked = asked !== null && JSON.stringify(asked) === JSON.stringify(quote.variables);
  const price = isAsked ? quote.data : undefined;
  const fact = (field: keyof typeof nothing, label: string, description?: string, error?: string) => (
    <TextInput
      autoComplete="off"
      error={error}
      label={label}
      description={description}
      value={facts[field]}
      onChange={({ currentTarget: { value } }) => setFacts((now) => ({ ...now, [field]: value }))}
    />
  );
  const isCharged = charge.data !== undefined && JSON.stringify(charge.variables) === JSON.stringify(stated);
  const mayCharge = price?.fits === true && facts.key !== "" && facts.purpose !== "" && !isCharged;
  return (
    <form
      ref={form}
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        if (asked !== null) quote.mutate(asked);
      }}
    >
      {back}
      <Right dataset={dataset} account={account} />
      <Card title="What runs">
        <div className="stack">
          <NativeSelect
            label="Budget"
            value={account}
            onChange={({ currentTarget: { value } }) => setAccount(value)}
            data={budgetChoices(payersOf(dataset))}
          />
          <NativeSelect
            label="Mechanism"
            description={mechanisms[mechanism].hint}
            value={mechanism}
            onChange={({ currentTarget: { value } }) => setMechanism(value as Mechanism)}
            data={Object.entries(mechanisms).map(([value, { label }]) => ({ value, label }))}
          />
          <MechanismFields
            of={mechanism}
            values={values}
            isRead={read !== null}
            onChange={(field, to) => setValues((now) => ({ ...now, [field]: to }))}
          />
          <NativeSelect
            label="Its proof is for"
            value={relation}
            onChange={({ currentTarget: { value } }) => setRelation(value as Stated["relation"])}
            data={Object.entries(relations).map(([value, label]) => ({ value, label }))}
          />
          <NumberField
            label={`Rows of one ${unitNounOf(checkDeclaration(dataset.declaration)).one}`}
            description="The most that the numbers above were computed for"
            wish={WHOLE}
            value={facts.rows}
            onChange={(to) => setFacts((now) => ({ ...now, rows: to }))}
          />
          {blocks === undefined ? null : fact("from", `First ${blocks.every}`, "Each one that the program reads pays")}
          {blocks === undefined ? null : fact("to", `Last ${blocks.every}`, "Empty: only the first")}
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
          {fact(
            "tool",
            "Tool (optional)",
            "Name and version: OpenDP@0.16.0",
            tool === null ? "This has no version, must be like OpenDP@0.16.0." : undefined,
          )}
          {mechanism === "published" ? fact("on", "Published on", "2024-05-01") : null}
          {mechanism === "published" ? fact("where", "Where") : null}
        </div>
      </Card>
      <Card title="Price">
        <div className="stack" aria-live="polite">
          {isAsked && quote.error !== null ? null : price === undefined ? (
            <p className="soft">
              {asked === null ? "State what runs, then ask for its price" : "Ask for the price first"}: that costs
              nothing.
            </p>
          ) : (
            <Priced of={price} isNamed={facts.key !== "" && facts.purpose !== ""} />
          )}
          {quote.error === null || !isAsked ? null : <Fault error={quote.error} />}
          <Refused error={charge.error} dataset={dataset} />
          <div className="row gap-8">
            <Button variant="default" type="submit" disabled={asked === null} loading={quote.isPending}>
              Show the price
            </Button>
            <Button
              disabled={!mayCharge}
              loading={charge.isPending}
              onClick={() => stated !== null && charge.mutate(stated)}
            >
              Charge
            </Button>
          </div>
          {charge.data === undefined ? null : (
            <Charged
              number={charge.data.charge.entry.number}
              id={charge.data.charge.id}
              name={charge.data.charge.key}
              permit={charge.data.permit}
            />
          )}
        </div>
      </Card>
    </form>
  );
}

function MechanismFields({
  of,
  values,
  isRead,
  onChange,
}: {
  of: Mechanism;
  values: Readonly<Record<string, string>>;
  isRead: boolean;
  onChange: (field: string, to: string) => void;
}) {
  return mechanisms[of].fields.map(([field, label, wish]) => {
    const text = values[field] ?? "";
    const type = (to: string) => onChange(field, to);
    const key = `${of} ${field}`;
    return wish === null ? (
      <Textarea
        {...{ label, value: text }}
        key={key}
        autosize
        minRows={3}
        error={text !== "" && !isRead ? "This is not a list of events yet." : undefined}
        onChange={({ currentTarget: { value } }) => type(value)}
      />
    ) : (
      <NumberField {...{ label, value: text }} key={key} wish={wish} onChange={type} />
    );
  });
}

function Priced({ of: { price, why, fits, made }, isNamed }: { of: Output<"quoteCharge">; isNamed: boolean }) {
  return (
    <p>
      {price === null ? null : (
        <>
          <CostText of={price} />.{" "}
        </>
      )}
      {why === undefined ? "It fits." : sentence(why)}
      {made === null ? null : (
        <>
          {" "}
          <Link to="/charges/$charge" params={{ charge: made }}>
            The charge and its permit
          </Link>
        </>
      )}
      {fits && !isNamed ? " To charge it, give it a key and a purpose." : null}
    </p>
  );
}

function Refused({ error, dataset }: { error: unknown; dataset: Dataset }) {
  if (!(error instanceof PrivacyError) || error.code !== "CONFIRMATION_NEEDED") return <Fault error={error} />;
  return (
    <>
      <Fault error={error} />
      <p>
        It waits for an admin of {dataset.name}:{" "}
        <Link to="/requests" search={{ box: "submitted" }}>
          see what was decided
        </Link>
        .
      </p>
    </>
  );
}

/** With its words, as far as they are there: a key that was charged answers as it did, and a second person states the same ones. */
const quoteOf = ({ purpose, key, ...stated }: Stated): Input<"quoteCharge"> =>
  key === "" ? stated : { ...stated, key, ...(purpose === "" ? {} : { purpose }) };

/** Whether this budget may pay at all, and the most at once, before anything is filled in. */
function Right({ dataset, account }: { dataset: Dataset; account: string }) {
  const { data: right } = useDeclaring(account);
  const holder = dataset.accounts.find(({ id }) => id === account)?.path.at(-1) ?? "";
  if (right === undefined) return null;
  if (right.mostEpsilon === null)
    return (
      <Notice tone="warn" title="This budget may not pay for programs yet">
        <p>
          Prices are shown. An admin of {dataset.name} gives {holder} the right{" "}
          <Link to="/datasets/$dataset" params={{ dataset: dataset.id }} search={{ tab: "ledger" }}>
            among what was made outside
          </Link>
          .
        </p>
      </Notice>
    );
  return (
    <p className="soft">
      One charge may take at most <Amount of={right.mostEpsilon} unit="ε" isRoom />
      {right.secondAbove === null ? null : (
        <>
          ; above <Amount of={right.secondAbove} unit="ε" isRoom /> an admin of {dataset.name} approves it first
        </>
      )}
      .
    </p>
  );
}

function Charged({ number, id, name, permit }: { number: number; id: string; name: string; permit: string }) {
  const [isCopied, setCopied] = useState<boolean | null>(null);
  return (
    <Notice tone="good" title={`${name} is charged, line ${number} of the ledger`}>
      <p>
        Give the program this permit as DOSIMETER_PERMIT; whoever opens the data can check it. Once it has run,{" "}
        <Link to="/charges/$charge" params={{ charge: id }}>
          attach what shows it
        </Link>
        .
      </p>
      <Textarea
        aria-label="Permit"
        readOnly
        rows={6}
        value={permit}
        onFocus={(event) => event.currentTarget.select()}
      />
      <p className="page-actions">
        <Button variant="default" onClick={() => void toClipboard(permit).then(setCopied)}>
          {isCopied === null ? "Copy the permit" : isCopied ? "Copied" : "Select it and copy"}
        </Button>
      </p>
    </Notice>
  );
}
