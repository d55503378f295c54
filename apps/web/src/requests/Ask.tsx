import type { Plan } from "@dosimeter/client";
import { Button, Checkbox, NativeSelect, Textarea, TextInput } from "@mantine/core";
import { getRouteApi, Link, useNavigate, useRouterState } from "@tanstack/react-router";
import { useState } from "react";
import { useAccount, useAccountTree } from "../api/accounts.ts";
import { useChange } from "../api/change.ts";
import { useDataset, useDatasets } from "../api/datasets.ts";
import { useRequests } from "../api/requests.ts";
import { useMe } from "../api/session.ts";
import { useTeams } from "../api/teams.ts";
import { AmountInput } from "../parts/AmountInput.tsx";
import { isAmount } from "../parts/amount-text.ts";
import { ButtonLink } from "../parts/ButtonLink.tsx";
import { DeltaInput, deltaField, isDeltaOrEmpty } from "../parts/DeltaInput.tsx";
import { Notice } from "../parts/Notice.tsx";
import { Card, Page } from "../parts/Page.tsx";
import { Empty, Fault, Loading } from "../parts/Pending.tsx";
import { type Target, targetsOf } from "./targets.ts";

const route = getRouteApi("/requests/new");

/** Asks for access or more quota: of which dataset, for whom, how much, what for. */
export function Ask() {
  const { dataset, account, epsilon } = route.useSearch();
  const navigate = useNavigate();
  const plan = useRouterState({ select: ({ location }) => location.state.plan });
  const datasets = useDatasets();
  const open = (datasets.data?.pages.flatMap(({ items }) => items) ?? []).filter(({ ledger }) => ledger !== null);
  const paying = useAccount(account ?? null);
  const wanted = dataset ?? paying.data?.datasets[0];
  const listed = open.find(({ id }) => id === wanted);
  const isId = wanted !== undefined && /^dat_\w+$/.test(wanted);
  // Not among the first ones listed: it may be a later one, or one that I see nothing of.
  const named = useDataset(wanted ?? "", isId && datasets.data !== undefined && listed === undefined);
  const known = listed ?? named.data;
  // That is asked for by its id, as its admin hands it out. Asked again, the error is gone until the answer is there: count.
  const isUnknown = known === undefined && isId && named.errorUpdateCount > 0;
  const unknown = isUnknown ? wanted : undefined;
  const isLooking = named.isLoading && !isUnknown;
  const chosen = unknown === undefined ? (known ?? (isId ? undefined : open[0])) : undefined;
  const isKnown = account === undefined || !paying.isPending;
  return (
    <Page
      title="Ask for quota"
      crumbs={<Link to="/requests">Requests</Link>}
      lead="It goes to whoever gives out this quota: the admin of your team, or of the dataset."
    >
      {datasets.error !== null ? <Fault error={datasets.error} /> : null}
      {(datasets.data === undefined && datasets.error === null) || isLooking ? <Loading /> : null}
      {datasets.data !== undefined && unknown !== undefined ? (
        <Card title="A dataset that you do not see yet">
          <div className="stack" style={{ maxWidth: 620 }}>
            <p className="soft" style={{ margin: 0 }}>
              Its admin sees your request and decides. Its id is <span className="code unbroken">{unknown}</span>
            </p>
            <Form key={unknown} dataset={unknown} ledger={null} account={undefined} epsilon={epsilon} plan={plan} />
          </div>
        </Card>
      ) : null}
      {datasets.data !== undefined && chosen === undefined && unknown === undefined && !isLooking ? (
        <div className="card">
          <Empty
            title="You see no dataset with an open ledger"
            action={
              datasets.data.pages.some(({ items }) => items.some(({ myRoles }) => myRoles.includes("datasetAdmin"))) ? (
                <ButtonLink to="/datasets">Open the ledger of yours</ButtonLink>
              ) : undefined
            }
          >
            Ask the admin of a dataset to let your team in, or for the dataset’s link, and ask for access with it below.
          </Empty>
        </div>
      ) : null}
      {chosen?.ledger && isKnown ? (
        <Card>
          <div className="stack" style={{ maxWidth: 620 }}>
            {open.length > 1 ? (
              <NativeSelect
                label="Dataset"
                value={chosen.id}
                onChange={(event) =>
                  void navigate({ to: "/requests/new", search: { dataset: event.currentTarget.value } })
                }
                data={[...(listed === undefined && wanted === chosen.id ? [chosen] : []), ...open].map(
                  ({ id, name }) => ({
                    value: id,
                    label: name,
                  }),
                )}
                description={
                  datasets.hasNextPage ? (
                    <>
                      Not in the list? Find it among the <Link to="/datasets">datasets</Link>, and ask from its page.
                    </>
                  ) : undefined
                }
              />
            ) : null}
            <Form
              key={chosen.id}
              dataset={chosen.id}
              ledger={chosen.ledger.id}
              account={account}
              epsilon={epsilon}
              plan={plan}
            />
          </div>
        </Card>
      ) : null}
      {datasets.data === undefined ? null : <ById />}
    </Page>
  );
}

/** The way to a dataset that one cannot see: its id, or a link that holds it. */
function ById() {
  const navigate = useNavigate();
  const [text, setText] = useState("");
  const id = /dat_\w+/.exec(text)?.[0];
  return (
    <details className="card" style={{ marginTop: 20 }}>
      <summary>Ask about another dataset, by its id</summary>
      <form
        className="page-actions"
        style={{ alignItems: "end", marginTop: 12 }}
        onSubmit={(event) => {
          event.preventDefault();
          if (id !== undefined) void navigate({ to: "/requests/new", search: { dataset: id } });
        }}
      >
        <TextInput
          label="Id or link of the dataset"
          placeholder="dat_…"
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          error={text.trim() === "" || id !== undefined ? undefined : "It begins with dat_"}
        />
        <Button type="submit" variant="default" disabled={id === undefined}>
          Go on
        </Button>
      </form>
    </details>
  );
}

interface FormProperties {
  readonly dataset: string;
  /** null: nothing of it can be seen, so that there is no account to choose from. */
  readonly ledger: string | null;
  readonly account: string | undefined;
  readonly epsilon: string | undefined;
  readonly plan: Plan | undefined;
}

function Form({ ledger, ...properties }: FormProperties) {
  const accounts = useAccountTree(ledger ?? "", ledger !== null);
  const teams = useTeams();
  const me = useMe();
  const tree = ledger === null ? [] : accounts.data;
  const error = (ledger === null ? null : accounts.error) ?? teams.error ?? me.error;
  if (error) return <Fault error={error} />;
  if (tree === undefined || teams.data === undefined || me.data === undefined) return <Loading lines={3} />;
  const targets = targetsOf(tree, teams.data, me.data.person.id);
  return <Fields {...properties} targets={targets} person={me.data.person.id} />;
}

function Fields({
  dataset,
  account,
  epsilon,
  plan,
  targets,
  person,
}: Omit<FormProperties, "ledger"> & { readonly targets: readonly Target[]; readonly person: string }) {
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
      epsilon: amount.trim(),
      ...deltaField(delta),
      note,
      days: Number(days),
      ...(plan === undefined ? {} : { plan }),
      ...(openOne === undefined ? {} : { supersede: supersedes }),
    }),
  );
  const isReady =
    target !== undefined && isAmount(amount) && isDeltaOrEmpty(delta) && (openOne === undefined || supersedes);
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady)
          ask.mutate(undefined, {
            onSuccess: () => void navigate({ to: "/requests", search: { box: "submitted" } }),
          });
      }}
    >
      <NativeSelect
        label="What you ask for"
        value={target?.key ?? ""}
        onChange={(event) => setKey(event.currentTarget.value)}
        data={targets.map(({ key: value, label }) => ({ value, label }))}
      />
      <div className="fields">
        <AmountInput label="ε" description="How much quota." value={amount} onChange={setAmount} />
        <DeltaInput value={delta} onChange={setDelta} />
      </div>
      <Textarea
        label="What it is for"
        description="Whoever decides reads this."
        autosize
        minRows={3}
        maxLength={2000}
        value={note}
        onChange={(event) => setNote(event.currentTarget.value)}
      />
      <NativeSelect
        label="Waits for an answer"
        description="Then it expires, and nothing is granted."
        value={days}
        onChange={(event) => setDays(event.currentTarget.value)}
        data={[
          { value: "7", label: "a week" },
          { value: "30", label: "30 days" },
          { value: "90", label: "90 days" },
        ]}
      />
      {plan === undefined ? null : (
        <Notice tone="good">
          <p>
            Your plan of {plan.statistics.length} {plan.statistics.length === 1 ? "statistic" : "statistics"} goes with
            it, so that whoever decides sees what the quota buys.
          </p>
        </Notice>
      )}
      {openOne === undefined ? null : (
        <Checkbox
          checked={supersedes}
          onChange={(event) => setSupersedes(event.currentTarget.checked)}
          label={`Instead of my open request for ε ${openOne.asked.epsilon}`}
        />
      )}
      {ask.error === null ? null : <Fault error={ask.error} />}
      <div className="page-actions">
        <Button type="submit" disabled={!isReady} loading={ask.isPending}>
          Send the request
        </Button>
      </div>
    </form>
  );
}
