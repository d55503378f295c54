import { IconLayoutGrid } from "@tabler/icons-react";
import { useState } from "react";
import { useChangeDashboard, useDashboard, useDashboards, useSaveDashboard } from "../api/dashboards.ts";
import { FormDialog } from "./Dialog.tsx";
import { Choice, TextField } from "./fields.tsx";

interface Adding {
  readonly kind: "release" | "report";
  readonly id: string;
}

/** Puts a release, or the newest of a report, on a dashboard of mine, or on a new one. */
export function AddToDashboard({ item }: { item: Adding }) {
  const [isOpen, setOpen] = useState(false);
  const [said, setSaid] = useState("");
  return (
    <>
      <button type="button" className="tool" onClick={() => setOpen(true)}>
        <IconLayoutGrid size={16} aria-hidden /> Add to a dashboard
      </button>
      <span className="visually-hidden" role="status">
        {said}
      </span>
      {isOpen ? (
        <Add
          item={item}
          onDone={(name) => {
            setSaid(`It is on ${name}.`);
            setOpen(false);
          }}
          onClose={() => setOpen(false)}
        />
      ) : null}
    </>
  );
}

function Add({ item, onDone, onClose }: { item: Adding; onDone: (name: string) => void; onClose: () => void }) {
  const mine = (useDashboards().data ?? []).filter(({ isMine }) => isMine);
  const [chosen, setChosen] = useState<string | null>(null);
  const [name, setName] = useState("");
  const [save, change] = [useSaveDashboard(), useChangeDashboard()];
  const to = chosen ?? mine[0]?.id ?? "";
  const before = useDashboard(to).data;
  const done = { onSuccess: (made: { readonly name: string }) => onDone(made.name) };
  const items = (before?.parts ?? []).flatMap(({ kind, id }) => (id === null ? [] : [{ kind, id }]));
  const isThere = items.some(({ kind, id }) => kind === item.kind && id === item.id);
  return (
    <FormDialog
      title="Add to a dashboard"
      action="Add"
      isReady={to === "" ? name.trim() !== "" : before !== undefined}
      change={save.isPending || save.error !== null ? save : change}
      onSubmit={() =>
        to === ""
          ? save.mutate({ name: name.trim(), parts: [item] }, done)
          : change.mutate({ dashboard: to, parts: isThere ? items : [...items, item] }, done)
      }
      onClose={onClose}
    >
      {mine.length === 0 ? null : (
        <Choice
          label="Dashboard"
          value={to}
          onChange={setChosen}
          data={[...mine.map((one) => ({ value: one.id, label: one.name })), { value: "", label: "a new one" }]}
        />
      )}
      {to === "" ? (
        <TextField label="Name of the new dashboard" maxLength={200} value={name} onChange={setName} />
      ) : null}
    </FormDialog>
  );
}
