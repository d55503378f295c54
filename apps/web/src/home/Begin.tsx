import { Button } from "@mantine/core";
import { useLocalStorage } from "@mantine/hooks";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useEveryDataset } from "../api/datasets.ts";
import { useTeams } from "../api/people.ts";
import { useSignInWays } from "../api/session.ts";
import { Card, Tag } from "../parts/Page.tsx";

/** What a new server needs, and whether it is there; nothing once the person has put the list away in this browser. */
export function useSteps(isAsked: boolean) {
  const [isAway, putAway] = useLocalStorage({ key: "dosimeter-begun", defaultValue: false, getInitialValueInEffect: false });
  const isShown = isAsked && !isAway;
  const datasets = useEveryDataset(isShown);
  const teams = useTeams(isShown);
  const ways = useSignInWays();
  const open = (datasets.data ?? []).find(({ ledger }) => ledger === null);
  const steps: Readonly<Record<string, readonly [isDone: boolean, ReactNode]>> = {
    dataset: [(datasets.data ?? []).length > 0, <Link to="/datasets/new">Declare a first dataset</Link>],
    budget: [
      (datasets.data ?? []).some(({ ledger }) => ledger !== null),
      open === undefined ? (
        <Link to="/datasets">Give it a lifetime budget</Link>
      ) : (
        <Link to="/datasets/$dataset/open" params={{ dataset: open.id }}>
          Give {open.name} a lifetime budget
        </Link>
      ),
    ],
    team: [(teams.data ?? []).length > 0, <Link to="/teams">Open a team and invite people</Link>],
    mail: [ways.data?.mail === true, <Link to="/settings">Let the server send mail</Link>],
    // Backups are made outside: no one here knows of them.
    backup: [false, <a href="docs/operations.html#back-up-and-restore">Make a backup every night</a>],
  };
  return {
    isPending: isShown && [datasets, teams, ways].some(({ isPending }) => isPending),
    steps: isShown ? Object.entries(steps) : [],
    putAway: () => putAway(true),
  };
}

/** The first steps of a new server, for who administers the platform. */
export function Begin({ steps, putAway }: Omit<ReturnType<typeof useSteps>, "isPending">) {
  if (steps.length === 0) return null;
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
        {steps.map(([name, [isDone, step]]) => (
          <li key={name}>
            {step} {isDone ? <Tag tone="good">done</Tag> : null}
          </li>
        ))}
      </ol>
    </Card>
  );
}
