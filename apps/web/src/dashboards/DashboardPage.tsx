import type { Dashboard } from "@dosimeter/client";
import { answersToShow } from "@dosimeter/query/answer";
import { Button } from "@mantine/core";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useState } from "react";
import { useDashboard } from "../api/dashboards.ts";
import { ButtonLink } from "../parts/buttons.tsx";
import { Card, Page } from "../parts/Page.tsx";
import { Empty, PendingPage } from "../parts/Pending.tsx";
import { momentText } from "../parts/words.ts";
import { AnswerPart } from "../release/Answer.tsx";
import { EditDashboard } from "./EditDashboard.tsx";
import "../release/release.css";

const route = getRouteApi("/dashboards/$dashboard");

type Item = Dashboard["parts"][number];

/** Answers that someone chose, the newest of each report. Opening it pays nothing and counts against no cap. */
export function DashboardPage() {
  const { dashboard: id } = route.useParams();
  const dashboard = useDashboard(id);
  const [isEditing, setEditing] = useState(false);
  return (
    <PendingPage of={dashboard} name="Dashboard">
      {(data) => (
        <Page
          title={data.name}
          crumbs={<Link to="/dashboards">Dashboards</Link>}
          lead={data.isMine ? sharedText(data) : `Made by ${data.ownerName}.`}
          actions={data.isMine ? <Button onClick={() => setEditing(true)}>Edit</Button> : undefined}
        >
          <div className="stack">
            {data.parts.length === 0 ? (
              <Card>
                <Empty title="Nothing on it yet" action={<ButtonLink to="/releases">Go to the releases</ButtonLink>}>
                  Open a release or a scheduled report and choose <em>Add to a dashboard</em>.
                </Empty>
              </Card>
            ) : (
              data.parts.map((item, place) => <ItemCard key={item.id ?? `item ${place}`} item={item} />)
            )}
          </div>
          {isEditing ? <EditDashboard dashboard={data} onClose={() => setEditing(false)} /> : null}
        </Page>
      )}
    </PendingPage>
  );
}

function sharedText({ teamName, readers }: Dashboard): string {
  const people = readers.map(({ name }) => name);
  const all = teamName === null ? people : [teamName, ...people];
  return all.length === 0 ? "Only you see it." : `Shared with ${all.join(", ")}. Each sees what they may read.`;
}

const whyNot = {
  waiting: "There is no answer yet. It appears here by itself.",
  counts: "Reading these answers counts against your cap: open the release to read them.",
  notYours: "You have no access to this.",
} as const;

function ItemCard({ item: { state, name, from, release } }: { item: Item }) {
  if (release === null || state !== "shown")
    return (
      <Card {...(name === null ? {} : { title: name })}>
        <p className="soft">
          {whyNot[state === "shown" ? "waiting" : state]}{" "}
          {state === "counts" && from !== null ? (
            <Link to="/releases/$release" params={{ release: from }}>
              Open the release
            </Link>
          ) : null}
        </p>
      </Card>
    );
  return (
    <Card
      title={name ?? release.title}
      aside={
        <Link className="small" to="/releases/$release" params={{ release: release.id }}>
          {momentText(release.releasedAt ?? release.chargedAt)}
        </Link>
      }
    >
      <div className="release">
        {(answersToShow(release) ?? []).map((answer) => (
          <AnswerPart
            key={`${release.id} ${answer.id}`}
            answer={answer}
            number={release.numbers?.find(({ row }) => row === answer.id)}
          />
        ))}
      </div>
    </Card>
  );
}
