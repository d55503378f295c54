import type { Dataset, Input } from "@dosimeter/client";
import { blockWord, DEFAULT_RULE, type Rule, ruleNames, ruleRow } from "@dosimeter/core";
import { formatDecimal } from "@dosimeter/plot";
import { deltaWarning } from "@dosimeter/query/quote";
import { Button, Radio } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { useChange } from "../api/connection.ts";
import { useDataset } from "../api/datasets.ts";
import { declarationOf } from "../api/declaration.ts";
import { useAccountTree, useLedgerPreview } from "../api/ledgers.ts";
import { ImportPublications } from "../outside/ImportPublications.tsx";
import { ButtonLink } from "../parts/buttons.tsx";
import { Check, NumberField } from "../parts/fields.tsx";
import { Lineage } from "../parts/Lineage.tsx";
import { Notice } from "../parts/Notice.tsx";
import { DELTA, EPSILON, isTyped, numberOf, plainOf, readTyped } from "../parts/number-text.ts";
import { Card, DatasetCrumbs, Page } from "../parts/Page.tsx";
import { Fault, Loading, PendingPage } from "../parts/Pending.tsx";
import { isMore } from "../sums.ts";
import { ChooseEpsilon } from "./ChooseEpsilon.tsx";
import { extremeEpsilon } from "./extreme.ts";
import { GiveBudget } from "./GiveBudget.tsx";
import { ImportLedger } from "./ImportLedger.tsx";
import { InviteStep } from "./InviteStep.tsx";
import { Presets } from "./Presets.tsx";
import { Promised } from "./Promised.tsx";
import { RunsOut } from "./RunsOut.tsx";
import { type SetUpStep, SetUpSteps } from "./SetUpSteps.tsx";
import { declaredNoun, declaredSize } from "./size.ts";
import "./set-up.css";

const route = getRouteApi("/datasets/$dataset/open");

/** From a declared table to a budget that people share: open the ledger, give a part of it, invite. */
export function OpenLedgerPage() {
  const { dataset: id } = route.useParams();
  const dataset = useDataset(id);
  return (
    <PendingPage of={dataset} name="Set-up">
      {(data) => <Shown dataset={data} />}
    </PendingPage>
  );
}

const titles = {
  declare: (name: string) => `Set up ${name}`,
  open: (name: string) => `Open the ledger of ${name}`,
  give: (name: string) => `Give budget on ${name}`,
  invite: (name: string) => `Invite to ${name}`,
} as const satisfies Record<SetUpStep, (name: string) => string>;

function Shown({ dataset }: { dataset: Dataset }) {
  const { ledger, name } = dataset;
  const accounts = useAccountTree(ledger?.id ?? "", ledger !== null);
  const isAdmin = dataset.myRoles.includes("datasetAdmin");
  // Where it stopped stands on the server: a ledger, an account on it. Only what is looked at is kept here.
  const reached: SetUpStep = ledger === null ? "open" : (accounts.data ?? []).length === 0 ? "give" : "invite";
  const [chosen, setChosen] = useState<{ readonly step: SetUpStep; readonly from: SetUpStep } | null>(null);
  const shown = chosen?.from === reached ? chosen.step : reached;
  const go = (step: SetUpStep) => setChosen({ step, from: reached });
  const isWaiting = ledger !== null && accounts.isPending;
  return (
    <Page
      title={titles[shown](name)}
      crumbs={<DatasetCrumbs id={dataset.id} name={name} />}
      actions={
        <ButtonLink to="/datasets/$dataset" params={{ dataset: dataset.id }} variant="default">
          Go to {name}
        </ButtonLink>
      }
    >
      {isAdmin ? (
        <div className="stack">
          <Lineage dataset={dataset} />
          <SetUpSteps shown={shown} reached={reached} onGo={go} />
          {isWaiting ? (
            <Loading lines={4} />
          ) : ledger === null ? (
            <>
              <Terms dataset={dataset} />
              <ImportLedger dataset={dataset.id} of={declaredNoun(dataset).many} />
            </>
          ) : shown === "open" ? (
            <Notice tone="good" title="The ledger is open">
              <p>Only an amendment can change its caps.</p>
            </Notice>
          ) : accounts.error !== null ? (
            <Fault error={accounts.error} />
          ) : shown === "give" ? (
            <>
              <GiveBudget ledger={ledger} onSkip={() => go("invite")} />
              {ledger.blocks == null ? (
                <Card title="Published before">
                  <ImportPublications ledger={ledger.id} />
                </Card>
              ) : null}
            </>
          ) : (
            <InviteStep accounts={accounts.data ?? []} />
          )}
        </div>
      ) : (
        <Notice tone="warn" title="Only a dataset admin can set it up">
          <p>Ask the admin of {name}.</p>
        </Notice>
      )}
    </Page>
  );
}

/** The usual rule first. */
const rules = [DEFAULT_RULE, ...ruleNames.filter((name) => name !== DEFAULT_RULE)];

function Ceiling({
  ceiling,
  epsilon,
  isLow,
  onChange,
}: {
  ceiling: string | null;
  epsilon: string;
  isLow: boolean;
  onChange: (ceiling: string | null) => void;
}) {
  return (
    <>
      <Check
        label="Declare a ceiling above the lifetime budget"
        description="The guarantee promises the ceiling too: it holds whatever happens before a raise past it."
        checked={ceiling !== null}
        onChange={(isChecked) => onChange(isChecked ? epsilon : null)}
      />
      {ceiling === null ? null : (
        <NumberField
          label="Ceiling ε"
          wish={EPSILON}
          value={ceiling}
          fault={isLow ? "This is below the lifetime ε, must be at least that." : undefined}
          onChange={onChange}
        />
      )}
    </>
  );
}

function Terms({ dataset }: { dataset: Dataset }) {
  const [epsilon, setEpsilon] = useState("");
  const [delta, setDelta] = useState("0.000001");
  const blocks = declarationOf(dataset)?.blocks;
  // Blocks switch to no other rule.
  const offered = blocks === undefined ? rules : rules.filter((name) => ruleRow(name).switchesTo === null);
  const [rule, setRule] = useState<Rule>(offered[0] ?? DEFAULT_RULE);
  const [policy, setPolicy] = useState(false);
  const [ceiling, setCeiling] = useState<string | null>(null);
  const [isRead, setRead] = useState(false);
  const [isMeant, setMeant] = useState(false);
  const people = declaredSize(dataset);
  const noun = declaredNoun(dataset);
  const extreme = isTyped(epsilon, EPSILON) ? extremeEpsilon(numberOf(epsilon, EPSILON), { noun, blocks }) : undefined;
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
      setMeant(false);
      set(value);
    };
  const warning =
    people === undefined || !isTyped(delta, DELTA) ? undefined : deltaWarning(numberOf(delta, DELTA), people);
  const isShown = isGood && settled === JSON.stringify(terms) && preview.data !== undefined && !preview.isFetching;
  const isReady = isShown && isRead && (extreme === undefined || isMeant);
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        if (!isReady) return;
        open.mutate(undefined);
      }}
    >
      <Card title="Lifetime">
        <div className="stack">
          <Presets epsilon={epsilon} people={people} noun={noun} blocks={blocks} onUse={changed(setEpsilon)} />
          <div className="stack measured">
            <NumberField
              label="ε"
              wish={EPSILON}
              description={
                blocks === undefined
                  ? "All answers together. There is no refund and no reset."
                  : `All answers about one ${blockWord(blocks)} together; each ${blockWord(blocks)} has it for itself. There is no refund and no reset.`
              }
              value={epsilon}
              onChange={changed(setEpsilon)}
            />
            {extreme === undefined ? null : (
              <Notice tone="warn" title={extreme.title}>
                <p>{extreme.means}</p>
                <Check mt={8} label="I mean this ε" checked={isMeant} onChange={setMeant} />
              </Notice>
            )}
            <NumberField
              label="δ"
              wish={DELTA}
              description={
                people === undefined
                  ? `At most 1 divided by the number of ${noun.many}.`
                  : `At most 1/${formatDecimal(String(people))}, the declared size.`
              }
              value={delta}
              fault={delta.trim() === "" ? readTyped(delta, DELTA).fault : undefined}
              onChange={changed(setDelta)}
            />
            {warning === undefined ? null : (
              <Notice tone="warn" title="δ is above 1/n">
                <p>{warning}</p>
              </Notice>
            )}
            <Radio.Group label="Rule" value={rule} onChange={(value) => changed(setRule)(value as Rule)}>
              <div className="choices">
                {offered.map((name) => (
                  <Radio key={name} value={name} label={ruleRow(name).words.offer} />
                ))}
              </div>
            </Radio.Group>
            {ruleRow(rule).switchesTo === null ? null : (
              <Check
                label="Switch automatically, at the first charge that fits only the tight rule"
                checked={policy}
                onChange={setPolicy}
              />
            )}
            <Ceiling ceiling={ceiling} epsilon={epsilon} isLow={isLow} onChange={changed(setCeiling)} />
          </div>
        </div>
      </Card>
      <ChooseEpsilon noun={noun} people={people} delta={delta} epsilon={epsilon} onUse={changed(setEpsilon)} />
      {blocks === undefined ? null : (
        <RunsOut every={blocks.every} isReady={isGood} epsilon={terms.epsilon} delta={terms.delta} rule={rule} />
      )}
      <Promised
        dataset={dataset}
        epsilon={terms.ceiling?.epsilon ?? terms.epsilon}
        delta={terms.ceiling?.delta ?? terms.delta}
        preview={isGood ? preview.data : undefined}
        error={isGood ? preview.error : null}
        isFaulty={epsilon.trim() !== "" && !isGood}
      />
      <Card>
        <div className="stack">
          <Check
            label={`I have read the guarantee. It is promised to these ${noun.many} permanently.`}
            checked={isRead}
            disabled={!isShown}
            onChange={setRead}
          />
          <Fault error={open.error} />
          <div className="page-actions">
            <Button type="submit" disabled={!isReady} loading={open.isPending}>
              Open the ledger
            </Button>
          </div>
        </div>
      </Card>
    </form>
  );
}
