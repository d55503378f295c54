import type { File } from "@dosimeter/client";
import { Checkbox, NativeSelect, Radio, TextInput } from "@mantine/core";
import { NumberField } from "../parts/fields.tsx";
import { Notice } from "../parts/Notice.tsx";
import { WHOLE } from "../parts/number-text.ts";
import { Card } from "../parts/Page.tsx";
import { type HeadField, idOf } from "./declare.ts";
import { type ColumnDraft, type Draft, plural, unitOfSeveral } from "./draft.ts";
import { mayNameUnit } from "./guess.ts";

/** A population that this person may add a table to: they administer all of its datasets that they see. */
export interface KnownPopulation {
  readonly id: string;
  readonly datasets: readonly string[];
  readonly adjacency: string;
  readonly privacyUnit: string;
}

type Change = (change: Partial<Draft>) => void;

/** Longer than the name of any column. */
const UNCHOSEN = "unchosen".padEnd(201, "-");
const isOffered = ({ name }: ColumnDraft): boolean => mayNameUnit(name);
const SEVERAL = "several".padEnd(201, "-");
type FaultOf = (field: HeadField) => string | undefined;

/** The protected people, the neighbour relation, and how much one person may contribute. */
export function People({
  draft,
  file,
  isFile,
  populations,
  faultOf,
  onChange,
}: {
  draft: Draft;
  /** Of a database, a view makes one column of several. */
  isFile: boolean;
  file: Pick<File, "sameAs">;
  populations: readonly KnownPopulation[];
  faultOf: FaultOf;
  onChange: Change;
}) {
  const unitColumns = draft.columns.filter(({ type }) => type === "integer" || type === "text" || type === "category");
  const known = populations.find(({ id }) => id === draft.population);
  const [one, many] = [draft.unit.trim() || "person", draft.units.trim() || "people"];
  return (
    <Card title={`3 · The ${many} in it`}>
      <div className="stack measured">
        <Same {...{ draft, file, populations, onChange }} />
        <NativeSelect
          label="Privacy unit"
          description="The guarantee hides everything that one unit can change in the table."
          value={draft.unitKey === null ? (draft.unitColumn ?? UNCHOSEN) : SEVERAL}
          id={idOf({ field: "unitColumn" })}
          error={faultOf("unitColumn")}
          onChange={(event) => {
            const { value } = event.currentTarget;
            if (value === SEVERAL) onChange(unitOfSeveral([], draft));
            else onChange({ unitColumn: value === UNCHOSEN ? null : value, unitKey: null });
          }}
          data={[
            { value: UNCHOSEN, label: "Choose what is protected …" },
            ...unitColumns.filter(isOffered).map(({ name }) => ({
              value: name,
              label: `Each value of the column ${name} (offered for its name)`,
            })),
            { value: "", label: "Each row" },
            ...unitColumns
              .filter((column) => !isOffered(column))
              .map(({ name }) => ({ value: name, label: `Each value of the column ${name}` })),
            ...(isFile ? [{ value: SEVERAL, label: "Each combination of several columns …" }] : []),
          ]}
        />
        {draft.unitKey === null ? null : <UnitKey {...{ draft, faultOf, onChange }} of={draft.unitKey} />}
        {draft.unitColumn ? <Contribution {...{ draft, faultOf, onChange }} /> : null}
        {known === undefined ? (
          <>
            <Noun {...{ draft, faultOf, onChange }} />
            <Radio.Group
              label="The guarantee protects"
              value={draft.adjacency}
              onChange={(value) => onChange({ adjacency: value as Draft["adjacency"] })}
            >
              <div className="choices">
                <Radio
                  value="addRemove"
                  label={`the presence of any one ${one}: the number of ${many} is protected too`}
                />
                <Radio value="replace" label={`the data of any one ${one}: the number of ${many} may be public`} />
              </div>
            </Radio.Group>
          </>
        ) : null}
        <NumberField
          wish={WHOLE}
          label="Approximate number of rows (optional)"
          description="For quotes and for choosing ε. You state it; it is never read from the data."
          value={draft.size}
          id={idOf({ field: "size" })}
          fault={faultOf("size")}
          onChange={(size) => onChange({ size })}
        />
        <NumberField
          wish={WHOLE}
          label="Most rows (optional)"
          description="A file with more is refused, and how long a release takes follows from it. Empty: twice the number above, or 100,000 where none is stated."
          value={draft.mostRows}
          id={idOf({ field: "mostRows" })}
          fault={faultOf("mostRows")}
          onChange={(mostRows) => onChange({ mostRows })}
        />
        <TextInput
          label="Impossible combinations (optional)"
          description="What no row can be, by what is known without the table. Tables show such cells as 0, at no cost."
          placeholder="age < 15 and married = true"
          value={draft.impossible}
          id={idOf({ field: "impossible" })}
          error={faultOf("impossible")}
          onChange={(event) => onChange({ impossible: event.currentTarget.value })}
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

/** What one and several protected units are called; the usual plural follows until another is written. */
function Noun({ draft, faultOf, onChange }: { draft: Draft; faultOf: FaultOf; onChange: Change }) {
  const { unit, units } = draft;
  return (
    <div className="fields">
      <TextInput
        label="Unit in words"
        description="As in: any one person."
        id={idOf({ field: "unit" })}
        value={unit}
        onChange={(event) => {
          const one = event.currentTarget.value;
          const follows = units === plural(unit.trim()) || units === "";
          onChange({ unit: one, ...(follows ? { units: one.trim() === "" ? "" : plural(one.trim()) } : {}) });
        }}
        error={faultOf("unit")}
      />
      <TextInput
        label="Several of them"
        description="As in: 20,000 people."
        id={idOf({ field: "units" })}
        value={units}
        onChange={(event) => onChange({ units: event.currentTarget.value })}
        error={faultOf("units")}
      />
    </div>
  );
}

/** The columns of which two rows of one unit have the same values; a row that lacks one is of no one. */
function UnitKey({
  draft,
  of,
  faultOf,
  onChange,
}: {
  draft: Draft;
  of: readonly string[];
  faultOf: FaultOf;
  onChange: Change;
}) {
  return (
    <Checkbox.Group
      label="Columns that name one together"
      description="Such as street and number of a home. A row that lacks one of them is left out. A column may be left out below and still name a unit."
      value={[...of]}
      error={faultOf("unitKey")}
      onChange={(names) => onChange(unitOfSeveral(names, draft))}
    >
      <div className="choices unit-key" id={idOf({ field: "unitKey" })} tabIndex={-1}>
        {draft.columns.map(({ name }) => (
          <Checkbox key={name} value={name} label={name} />
        ))}
      </div>
    </Checkbox.Group>
  );
}

function Contribution({ draft, faultOf, onChange }: { draft: Draft; faultOf: FaultOf; onChange: Change }) {
  const input = (name: "rows" | "groups" | "rowsPerGroup", label: string) => (
    <NumberField
      label={label}
      wish={WHOLE}
      value={draft[name]}
      id={idOf({ field: name })}
      fault={faultOf(name)}
      onChange={(text) => onChange({ [name]: text })}
    />
  );
  return (
    <fieldset className="declared-column">
      <legend>What one unit may contribute</legend>
      {input("rows", "Rows in total")}
      {input("groups", "Groups (optional)")}
      {input("rowsPerGroup", "Rows per group (optional)")}
      <p className="soft small declared-wide flush">
        Rows beyond these limits are left out, chosen by a keyed hash. Smaller bounds need less noise.
      </p>
    </fieldset>
  );
}
