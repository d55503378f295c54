import type { Dashboard } from "@dosimeter/client";
import { Button } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useRef, useState } from "react";
import { useChangeDashboard, useDeleteDashboard } from "../api/dashboards.ts";
import { usePeople, useTeams } from "../api/people.ts";
import { useMe } from "../api/session.ts";
import { RowButton } from "../parts/buttons.tsx";
import { Confirm, FormDialog } from "../parts/Dialog.tsx";
import { Choice, ChoosePerson, TextField } from "../parts/fields.tsx";

/** The name of a dashboard, its items in their order, and who sees it. */
export function EditDashboard({ dashboard, onClose }: { dashboard: Dashboard; onClose: () => void }) {
  const change = useChangeDashboard();
  const [isDeleting, setDeleting] = useState(false);
  const [name, setName] = useState(dashboard.name);
  const [items, setItems] = useState(dashboard.parts);
  const [team, setTeam] = useState(dashboard.team ?? "");
  const [readers, setReaders] = useState(dashboard.readers.map(({ id }) => id));
  if (isDeleting) return <Delete dashboard={dashboard} onClose={onClose} />;
  return (
    <FormDialog
      title="Edit the dashboard"
      size="lg"
      action="Save"
      isReady={name.trim() !== ""}
      change={change}
      onSubmit={() =>
        change.mutate(
          {
            ...{ dashboard: dashboard.id, name: name.trim(), readers, team: team === "" ? null : team },
            parts: items.flatMap(({ kind, id }) => (id === null ? [] : [{ kind, id }])),
          },
          { onSuccess: onClose },
        )
      }
      onClose={onClose}
    >
      <TextField label="Name" maxLength={200} value={name} onChange={setName} />
      <Order items={items} onChange={setItems} />
      <Sharing team={team} readers={readers} onTeam={setTeam} onReaders={setReaders} />
      <Button variant="subtle" color="red" onClick={() => setDeleting(true)}>
        Delete the dashboard
      </Button>
    </FormDialog>
  );
}

type Items = Dashboard["parts"];

/** Buttons move an item up and down; the focus goes with it, so that one key moves it on. */
function Order({ items, onChange }: { items: Items; onChange: (items: Items) => void }) {
  const list = useRef<HTMLOListElement>(null);
  if (items.length === 0) return <p className="soft">Nothing is on it. Add releases and reports from their pages.</p>;
  const move = (from: number, to: number) => {
    const moved = items.toSpliced(from, 1);
    onChange(moved.toSpliced(to, 0, ...items.slice(from, from + 1)));
    const label = to > from ? "down" : "up";
    requestAnimationFrame(() =>
      list.current?.children[to]?.querySelector<HTMLElement>(`[data-move=${label}]`)?.focus(),
    );
  };
  return (
    <ol ref={list} className="stack gap-8" aria-label="On it, in this order">
      {items.map(({ id, kind, name }, at) => {
        const said = name ?? "No access";
        return (
          <li key={`${kind} ${id}`}>
            <div className="row gap-8 at-middle">
              <span className="anywhere" style={{ flex: "1 1 200px" }}>
                {said}
              </span>
              {(
                [
                  ["up", at - 1],
                  ["down", at + 1],
                ] as const
              ).map(([label, to]) => (
                <Button
                  key={label}
                  size="xs"
                  variant="default"
                  data-move={label}
                  aria-label={`Move ${said} ${label}`}
                  aria-disabled={to < 0 || to >= items.length}
                  onClick={() => (to < 0 || to >= items.length ? undefined : move(at, to))}
                >
                  {label === "up" ? "↑" : "↓"}
                </Button>
              ))}
              <RowButton label="Remove" name={`Remove ${said}`} onClick={() => onChange(items.toSpliced(at, 1))} />
            </div>
          </li>
        );
      })}
    </ol>
  );
}

function Sharing(given: {
  team: string;
  readers: readonly string[];
  onTeam: (team: string) => void;
  onReaders: (readers: string[]) => void;
}) {
  const { team, readers, onTeam, onReaders } = given;
  const me = useMe().data;
  const people = usePeople().data ?? [];
  const mine = (useTeams().data ?? []).filter(({ id, myRole }) => myRole !== null || id === team);
  const others = people.filter(({ id }) => id !== me?.person.id && !readers.includes(id));
  return (
    <>
      <Choice
        label="Share with a team"
        value={team}
        onChange={onTeam}
        data={[{ value: "", label: "no team" }, ...mine.map(({ id, name }) => ({ value: id, label: name }))]}
      />
      <ChoosePerson
        label="Share with a colleague"
        people={others}
        value=""
        empty="choose to add"
        onChange={(person) => (person === "" ? undefined : onReaders([...readers, person]))}
      />
      <div className="row gap-8">
        {readers.map((reader) => {
          const name = people.find(({ id }) => id === reader)?.name ?? "a colleague";
          return (
            <RowButton
              key={reader}
              label={`${name} ×`}
              name={`Stop sharing with ${name}`}
              onClick={() => onReaders(readers.filter((one) => one !== reader))}
            />
          );
        })}
      </div>
    </>
  );
}

function Delete({ dashboard, onClose }: { dashboard: Dashboard; onClose: () => void }) {
  const remove = useDeleteDashboard();
  const navigate = useNavigate();
  return (
    <Confirm
      title="Delete the dashboard"
      action="Delete"
      change={remove}
      onConfirm={() => remove.mutate(dashboard.id, { onSuccess: () => void navigate({ to: "/dashboards" }) })}
      onClose={onClose}
    >
      <p>The answers stay where they are. The people it was shared with can no longer open it.</p>
    </Confirm>
  );
}
