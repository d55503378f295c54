import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useDashboards, useSaveDashboard } from "../api/dashboards.ts";
import { DataTable } from "../parts/DataTable.tsx";
import { Form } from "../parts/Form.tsx";
import { TextField } from "../parts/fields.tsx";
import { Card, Page } from "../parts/Page.tsx";
import { Empty, Pending } from "../parts/Pending.tsx";
import { dayText } from "../parts/words.ts";

/** Pages of answers, mine and those shared with me, and a form for a new one. */
export function Dashboards() {
  const dashboards = useDashboards();
  const save = useSaveDashboard();
  const navigate = useNavigate();
  const [name, setName] = useState("");
  return (
    <Page
      title="Dashboards"
      lead="Released answers and scheduled reports on one page, for you and colleagues. It never pays, and each sees what they may read."
    >
      <div className="stack">
        <Card>
          <Pending of={dashboards}>
            {(all) =>
              all.length === 0 ? (
                <Empty title="No dashboard yet">
                  Name one below, or open a release and choose <em>Add to a dashboard</em>.
                </Empty>
              ) : (
                <DataTable
                  caption="Dashboards, newest first"
                  isCaptionHidden
                  isStacking
                  rows={all}
                  keyOf={({ id }) => id}
                  columns={[
                    {
                      name: "Dashboard",
                      isHead: true,
                      cell: (one) => (
                        <Link className="anywhere" to="/dashboards/$dashboard" params={{ dashboard: one.id }}>
                          {one.name}
                        </Link>
                      ),
                    },
                    { name: "By", cell: ({ ownerName, isMine }) => (isMine ? "You" : ownerName) },
                    { name: "Team", cell: ({ teamName }) => teamName ?? "–" },
                    { name: "Changed", cell: ({ changedAt }) => dayText(changedAt) },
                  ]}
                />
              )
            }
          </Pending>
        </Card>
        <Card title="New dashboard">
          <Form
            action="Make it"
            isReady={name.trim() !== ""}
            isBusy={save.isPending}
            error={save.error}
            onSubmit={() =>
              save.mutate(
                { name: name.trim() },
                { onSuccess: ({ id }) => void navigate({ to: "/dashboards/$dashboard", params: { dashboard: id } }) },
              )
            }
          >
            <TextField label="Name" maxLength={200} value={name} onChange={setName} />
          </Form>
        </Card>
      </div>
    </Page>
  );
}
