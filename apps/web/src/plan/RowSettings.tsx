import { formatNumber } from "@dosimeter/plot";
import type { Declaration } from "@dosimeter/query";
import { Checkbox, NativeSelect, TextInput } from "@mantine/core";
import { isGroupable } from "./columns.ts";
import type { RowActions } from "./row-actions.ts";
import type { WorkRow } from "./workbench.ts";

/** Bounds, bins, groups, filter and noise of one row. */
export function RowSettings({
  row: { settings, fault },
  declaration,
  reads,
  actions,
}: {
  row: WorkRow;
  declaration: Declaration;
  reads: "none" | "numeric" | "binned";
  actions: RowActions;
}) {
  const column = declaration.columns[settings.column];
  const isNumber = column?.type === "integer" || column?.type === "number";
  const groupable = Object.entries(declaration.columns).filter(([, other]) => isGroupable(other));
  const faultOf = (field: string) => (fault?.field === field ? fault.message : undefined);
  const text = (field: "lower" | "upper" | "granularity" | "bins" | "where", label: string, placeholder: string) => (
    <TextInput
      label={label}
      placeholder={placeholder}
      value={settings[field]}
      error={faultOf(field)}
      onChange={(event) => actions.change({ [field]: event.currentTarget.value })}
    />
  );
  const declared = (bound: number | undefined) =>
    bound === undefined ? "not declared" : `${formatNumber(bound, 15)}, declared`;
  return (
    <div className="plan-row-more">
      {reads !== "none" && isNumber ? (
        <>
          {text("lower", "Lower bound", declared(column.lower))}
          {text("upper", "Upper bound", declared(column.upper))}
          {reads === "binned"
            ? text("bins", "Bins", column.type === "integer" ? "one per value" : "10, or edges: 0 50 100")
            : text(
                "granularity",
                "Rounded to",
                column.granularity === undefined ? "as fine as needed" : declared(column.granularity),
              )}
        </>
      ) : null}
      {text("where", "Only rows where", "age >= 18 and married = true")}
      <NativeSelect
        label="Noise"
        value={settings.noise}
        onChange={(event) => actions.change({ noise: event.currentTarget.value === "gaussian" ? "gaussian" : "" })}
        data={[
          { value: "", label: "Laplace, paid in ε" },
          { value: "gaussian", label: "Gaussian, paid in ρ" },
        ]}
      />
      {groupable.length === 0 ? null : (
        <Checkbox.Group
          label="One answer for each"
          value={[...settings.groupBy]}
          error={faultOf("groupBy")}
          onChange={(groupBy) => actions.change({ groupBy })}
          style={{ gridColumn: "1 / -1" }}
        >
          <div style={{ display: "flex", flexWrap: "wrap", gap: "8px 18px", paddingTop: 6 }}>
            {groupable.map(([name]) => (
              <Checkbox key={name} value={name} label={name} />
            ))}
          </div>
        </Checkbox.Group>
      )}
    </div>
  );
}
