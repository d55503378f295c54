import { Button, NativeSelect, TextInput } from "@mantine/core";
import { useState } from "react";
import { provenances, types } from "./ColumnRow.tsx";
import type { ColumnDraft } from "./draft.ts";

const KEEP = { value: "", label: "as it is" };
const listOf = (of: Readonly<Record<string, string>>) => [
  KEEP,
  ...Object.entries(of).map(([value, label]) => ({ value, label })),
];
const missing = { yes: "never", no: "possible" } as const;
const nothing = { type: "", lower: "", upper: "", provenance: "", missing: "" };

/** Sets the same of all selected columns; what is left as it is does not change. */
export function BulkEdit({ count, onApply }: { count: number; onApply: (change: Partial<ColumnDraft>) => void }) {
  const [form, setForm] = useState(nothing);
  const set = (name: keyof typeof nothing) => (event: { readonly currentTarget: { readonly value: string } }) => {
    const { value } = event.currentTarget;
    setForm((before) => ({ ...before, [name]: value }));
  };
  const apply = () => {
    const { missing: never, ...texts } = form;
    const said = Object.fromEntries(Object.entries(texts).filter(([, text]) => text.trim() !== ""));
    onApply({ ...said, ...(never === "" ? {} : { isRequired: never === "yes" }) });
    setForm(nothing);
  };
  if (count === 0)
    return <p className="soft small grid-hint">Select columns to set type, bounds or source of several at once.</p>;
  return (
    <fieldset className="grid-bulk">
      <legend>
        Set for {count} selected {count === 1 ? "column" : "columns"}
      </legend>
      <NativeSelect size="xs" label="Type" value={form.type} onChange={set("type")} data={listOf(types)} />
      <TextInput size="xs" label="At least" value={form.lower} onChange={set("lower")} />
      <TextInput size="xs" label="At most" value={form.upper} onChange={set("upper")} />
      <NativeSelect
        size="xs"
        label="Source"
        value={form.provenance}
        onChange={set("provenance")}
        data={listOf(provenances)}
      />
      <NativeSelect size="xs" label="Missing" value={form.missing} onChange={set("missing")} data={listOf(missing)} />
      <Button size="xs" variant="default" onClick={apply}>
        Set
      </Button>
    </fieldset>
  );
}
