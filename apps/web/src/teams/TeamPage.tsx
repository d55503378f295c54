import { Button } from "@mantine/core";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useChange } from "../api/connection.ts";
import { useTeam } from "../api/people.ts";
import { useMe } from "../api/session.ts";
import { Invitations } from "../invitations/Invitations.tsx";
import { Confirm } from "../parts/Dialog.tsx";
import { Notice } from "../parts/Notice.tsx";
import { Card, Page } from "../parts/Page.tsx";
import { PendingPage } from "../parts/Pending.tsx";
import { dayText } from "../parts/words.ts";
import { Members } from "./Members.tsx";
import { TeamBudget } from "./TeamBudget.tsx";

const route = getRouteApi("/teams/$team");

/** One team: who is in it, what it may spend, who is invited. */
export function TeamPage() {
  const { team: id } = route.useParams();
  const team = useTeam(id);
  const me = useMe();
  const isPlatformAdmin = (me.data?.roles ?? []).some(({ role }) => role === "platformAdmin");
  return (
    <PendingPage of={team} name="Team">
      {(data) => {
        const isOpen = data.closedAt === null;
        const leads = isOpen && (data.myRole === "teamAdmin" || isPlatformAdmin);
        return (
          <Page
            title={data.name}
            crumbs={<Link to="/teams">Teams</Link>}
            lead={`Since ${dayText(data.createdAt)}`}
            actions={
              <>
                {isOpen && data.myRole !== null ? <Leave team={id} name={data.name} /> : null}
                {leads ? <CloseTeam team={id} name={data.name} /> : null}
              </>
            }
          >
            <div className="stack">
              {isOpen ? null : (
                <Notice tone="warn" title="This team is closed">
                  <p>
                    What was free went back to who gave it. What was spent stays spent, and its releases stay readable.
                  </p>
                </Notice>
              )}
              <Card title="Members">
                <Members team={data} leads={leads} me={me.data?.person.id ?? ""} />
              </Card>
              {leads ? <Invitations team={id} /> : null}
              <Card title="Budget">
                <TeamBudget team={id} leads={leads} isAdmin={isOpen && data.myRole === "teamAdmin"} />
                {leads ? (
                  <p className="soft small flush-bottom">
                    To give budget to this team without seeing it, use its id, <span className="code">{id}</span>.
                  </p>
                ) : null}
              </Card>
            </div>
          </Page>
        );
      }}
    </PendingPage>
  );
}

function Leave({ team, name }: { team: string; name: string }) {
  const [isAsked, setAsked] = useState(false);
  const navigate = useNavigate();
  const leave = useChange((client) => client.leaveTeam({ team }));
  return (
    <>
      <Button variant="default" onClick={() => setAsked(true)}>
        Leave the team
      </Button>
      {isAsked ? (
        <Confirm
          title={`Leave ${name}`}
          action="Leave"
          change={leave}
          onClose={() => setAsked(false)}
          onConfirm={() => {
            leave.mutateAsync(undefined).then(
              () => navigate({ to: "/teams" }),
              () => undefined, // shown from `leave.error`
            );
          }}
        >
          Your budgets below this team are frozen. What you spent stays spent, and is there when you come back.
        </Confirm>
      ) : null}
    </>
  );
}

function CloseTeam({ team, name }: { team: string; name: string }) {
  const [isAsked, setAsked] = useState(false);
  const close = useChange((client) => client.closeTeam({ team }));
  return (
    <>
      <Button variant="default" onClick={() => setAsked(true)}>
        Close the team
      </Button>
      {isAsked ? (
        <Confirm
          title={`Close ${name} for good`}
          action="Close the team"
          change={close}
          onClose={() => setAsked(false)}
          onConfirm={() => close.mutate(undefined, { onSuccess: () => setAsked(false) })}
        >
          Its budgets and those of its members close, and what is free goes back to who gave it. What was spent stays
          spent. It cannot be opened again.
        </Confirm>
      ) : null}
    </>
  );
}
