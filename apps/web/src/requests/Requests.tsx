import type { Output } from "@dosimeter/client";
import { Tabs } from "@mantine/core";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { Suspense, useState } from "react";
import { type Box, useRequests, useWaitingCharges } from "../api/ledgers.ts";
import { lazy } from "../api/part.ts";
import { useMe } from "../api/session.ts";
import { readsAudit } from "../audit/reads-audit.ts";
import { ButtonLink } from "../parts/buttons.tsx";
import { Choice } from "../parts/fields.tsx";
import { Page } from "../parts/Page.tsx";
import { Empty, Pending } from "../parts/Pending.tsx";
import { Filter, holdsText } from "../parts/SearchedList.tsx";
import { RequestCard } from "./RequestCard.tsx";
import { isOpen } from "./words.ts";

const route = getRouteApi("/requests");

/** Requests to me, and my own. */
export function Requests() {
  const { box } = route.useSearch();
  const navigate = useNavigate();
  const shown: Box = box === "submitted" ? "submitted" : "received";
  const programs = (useWaitingCharges().data?.items ?? []).filter(
    ({ mine, status }) => mine.mayCharge === (shown === "submitted") && (mine.mayCharge || status !== "refused"),
  );
  return (
    <Page
      title="Requests"
      lead="Access and budget, asked for and decided. A budget is permission to spend; the guarantee does not depend on what is granted."
      actions={<ButtonLink to="/requests/new">Ask for budget</ButtonLink>}
    >
      <Tabs
        value={shown}
        onChange={(value) => void navigate({ to: "/requests", search: value === "submitted" ? { box: value } : {} })}
        keepMounted={false}
      >
        <Tabs.List mb="md">
          <Tabs.Tab value="received">Received</Tabs.Tab>
          <Tabs.Tab value="submitted">Submitted</Tabs.Tab>
        </Tabs.List>
        <Programs of={programs} />
        <Tabs.Panel value="received">
          <Listed box="received" isBelow={programs.length > 0} />
        </Tabs.Panel>
        <Tabs.Panel value="submitted">
          <Listed box="submitted" isBelow={programs.length > 0} />
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}

const WaitingCharge = lazy(async () => ({
  default: (await import("../outside/WaitingCharge.tsx")).WaitingCharge,
}));

/** Programs outside that need a second person, above the requests for budget; nothing where there is none. */
function Programs({ of: items }: { of: Output<"listWaitingCharges">["items"] }) {
  if (items.length === 0) return null;
  return (
    <Suspense fallback={null}>
      <section className="stack above-12" aria-label="Programs outside">
        {items.map((one) => (
          <WaitingCharge key={one.id} of={one} />
        ))}
      </section>
    </Suspense>
  );
}

/** What to do next when there are no requests, by the person's roles. */
function NothingReceived() {
  const me = useMe();
  const has = (role: string): boolean => (me.data?.roles ?? []).some((mine) => mine.role === role);
  const title = "Nothing is waiting for you";
  if (has("datasetAdmin") || has("teamAdmin"))
    return (
      <Empty
        title={title}
        action={
          <ButtonLink to={has("datasetAdmin") ? "/datasets" : "/teams"} variant="default">
            {has("datasetAdmin") ? "To the datasets" : "To the teams"}
          </ButtonLink>
        }
      >
        Requests for budget that you give out arrive here. You can also give it without a request, or approve small
        requests in advance.
      </Empty>
    );
  if (has("platformAdmin"))
    return (
      <Empty
        title={title}
        action={
          <ButtonLink to="/people" variant="default">
            Roles
          </ButtonLink>
        }
      >
        The admins of a dataset and of a team give out its budget, not those of the platform: who they are is among the
        roles.
      </Empty>
    );
  if (has("auditor"))
    return (
      <Empty
        title={title}
        action={
          <ButtonLink to={readsAudit(me.data) ? "/audit" : "/activity"} variant="default">
            {readsAudit(me.data) ? "To the audit" : "To the activity"}
          </ButtonLink>
        }
      >
        Auditors decide nothing. The audit shows what was asked and decided.
      </Empty>
    );
  return (
    <Empty
      title={title}
      action={
        <ButtonLink to="/requests" search={{ box: "submitted" }} variant="default">
          What I asked for
        </ButtonLink>
      }
    >
      Requests go to the admin who gives out the budget: the admin of a team for its members, the admin of a dataset for
      its teams.
    </Empty>
  );
}

function Listed({ box, isBelow }: { box: Box; isBelow: boolean }) {
  const requests = useRequests(box);
  const [shown, setShown] = useState("");
  const [typed, setTyped] = useState("");
  return (
    <Pending of={requests}>
      {(all) =>
        all.length === 0 && isBelow ? null : all.length === 0 ? (
          <div className="card">
            {box === "received" ? (
              <NothingReceived />
            ) : (
              <Empty
                title="You have asked for nothing yet"
                action={<ButtonLink to="/requests/new">Ask for budget</ButtonLink>}
              >
                When a plan does not fit your budget, or you have none, ask the admin who gives it out.
              </Empty>
            )}
          </div>
        ) : (
          <div className="stack">
            {all.length > 3 ? (
              <div className="page-actions at-end">
                <Choice
                  label="Show"
                  value={shown}
                  onChange={setShown}
                  data={{ "": "all", open: "open", over: "ended" }}
                />
                <Filter label="Find a request" isInRow value={typed} onChange={setTyped} />
              </div>
            ) : null}
            {all
              .filter(({ status }) => shown === "" || isOpen(status) === (shown === "open"))
              .filter(({ requester, holder, dataset, note }) =>
                holdsText(typed, requester.name, holder.name, dataset.name, note),
              )
              .map((request) => (
                <RequestCard key={request.id} request={request} />
              ))}
          </div>
        )
      }
    </Pending>
  );
}
