import type { Dataset, Input } from "@dosimeter/client";
import { DEFAULT_RULE, type Rule, ruleNames, ruleRow } from "@dosimeter/core";
import { formatDecimal } from "@dosimeter/plot";
import { deltaWarning } from "@dosimeter/query";
import { Button, Checkbox, Radio } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useChange } from "../api/change.ts";
import { useDataset } from "../api/datasets.ts";
import { useLedgerPreview } from "../api/ledgers.ts";
import { ImportLedger } from "../dataset/ImportLedger.tsx";
import { Amount } from "../parts/Amount.tsx";
import { ButtonLink } from "../parts/ButtonLink.tsx";
import { Notice } from "../parts/Notice.tsx";
import { NumberField } from "../parts/NumberField.tsx";
import { DELTA, EPSILON, isTyped, numberOf, plainOf } from "../parts/number-text.ts";
import { Card, Facts, Page } from "../parts/Page.tsx";
import { Fault, PendingPage } from "../parts/Pending.tsx";
import { isMore } from "../sums.ts";
import { ChooseEpsilon } from "./ChooseEpsilon.tsx";
import { declaredSize } from "./size.ts";

const route = getRouteApi("/datasets/$dataset/open");

/** Opens the ledger of a dataset's people: lifetime, rule, ceiling, the sentence that will be true, and the decision. */
export function OpenLedgerPage() {
  const { dataset: id } = route.useParams();
  const dataset = useDataset(id);
  return (
    <PendingPage of={dataset} name="Open a ledger">
      {(data) => <Shown dataset={data} />}
    </PendingPage>
  );
}

function Shown({ dataset }: { dataset: Dataset }) {
  const isAdmin = dataset.myRoles.includes("datasetAdmin");
  const back = (
    <ButtonLink to="/datasets/$dataset" params={{ dataset: dataset.id }} variant="default">
      Go to {dataset.name}
    </ButtonLink>
  );
  return (
    <Page
      title={`Open the ledger of ${dataset.name}`}
      crumbs={
        <>
          <Link to="/datasets">Datasets</Link> ›{" "}
          <Link to="/datasets/$dataset" params={{ dataset: dataset.id }}>
            {dataset.name}
          </Link>
        </>
      }
      lead="The lifetime budget bounds everything that will ever be released about these people, by anyone."
    >
      {dataset.ledger !== null ? (
        <Notice tone="good" title="The ledger is open">
          <p>Only an amendment can change its caps.</p>
          {back}
        </Notice>
      ) : isAdmin ? (
        <div className="stack">
          <Terms dataset={dataset} />
          <ImportLedger dataset={dataset.id} />
        </div>
      ) : (
        <Notice tone="warn" title="Only a dataset admin can open it">
          <p>Ask the admin of {dataset.name}.</p>
          {back}
        </Notice>
      )}
    </Page>
  );
}

/** The usual rule first. */
const rules = [DEFAULT_RULE, ...ruleNames.filter((name) => name !== DEFAULT_RULE)];

function Terms({ dataset }: { dataset: Dataset }) {
  const navigate = useNavigate();
  const [epsilon, setEpsilon] = useState("");
  const [delta, setDelta] = useState("0.000001");
  const [rule, setRule] = useState<Rule>(DEFAULT_RULE);
  const [policy, setPolicy] = useState(false);
  const [ceiling, setCeiling] = useState<string | null>(null);
  const [isRead, setRead] = useState(false);
  const people = declaredSize(dataset);
  const isLow =
    ceiling !== null &&
    isTyped(ceiling, EPSILON) &&
    isTyped(epsilon, EPSILON) &&
    isMore(plainOf(epsilon, EPSILON), plainOf(ceiling, EPSILON));
  const isCeilingGood = ceiling === null || (isTyped(ceiling, EPSILON) && !isLow);
  const isGood = isTyped(epsilon, EPSILON) && isTyped(delta, DELTA) && isCeilingGood;
  const terms = {
    dataset: dataset.id,
    epsilon: plainOf(epsilon, EPSILON),
    delta: plainOf(delta, DELTA),
    rule,
    ...(ceiling === null ? {} : { ceiling: { epsilon: plainOf(ceiling, EPSILON), delta: plainOf(delta, DELTA) } }),
  };
  const [settled] = useDebouncedValue(isGood ? JSON.stringify(terms) : "", 250);
  const open = useChange((client) =>
    client.openLedger({ ...terms, ...(ruleRow(rule).switchesTo !== null && policy ? { policy: "auto" } : {}) }),
  );
  const isAsked = settled !== "" && !open.isPending && !open.isSuccess;
  const preview = useLedgerPreview(isAsked ? (JSON.parse(settled) as Input<"previewLedger">) : null);
  const changed =
    <T,>(set: (value: T) => void) =>
    (value: T) => {
      setRead(false); // another sentence: read it again
      set(value);
    };
  const warning =
    people === undefined || !isTyped(delta, DELTA) ? undefined : deltaWarning(numberOf(delta, DELTA), people);
  const isShown = isGood && settled === JSON.stringify(terms) && preview.data !== undefined && !preview.isFetching;
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        if (!isShown || !isRead) return;
        // A promise, because this form disappears as soon as the dataset has its ledger.
        open.mutateAsync(undefined).then(
          () => navigate({ to: "/datasets/$dataset", params: { dataset: dataset.id } }),
          () => undefined, // shown from `open.error`
        );
      }}
    >
      <Card title="Lifetime">
        <div className="stack" style={{ maxWidth: 680 }}>
          <NumberField
            label="ε"
            wish={EPSILON}
            description="All answers together. There is no refund and no reset."
            value={epsilon}
            onChange={changed(setEpsilon)}
          />
          <NumberField
            label="δ"
            wish={DELTA}
            description={
              people === undefined
                ? "At most 1 divided by the number of people."
                : `At most 1/${formatDecimal(String(people))}, the declared size.`
            }
            value={delta}
            onChange={changed(setDelta)}
          />
          {warning === undefined ? null : (
            <Notice tone="warn" title="δ is above 1/n">
              <p>{warning}</p>
            </Notice>
          )}
          <Radio.Group label="Rule" value={rule} onChange={(value) => changed(setRule)(value as Rule)}>
            <div className="choices">
              {rules.map((name) => (
                <Radio key={name} value={name} label={ruleRow(name).words.offer} />
              ))}
            </div>
          </Radio.Group>
          {ruleRow(rule).switchesTo === null ? null : (
            <Checkbox
              label="Switch automatically, at the first charge that fits only the tight rule"
              checked={policy}
              onChange={(event) => setPolicy(event.currentTarget.checked)}
            />
          )}
          <Checkbox
            label="Declare a ceiling above the lifetime budget"
            description="The lifetime budget can later be raised up to the ceiling without conditions. The guarantee then promises the ceiling."
            checked={ceiling !== null}
            onChange={(event) => changed(setCeiling)(event.currentTarget.checked ? epsilon : null)}
          />
          {ceiling === null ? null : (
            <NumberField
              label="Ceiling ε"
              wish={EPSILON}
              value={ceiling}
              fault={isLow ? "This is below the lifetime ε, must be at least that." : undefined}
              onChange={changed(setCeiling)}
            />
          )}
        </div>
      </Card>
      <ChooseEpsilon people={people} delta={delta} epsilon={epsilon} />
      <section className="card guarantee" aria-label="The sentence" aria-live="polite">
        <div className="card-head">
          <h2>What will be promised</h2>
        </div>
        {preview.error !== null && isGood ? <Fault error={preview.error} /> : null}
        {preview.data === undefined || !isGood ? (
          <p className="soft" style={{ margin: 0 }}>
            {epsilon.trim() === "" || isGood
              ? "Enter ε and δ to see the guarantee."
              : "Correct the marked fields to see the guarantee."}
          </p>
        ) : (
          <div className="stack">
            <blockquote>{preview.data.sentence}</blockquote>
            <Facts
              of={{
                "δ for composition": <Amount of={preview.data.deltaFilter} />,
                "δ for selections": <Amount of={preview.data.deltaSelection} />,
                "μ² at opening": <Amount of={preview.data.muSquared} />,
              }}
            />
          </div>
        )}
      </section>
      <Card>
        <div className="stack">
          <Checkbox
            label="I have read the guarantee. It is promised to these people permanently."
            checked={isRead}
            disabled={!isShown}
            onChange={(event) => setRead(event.currentTarget.checked)}
          />
          {open.error === null ? null : <Fault error={open.error} />}
          <div className="page-actions">
            <Button type="submit" disabled={!isShown || !isRead} loading={open.isPending}>
              Open the ledger
            </Button>
          </div>
        </div>
      </Card>
    </form>
  );
}
