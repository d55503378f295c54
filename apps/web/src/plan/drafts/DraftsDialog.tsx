import type { Account, Dataset, Draft } from "@dosimeter/client";
import { savedPlan } from "@dosimeter/planner";
import type { Declaration } from "@dosimeter/query/declaration";
import { Button } from "@mantine/core";
import { useState } from "react";
import { useTeams } from "../../api/people.ts";
import { useDrafts, useSaveDraft } from "../../api/releases.ts";
import { DataTable } from "../../parts/DataTable.tsx";
import { Dialog } from "../../parts/Dialog.tsx";
import { Choice, TextField } from "../../parts/fields.tsx";
import { Empty, Fault, Pending } from "../../parts/Pending.tsx";
import { momentText } from "../../parts/words.ts";
import type { Planner } from "../use-planner.ts";

/** Who reads a draft next to its owner: one of their teams, or only they do. */
export function ShareWith({
  value,
  name,
  isBusy = false,
  onChange,
}: {
  value: string | null;
  /** Of the team that reads it now, until the list of teams is there. */
  name?: string | null;
  isBusy?: boolean;
  onChange: (team: string | null) => void;
}) {
  const teams = useTeams();
  const mine = (teams.data ?? []).filter(({ myRole, closedAt }) => myRole !== null && closedAt === null);
  const known = mine.map(({ id, name: label }) => ({ value: id, label: `people of ${label}` }));
  const now =
    value === null || known.some((team) => team.value === value)
      ? []
      : [{ value, label: name ? `people of ${name}` : "a team" }];
  return (
    <Choice
      label="Who reads it"
      disabled={isBusy}
      value={value ?? ""}
      data={[{ value: "", label: "only me" }, ...now, ...known]}
      onChange={(chosen) => onChange(chosen || null)}
    />
  );
}

/** The drafts on a dataset: the present plan can become one, and any of them can be opened. */
export function DraftsDialog({
  dataset,
  account,
  planner,
  onOpen,
  onSaved,
  onClose,
}: {
  dataset: Dataset;
  account: Account;
  planner: Planner;
  onOpen: (draft: string) => void;
  onSaved: (draft: Draft) => void;
  onClose: () => void;
}) {
  const drafts = useDrafts(dataset.id);
  const { draft, declaration } = planner.bench;
  const isReady = draft.rows.some((row) => row.isComplete);
  return (
    <Dialog title="Drafts" size="lg" onClose={onClose}>
      <div className="stack">
        {isReady ? (
          <SaveAs
            dataset={dataset}
            account={account}
            plan={() => savedPlan(draft, declaration)}
            name={nameOf(planner, declaration)}
            onSaved={onSaved}
          />
        ) : (
          <p className="soft flush">Add a statistic, and the plan can be kept here under a name.</p>
        )}
        <Pending of={drafts} lines={3}>
          {(all) =>
            all.length === 0 ? (
              <Empty title="No drafts yet">
                A draft is a plan that you keep, share with your team and talk about. Nothing is paid for it.
              </Empty>
            ) : (
              <DataTable
                caption="Mine, and those shared with my teams"
                isStacking
                rows={all}
                keyOf={({ id }) => id}
                columns={[
                  {
                    name: "Draft",
                    isHead: true,
                    cell: ({ id, name }) => (
                      <button type="button" className="tool draft-name" onClick={() => onOpen(id)}>
                        <span className="visually-hidden">Open </span>
                        {name}
                      </button>
                    ),
                  },
                  { name: "By", cell: ({ isMine, ownerName }) => (isMine ? "me" : ownerName) },
                  { name: "Shared with", cell: ({ teamName }) => teamName ?? "–" },
                  { name: "Comments", isNumber: true, cell: ({ comments }) => comments },
                  { name: "Changed", cell: ({ changedAt }) => momentText(changedAt) },
                ]}
              />
            )
          }
        </Pending>
      </div>
    </Dialog>
  );
}

/** What the rows ask, as far as a name goes. */
const nameOf = ({ rows }: Planner, { name }: Declaration): string => {
  const labels = rows.flatMap(({ quote }) => (quote === null ? [] : [quote.label]));
  const [first = name, ...others] = labels;
  const more = others.length === 0 ? "" : ` and ${others.length} more`;
  return `${first.slice(0, 160)}${more}`;
};

function SaveAs({
  dataset,
  account,
  plan,
  name: suggested,
  onSaved,
}: {
  dataset: Dataset;
  account: Account;
  plan: () => object;
  name: string;
  onSaved: (draft: Draft) => void;
}) {
  const save = useSaveDraft();
  const [name, setName] = useState(suggested);
  const [team, setTeam] = useState<string | null>(null);
  return (
    <form
      className="draft-save"
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate(
          { dataset: dataset.id, account: account.id, name, team, plan: plan() as NonNullable<Draft["plan"]> },
          { onSuccess: onSaved },
        );
      }}
    >
      <TextField label="Keep this plan as" data-autofocus maxLength={200} value={name} onChange={setName} />
      <ShareWith value={team} onChange={setTeam} />
      <Button type="submit" loading={save.isPending} disabled={name.trim() === ""}>
        Save the draft
      </Button>
      <Fault error={save.error} />
    </form>
  );
}
