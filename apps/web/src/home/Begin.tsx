import { Button } from "@mantine/core";
import { useLocalStorage } from "@mantine/hooks";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useEveryDataset } from "../api/datasets.ts";
import { useTeams } from "../api/people.ts";
import { useSignInWays } from "../api/session.ts";
import { Card, Tag } from "../parts/Page.tsx";

/** What a new server has of all that it needs, until the person has put the list away in this browser. */
export function useBegin(isAsked: boolean) {
  const [isAway, setAway] = useLocalStorage({
    key: "dosimeter-begun",
    defaultValue: false,
    getInitialValueInEffect: false,
  });
  const isShown = isAsked && !isAway;
  const lists = [useEveryDataset(isShown), useTeams(isShown), useSignInWays()] as const;
  const [datasets, teams, ways] = lists;
  return {
    isShown,
    isPending: isShown && lists.some(({ isPending }) => isPending),
    datasets: datasets.data ?? [],
    hasTeam: (teams.data ?? []).length > 0,
    hasMail: ways.data?.mail === true,
    putAway: () => setAway(true),
  };
}

/** The first steps of a new server, for who administers the platform. */
export function Begin({ isShown, datasets, hasTeam, hasMail, putAway }: ReturnType<typeof useBegin>) {
  if (!isShown) return null;
  const unopened = datasets.find(({ ledger }) => ledger === null);
  return (
    <Card
      title="Set up this server"
      aside={
        <Button variant="default" size="xs" onClick={putAway}>
          Hide this list
        </Button>
      }
    >
      <ol className="stack gap-8">
        <Step isDone={datasets.length > 0}>
          <Link to="/datasets/new">Declare a first dataset</Link>
        </Step>
        <Step isDone={datasets.some(({ ledger }) => ledger !== null)}>
          {unopened === undefined ? (
            <Link to="/datasets">Give it a lifetime budget</Link>
          ) : (
            <Link to="/datasets/$dataset/open" params={{ dataset: unopened.id }}>
              Give {unopened.name} a lifetime budget
            </Link>
          )}
        </Step>
        <Step isDone={hasTeam}>
          <Link to="/teams">Open a team and invite people</Link>
        </Step>
        <Step isDone={hasMail}>
          <Link to="/settings">Let the server send mail</Link>
        </Step>
        {/* Backups are made outside: the server does not know of them. */}
        <Step isDone={false}>
          <a href="docs/operations.html#back-up-and-restore">Make a backup every night</a>
        </Step>
      </ol>
    </Card>
  );
}

const Step = ({ isDone, children }: { isDone: boolean; children: ReactNode }) => (
  <li>
    {children} {isDone ? <Tag tone="good">done</Tag> : null}
  </li>
);
