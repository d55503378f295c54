import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useChange } from "../api/connection.ts";
import { useTeams } from "../api/people.ts";
import { useMe } from "../api/session.ts";
import { readsAudit } from "../audit/reads-audit.ts";
import { DataTable } from "../parts/DataTable.tsx";
import { Form } from "../parts/Form.tsx";
import { TextField } from "../parts/fields.tsx";
import { Card, Page, Tag } from "../parts/Page.tsx";
import { Empty, Pending } from "../parts/Pending.tsx";
import { Filter, holdsText } from "../parts/SearchedList.tsx";
import { dayText } from "../parts/words.ts";

/** The teams I can see, and a form for a new one, whose admin I become. */
export function Teams() {
  const teams = useTeams();
  const me = useMe();
  const seesAll = readsAudit(me.data);
  const opens = me.data?.opensTeams ?? false;
  const [typed, setTyped] = useState("");
  return (
    <Page title="Teams" lead="A team has a budget and divides it among its members. What a member spent stays spent.">
      <div className="stack">
        <Card>
          <Pending of={teams}>
            {(all) =>
              all.length === 0 ? (
                <Empty title={seesAll ? "There is no team yet" : "You are in no team yet"}>
                  {opens
                    ? "Open one below: you will be its admin. A team admin can also invite you, by a link or a mail."
                    : "Ask a platform admin for a team, or a team admin for an invitation: a link, or a mail with one."}
                </Empty>
              ) : (
                <>
                  {all.length > 5 ? <Filter label="Find a team" value={typed} onChange={setTyped} /> : null}
                  <DataTable
                    caption="Teams"
                    isCaptionHidden
                    isStacking
                    rows={all.filter(({ name }) => holdsText(typed, name))}
                    keyOf={({ id }) => id}
                    columns={[
                      {
                        name: "Team",
                        isHead: true,
                        cell: ({ id, name }) => (
                          <Link to="/teams/$team" params={{ team: id }}>
                            {name}
                          </Link>
                        ),
                      },
                      {
                        name: "You",
                        cell: ({ myRole }) =>
                          myRole === null ? "can view" : myRole === "teamAdmin" ? "team admin" : "member",
                      },
                      {
                        name: "Since",
                        cell: ({ createdAt, closedAt }) => (
                          <>
                            {dayText(createdAt)} {closedAt === null ? null : <Tag tone="warn">closed</Tag>}
                          </>
                        ),
                      },
                    ]}
                  />
                </>
              )
            }
          </Pending>
        </Card>
        {opens ? <NewTeam /> : null}
      </div>
    </Page>
  );
}

function NewTeam() {
  const [name, setName] = useState("");
  const navigate = useNavigate();
  const create = useChange((client) => client.createTeam({ name: name.trim() }));
  return (
    <Card title="New team">
      <Form
        action="Open the team"
        isReady={name.trim() !== ""}
        change={create}
        onSubmit={() =>
          create.mutate(undefined, {
            onSuccess: ({ id }) => void navigate({ to: "/teams/$team", params: { team: id } }),
          })
        }
      >
        <TextField
          label="Name"
          description="You will be its admin. Then ask a dataset’s admin for a budget."
          maxLength={200}
          value={name}
          onChange={setName}
        />
      </Form>
    </Card>
  );
}
