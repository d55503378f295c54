import type { Account, Plan, Team } from "@dosimeter/client";
import { present } from "@dosimeter/core/internal";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useChange } from "../api/connection.ts";
import { useDataset } from "../api/datasets.ts";
import { useAccountTree, useLedger, useRequests } from "../api/ledgers.ts";
import { useTeams } from "../api/people.ts";
import { useMe } from "../api/session.ts";
import { ChooseEpsilon } from "../new-dataset/ChooseEpsilon.tsx";
import { declaredNoun, declaredSize } from "../new-dataset/size.ts";
import { formatCost } from "../parts/Amount.tsx";
import { Form } from "../parts/Form.tsx";
import { Check, Choice, LongText, NumberField } from "../parts/fields.tsx";
import { Notice } from "../parts/Notice.tsx";
import { DELTA, deltaField, EPSILON, isTyped, isTypedOrEmpty, OPTIONAL_DELTA, plainOf } from "../parts/number-text.ts";
import { Fault, Loading } from "../parts/Pending.tsx";

/** What a person can request on a ledger: more quota for an account, or a first account. */
interface Target {
  readonly key: string;
  readonly label: string;
  readonly input: { readonly account?: string; readonly team?: string; readonly parent?: string };
}

const isActive = ({ status }: Account): boolean => status === "active";

/** More for me and the teams I administer, then the places where there is no account yet. */
function targetsOf(accounts: readonly Account[], teams: readonly Team[], person: string): readonly Target[] {
  const administered = teams.filter(({ myRole }) => myRole === "teamAdmin");
  const holds = (id: string, parent: string | null) =>
    accounts.some((account) => account.holder.id === id && account.parent === parent && account.status !== "closed");
  const mine = accounts.filter(({ holder }) => holder.kind === "person" && holder.id === person);
  const led = accounts.filter(({ holder }) => administered.some(({ id }) => id === holder.id));
  const more = [...mine, ...led].filter(isActive).map(({ id, path }) => ({
    key: id,
    label: `More for ${path.join(" › ")}`,
    input: { account: id },
  }));
  const below = accounts.filter(
    (account) =>
      isActive(account) &&
      account.holder.kind === "team" &&
      teams.some(({ id, myRole }) => id === account.holder.id && myRole !== null) &&
      !holds(person, account.id),
  );
  return [
    ...more,
    ...below.map(({ id, name }) => ({ key: `in ${id}`, label: `Access for me in ${name}`, input: { parent: id } })),
    ...administered
      .filter(({ id }) => !holds(id, null))
      .map(({ id, name }) => ({ key: id, label: `Access for the team ${name}`, input: { team: id } })),
    ...(holds(person, null) ? [] : [{ key: "me", label: "Access for myself", input: {} }]),
  ];
}

/** The form about a dataset, as what is typed into it is kept. */
export const requestOn = (dataset: string): string => `request ${dataset}`;

interface RequestFormProperties {
  readonly dataset: string;
  /** What the list of things that are not finished calls the dataset. */
  readonly name: string;
  /** null: nothing of it can be seen, so that there is no account to choose from. */
  readonly ledger: string | null;
  /** What one protected unit is called, where only the catalogue tells. */
  readonly unit?: string;
  readonly account: string | undefined;
  readonly epsilon: string | undefined;
  readonly plan: Plan | undefined;
}

export function RequestForm({ ledger, ...properties }: RequestFormProperties) {
  const accounts = useAccountTree(ledger ?? "", ledger !== null);
  const teams = useTeams();
  const me = useMe();
  const tree = ledger === null ? [] : accounts.data;
  const error = (ledger === null ? null : accounts.error) ?? teams.error ?? me.error;
  if (tree === undefined || teams.data === undefined || me.data === undefined)
    return error ? <Fault error={error} /> : <Loading lines={3} />;
  const targets = targetsOf(tree, teams.data, me.data.person.id);
  return <Fields {...properties} ledger={ledger} targets={targets} person={me.data.person.id} />;
}

function Fields({
  dataset,
  name,
  ledger,
  unit,
  account,
  epsilon,
  plan,
  targets,
  person,
}: RequestFormProperties & { readonly targets: readonly Target[]; readonly person: string }) {
  const navigate = useNavigate();
  const [key, setKey] = useState(account);
  const [amount, setAmount] = useState(epsilon ?? "");
  const [delta, setDelta] = useState("");
  const [note, setNote] = useState("");
  const [days, setDays] = useState("30");
  const [supersedes, setSupersedes] = useState(false);
  const target = targets.find((one) => one.key === key) ?? targets[0];
  const submitted = useRequests("submitted");
  const openOne = (submitted.data ?? []).find(
    ({ mine, account: on, parent, holder }) =>
      mine.mayAnswer &&
      target !== undefined &&
      (target.input.account === undefined
        ? on === null && parent === (target.input.parent ?? null) && holder.id === (target.input.team ?? person)
        : on === target.input.account),
  );
  const ask = useChange((client) =>
    client.createRequest({
      dataset,
      ...target?.input,
      epsilon: plainOf(amount, EPSILON),
      ...deltaField(delta),
      note,
      days: Number(days),
      ...present({ plan }),
      ...(openOne === undefined ? {} : { supersede: supersedes }),
    }),
  );
  const isReady =
    target !== undefined &&
    isTyped(amount, EPSILON) &&
    isTypedOrEmpty(delta, DELTA) &&
    (openOne === undefined || supersedes);
  return (
    <Form
      className="stack"
      action="Send the request"
      isReady={isReady}
      change={ask}
      keeps={{ of: requestOn(dataset), name: `Request for budget on ${name}`, beside: plan }}
      onSubmit={() =>
        ask.mutate(undefined, {
          onSuccess: () => void navigate({ to: "/requests", search: { box: "submitted" } }),
        })
      }
    >
      <Choice
        label="What you ask for"
        value={target?.key ?? ""}
        onChange={setKey}
        data={targets.map(({ key: value, label }) => ({ value, label }))}
      />
      <div className="fields">
        <NumberField
          wish={EPSILON}
          label="ε"
          description="How much of the budget you ask for: help is below."
          value={amount}
          onChange={setAmount}
        />
        <NumberField {...OPTIONAL_DELTA} value={delta} onChange={setDelta} />
      </div>
      <Choosing dataset={dataset} ledger={ledger} unit={unit} epsilon={amount} onUse={setAmount} />
      <LongText
        label="What it is for"
        description="The person who decides reads this."
        minRows={3}
        maxLength={2000}
        value={note}
        onChange={setNote}
      />
      <Choice
        label="Expires after"
        description="Without a decision until then, nothing is granted."
        value={days}
        onChange={setDays}
        data={{ 7: "a week", 30: "30 days", 90: "90 days" }}
      />
      {plan === undefined ? null : (
        <Notice tone="good">
          <p>
            Your plan of {plan.statistics.length} {plan.statistics.length === 1 ? "statistic" : "statistics"} goes with
            it, so that the person who decides sees what the budget buys.
          </p>
        </Notice>
      )}
      {openOne === undefined ? null : (
        <Check
          checked={supersedes}
          onChange={setSupersedes}
          label={`Instead of my open request for ε ${formatCost(openOne.asked.epsilon)}`}
        />
      )}
    </Form>
  );
}

/** What a quota buys; as a share of the lifetime where the person may see the ledger. */
function Choosing({
  dataset,
  ledger,
  unit,
  ...field
}: Pick<RequestFormProperties, "dataset" | "ledger"> & {
  unit: string | undefined;
  epsilon: string;
  onUse: (epsilon: string) => void;
}) {
  const seen = useDataset(dataset, ledger !== null).data;
  const guarantee = useLedger(ledger ?? "", ledger !== null).data?.guarantee;
  if (ledger !== null && (seen === undefined || guarantee === undefined)) return null;
  return (
    <ChooseEpsilon
      {...field}
      title="How much should I ask for?"
      people={seen === undefined ? undefined : declaredSize(seen)}
      quota={{
        noun: seen !== undefined ? declaredNoun(seen) : unit === undefined ? undefined : { one: unit },
        room:
          seen === undefined || guarantee === undefined
            ? undefined
            : { epsilon: guarantee.epsilon, what: `the lifetime budget of ${seen.name}` },
      }}
    />
  );
}
