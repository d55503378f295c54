import { Tabs } from "@mantine/core";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { type Box, useRequests } from "../api.ts";
import { ButtonLink } from "../parts/ButtonLink.tsx";
import { Page } from "../parts/Page.tsx";
import { Empty, Pending } from "../parts/Pending.tsx";
import { RequestCard } from "../requests/RequestCard.tsx";

const route = getRouteApi("/requests");

/** What others ask of me, and what I asked for. */
export function Requests() {
  const { box } = route.useSearch();
  const navigate = useNavigate();
  const shown: Box = box === "submitted" ? "submitted" : "received";
  return (
    <Page
      title="Requests"
      lead="Access and quota, asked for and decided. A quota is permission to spend; the guarantee holds whatever is granted."
      actions={<ButtonLink to="/requests/new">Ask for quota</ButtonLink>}
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
        <Tabs.Panel value="received">
          <Listed box="received" />
        </Tabs.Panel>
        <Tabs.Panel value="submitted">
          <Listed box="submitted" />
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}

function Listed({ box }: { box: Box }) {
  const requests = useRequests(box);
  return (
    <Pending of={requests}>
      {(all) =>
        all.length === 0 ? (
          <div className="card">
            {box === "received" ? (
              <Empty title="Nothing waits for you">
                Requests arrive here for whoever gives out the quota: the admin of a team for its members, the admin of
                a dataset for its teams.
              </Empty>
            ) : (
              <Empty
                title="You have asked for nothing yet"
                action={<ButtonLink to="/requests/new">Ask for quota</ButtonLink>}
              >
                When a plan does not fit your quota, or you hold none, ask whoever gives it out.
              </Empty>
            )}
          </div>
        ) : (
          <div className="stack">
            {all.map((request) => (
              <RequestCard key={request.id} request={request} />
            ))}
          </div>
        )
      }
    </Pending>
  );
}
