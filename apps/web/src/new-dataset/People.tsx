import type { File } from "@dosimeter/client";
import { Checkbox, NativeSelect, Radio, TextInput } from "@mantine/core";
import { Notice } from "../parts/Notice.tsx";
import { NumberField } from "../parts/NumberField.tsx";
import { WHOLE } from "../parts/number-text.ts";
import { Card } from "../parts/Page.tsx";
import type { Draft } from "./draft.ts";

/** A population that this person may add a table to: they administer all of its datasets that they see. */
export interface KnownPopulation {
  readonly id: string;
  readonly datasets: readonly string[];
  readonly adjacency: string;
  readonly privacyUnit: string;
}

type Change = (change: Partial<Draft>) => void;

/** The protected people, the neighbour relation, and how much one person may contribute. */
export function People({
  draft,
  file,
  populations,
  fault,
  onChange,
}: {
  draft: Draft;
  file: Pick<File, "sameAs">;
  populations: readonly KnownPopulation[];
  fault: { readonly name: string; readonly fault: string } | undefined;
  onChange: Change;
}) {
  const faultOf = (name: string) => (fault?.name === name ? fault.fault : undefined);
  const unitColumns = draft.columns.filter(({ type }) => type === "integer" || type === "text" || type === "category");
  const known = populations.find(({ id }) => id === draft.population);
  return (
    <Card title="3 · The people in it">
      <div className="stack" style={{ maxWidth: 680 }}>
        <Same {...{ draft, file, populations, onChange }} />
        <NativeSelect
          label="Privacy unit"
          description="The guarantee hides everything that one unit can change in the table."
          value={draft.unitColumn}
          error={faultOf("privacyUnit") ?? faultOf("privacyUnit.column")}
          onChange={(event) => onChange({ unitColumn: event.currentTarget.value })}
          data={[
            { value: "", label: "Each row" },
            ...unitColumns.map(({ name }) => ({ value: name, label: `Each value of the column ${name}` })),
          ]}
        />
        {draft.unitColumn === "" ? null : <Contribution draft={draft} fault={fault} onChange={onChange} />}
        {known === undefined ? (
          <>
            <TextInput
              label="Unit in words"
              description="For the sentence of the guarantee: “when any one person is added or removed”."
              value={draft.unit}
              onChange={(event) => onChange({ unit: event.currentTarget.value })}
              error={draft.unit.trim() === "" ? "Must be a word, such as person or household." : undefined}
            />
            <Radio.Group
              label="The guarantee protects"
              value={draft.adjacency}
              onChange={(value) => onChange({ adjacency: value as Draft["adjacency"] })}
            >
              <div className="choices">
                <Radio
                  value="addRemove"
                  label="the presence of any one person: the number of people is protected too"
                />
                <Radio value="replace" label="the data of any one person: the number of people may be public" />
              </div>
            </Radio.Group>
          </>
        ) : null}
        <NumberField
          wish={WHOLE}
          label="Approximate number of rows (optional)"
          description="For quotes and for choosing ε. You state it; it is never read from the data."
          value={draft.size}
          fault={faultOf("size.assumed") ?? faultOf("size.public")}
          onChange={(size) => onChange({ size })}
        />
        {(known?.adjacency ?? draft.adjacency) === "replace" && draft.size.trim() !== "" ? (
          <Checkbox
            label="This number is exact and public; the server checks it once"
            checked={draft.isSizePublic}
            onChange={(event) => onChange({ isSizePublic: event.currentTarget.checked })}
          />
        ) : null}
      </div>
    </Card>
  );
}

function Same({
  draft,
  file,
  populations,
  onChange,
}: {
  draft: Draft;
  file: Pick<File, "sameAs">;
  populations: readonly KnownPopulation[];
  onChange: Change;
}) {
  const [same] = file.sameAs;
  if (same !== undefined)
    return (
      <Notice tone="warn" title={`This is the table of ${same.name}`}>
        <p>
          It is the same file, now or in an older version, so the people are the same: they share one ledger, and what
          was spent on them stays spent. Only admins of {same.name} see this note.
        </p>
      </Notice>
    );
  if (populations.length === 0) return null;
  return (
    <NativeSelect
      label="Population"
      description="Datasets about the same people share one budget, whatever their names."
      value={draft.population}
      onChange={(event) => {
        const population = populations.find(({ id }) => id === event.currentTarget.value);
        const adjacency = population?.adjacency === "replace" ? "replace" : "addRemove";
        onChange({ population: event.currentTarget.value, ...(population === undefined ? {} : { adjacency }) });
      }}
      data={[
        { value: "", label: "not in any dataset here" },
        ...populations.map(({ id, datasets }) => ({
          value: id,
          label: `the same people as in ${datasets.join(", ")}`,
        })),
      ]}
    />
  );
}

function Contribution({
  draft,
  fault,
  onChange,
}: {
  draft: Draft;
  fault: { readonly name: string; readonly fault: string } | undefined;
  onChange: Change;
}) {
  const input = (name: "rows" | "groups" | "rowsPerGroup", label: string) => (
    <NumberField
      label={label}
      wish={WHOLE}
      value={draft[name]}
      fault={
        fault?.name === `contribution.${name}` || (name === "rows" && fault?.name === "contribution")
          ? fault.fault
          : undefined
      }
      onChange={(text) => onChange({ [name]: text })}
    />
  );
  return (
    <fieldset className="declared-column">
      <legend>What one unit may contribute</legend>
      {input("rows", "Rows in total")}
      {input("groups", "Groups (optional)")}
      {input("rowsPerGroup", "Rows per group (optional)")}
      <p className="soft small declared-wide" style={{ margin: 0 }}>
        Rows beyond these limits are left out, chosen by a keyed hash. Smaller bounds need less noise.
      </p>
    </fieldset>
  );
}
