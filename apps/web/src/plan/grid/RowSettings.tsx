import { PrivacyError } from "@dosimeter/core";
import { type Setting, settingsFor } from "@dosimeter/planner";
import { type Declaration, inNoun } from "@dosimeter/query/declaration";
import {
  binnedColumns,
  givesBins,
  isCountable,
  isStatisticName,
  isTableName,
  releasedBins,
  statisticOf,
  withColumnBins,
} from "@dosimeter/query/statistics";
import { Checkbox } from "@mantine/core";
import { Fragment, useState } from "react";
import { client } from "../../api/connection.ts";
import { useReleases } from "../../api/releases.ts";
import { Choice, CommitInput, TextField } from "../../parts/fields.tsx";
import { columnLabel, isGroupable } from "../columns.ts";
import { FilterField } from "../filter/FilterField.tsx";
import { columnTypes } from "../retype.ts";
import type { RowActions } from "../row-actions.ts";
import { faultOf, type WorkRow } from "../workbench.ts";

/** Bins as an earlier release says: quantiles as edges, found keys as the texts that count. Free; read only where one is chosen. */
function ReleasedBins({
  dataset,
  declaration,
  text,
  onText,
}: {
  dataset: string;
  declaration: Declaration;
  text: string;
  onText: (text: string) => void;
}) {
  const releases = useReleases({ dataset });
  const [said, setSaid] = useState<{ readonly text: string; readonly isFault: boolean }>();
  const offered = (releases.data?.pages ?? []).flatMap(({ items }) =>
    items.filter((item) => item.stage === "done" && givesBins(item)),
  );
  if (offered.length === 0) return null;
  const take = async (id: string): Promise<void> => {
    try {
      const release = await client.showRelease({ release: id });
      const bins = releasedBins(release, { of: dataset, declaration, path: "bins" });
      onText(withColumnBins(text, bins));
      setSaid({ text: `Taken: ${Object.keys(bins).join(", ")}. This costs nothing.`, isFault: false });
    } catch (error) {
      const isRefusal = error instanceof PrivacyError;
      const text = isRefusal ? faultOf(error, declaration.unitNoun).message : "The release could not be read.";
      setSaid({ text, isFault: true });
    }
  };
  return (
    <Choice
      label="Bins as released in"
      value=""
      error={said?.isFault === true ? said.text : undefined}
      description={
        said?.isFault === false ? said.text : "Released quantiles become edges, found keys the texts that count."
      }
      inputWrapperOrder={["label", "input", "description", "error"]}
      onChange={(id) => void take(id)}
      data={[{ value: "", label: "none" }, ...offered.map(({ id, title }) => ({ value: id, label: title }))]}
    />
  );
}

export function RowSettings({
  row,
  dataset,
  declaration,
  actions,
}: {
  row: WorkRow;
  /** Absent where no dataset is asked. */
  dataset?: string | undefined;
  declaration: Declaration;
  actions: RowActions;
}) {
  const known = settingsFor(row.settings, declaration);
  if (known.length === 0) return <p className="plan-row-more soft small">Choose a statistic first.</p>;
  return (
    <div className="plan-row-more">
      <TypeFields row={row} declaration={declaration} retype={actions.retype} />
      {known.map((setting) => (
        <Fragment key={setting.key}>
          <Field setting={setting} row={row} declaration={declaration} actions={actions} />
          {setting.key !== "bins" || dataset === undefined || !isTableName(row.settings.statistic ?? "") ? null : (
            <ReleasedBins
              dataset={dataset}
              declaration={declaration}
              text={row.settings.bins ?? ""}
              onText={(bins) => actions.change({ bins })}
            />
          )}
        </Fragment>
      ))}
    </div>
  );
}

/** The type of the row's variable and the values of a category, on a plan that may change them. */
function TypeFields({
  row: { settings },
  declaration,
  retype,
}: {
  row: WorkRow;
  declaration: Declaration;
  retype: RowActions["retype"];
}) {
  const name = settings.column ?? "";
  const column = declaration.columns[name];
  const [refused, setRefused] = useState<string>();
  if (retype === undefined || column === undefined || column.derived !== undefined) return null;
  return (
    <>
      <Choice
        label={`Type of ${name}`}
        value={column.type}
        error={refused}
        onChange={(chosen) => setRefused(retype(chosen))}
        data={columnTypes}
      />
      {column.categories === undefined ? null : (
        <CommitInput
          label={`Values of ${name}, between commas`}
          value={column.categories.join(", ")}
          onCommit={(text) => retype("category", text)}
        />
      )}
    </>
  );
}

function Field({
  setting: { key, label: usual, kind, hint, choices },
  row: { settings, fault },
  declaration,
  actions,
}: {
  setting: Setting;
  row: WorkRow;
  declaration: Declaration;
  actions: RowActions;
}) {
  const label = inNoun(usual, declaration.unitNoun);
  const value = settings[key] ?? "";
  const error = fault?.field === key ? fault.message : undefined;
  const name = settings.statistic ?? "";
  const isTable =
    isStatisticName(name) && statisticOf(name).column === "none" && statisticOf(name).takes.includes("with");
  if (kind === "choice")
    return (
      <Choice
        label={label}
        value={value}
        error={error}
        onChange={(chosen) => actions.change({ [key]: chosen })}
        data={[...(choices ?? [])]}
      />
    );
  if (kind === "columns") {
    const binned = binnedColumns(settings.bins ?? "");
    const columns = Object.entries(declaration.columns).filter(
      ([name, column]) =>
        name !== settings.column &&
        (key === "with" ? !isTable || isCountable(name, declaration) || binned.includes(name) : isGroupable(column)),
    );
    if (columns.length === 0) return null;
    const chosen = value.split(",").flatMap((name) => (name.trim() === "" ? [] : [name.trim()]));
    return (
      <Checkbox.Group
        className="whole-row"
        label={label}
        description={isTable ? "None: all of them." : undefined}
        value={chosen}
        error={error}
        onChange={(names) => actions.change({ [key]: names.join(", ") })}
      >
        <div className="plan-checks">
          {columns.map(([name]) => (
            <Checkbox key={name} value={name} label={columnLabel(name, declaration)} />
          ))}
        </div>
      </Checkbox.Group>
    );
  }
  if (kind === "predicate")
    return (
      <FilterField
        label={label}
        placeholder={hint(undefined)}
        text={value}
        fault={error}
        declaration={declaration}
        onText={(text) => actions.change({ [key]: text })}
      />
    );
  return (
    <TextField
      label={label}
      placeholder={hint(declaration.columns[settings.column ?? ""])}
      value={value}
      error={error}
      inputMode={kind === "number" || kind === "decimal" ? "decimal" : "text"}
      style={key === "weights" || (key === "bins" && isTable) ? { gridColumn: "1 / -1" } : undefined}
      onChange={(typed) => actions.change({ [key]: typed })}
    />
  );
}
