import type { Plan } from "@dosimeter/client";
import { getRouteApi, Link, useNavigate, useRouterState } from "@tanstack/react-router";
import { useState } from "react";
import { copyOf } from "../api/copies.ts";
import { useDataset, useDatasets } from "../api/datasets.ts";
import { useAccount } from "../api/ledgers.ts";
import { useMe } from "../api/session.ts";
import { ButtonLink } from "../parts/buttons.tsx";
import { Form } from "../parts/Form.tsx";
import { Choice, TextField } from "../parts/fields.tsx";
import { Card, Page } from "../parts/Page.tsx";
import { Empty, Fault, Loading } from "../parts/Pending.tsx";
import { RequestForm, requestOn } from "./RequestForm.tsx";

const route = getRouteApi("/requests/new");

/** A request for access or more quota: dataset, account, amount, purpose. */
export function Ask() {
  const { dataset, account, epsilon } = route.useSearch();
  const navigate = useNavigate();
  const given = useRouterState({ select: ({ location }) => location.state.plan });
  const me = useMe().data?.person.id;
  const datasets = useDatasets();
  const open = (datasets.data?.pages.flatMap(({ items }) => items) ?? []).filter(({ ledger }) => ledger !== null);
  const paying = useAccount(account ?? null);
  const wanted = dataset ?? paying.data?.datasets[0];
  const listed = open.find(({ id }) => id === wanted);
  const isId = wanted !== undefined && /^dat_\w+$/.test(wanted);
  // Not in the first page of the list: it may be further down, or hidden from me.
  const named = useDataset(wanted ?? "", isId && datasets.data !== undefined && listed === undefined);
  const known = listed ?? named.data;
  // A hidden dataset is requested by its id. A new request clears the error until it is answered, so failures are counted.
  const isUnknown = known === undefined && isId && named.errorUpdateCount > 0;
  const unknown = isUnknown ? wanted : undefined;
  const isLooking = named.isLoading && !isUnknown;
  const chosen = unknown === undefined ? (known ?? (isId ? undefined : open[0])) : undefined;
  const asked = chosen?.id ?? unknown;
  // The plan that the request was begun with goes with it still.
  const [begun] = useState(() => new Map<string, Plan | undefined>());
  if (asked !== undefined && me !== undefined && !begun.has(asked))
    begun.set(asked, copyOf({ person: me, of: requestOn(asked) })?.beside as Plan | undefined);
  const plan = given ?? begun.get(asked ?? "");
  const isKnown = account === undefined || !paying.isPending;
  return (
    <Page
      title="Ask for budget"
      crumbs={<Link to="/requests">Requests</Link>}
      lead="It goes to the admin who gives out this budget: of your team, or of the dataset."
    >
      {datasets.error !== null ? <Fault error={datasets.error} /> : null}
      {(datasets.data === undefined && datasets.error === null) || isLooking ? <Loading /> : null}
      {datasets.data !== undefined && unknown !== undefined ? (
        <Card title="A dataset that you cannot see yet">
          <div className="stack measured">
            <p className="soft flush">
              Its admin sees your request and decides. Its id is <span className="code unbroken">{unknown}</span>
            </p>
            <RequestForm
              key={unknown}
              dataset={unknown}
              name={unknown}
              ledger={null}
              account={undefined}
              epsilon={epsilon}
              plan={plan}
            />
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
          <div className="stack measured">
            {open.length > 1 ? (
              <Choice
                label="Dataset"
                value={chosen.id}
                onChange={(chosen) => void navigate({ to: "/requests/new", search: { dataset: chosen } })}
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
            <RequestForm
              key={chosen.id}
              dataset={chosen.id}
              name={chosen.name}
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

/** The id of a hidden dataset, or a link that contains it. */
function ById() {
  const navigate = useNavigate();
  const [text, setText] = useState("");
  const id = /dat_\w+/.exec(text)?.[0];
  return (
    <details className="card below-16">
      <summary>Ask about another dataset, by its id</summary>
      <Form
        className="page-actions at-end below-12"
        action="Go on"
        isRow
        isReady={id !== undefined}
        variant="default"
        onSubmit={() => void navigate({ to: "/requests/new", search: id === undefined ? {} : { dataset: id } })}
      >
        <TextField
          label="Id or link of the dataset"
          placeholder="dat_…"
          value={text}
          onChange={setText}
          error={text.trim() === "" || id !== undefined ? undefined : "It begins with dat_"}
        />
      </Form>
    </details>
  );
}
