import type { Declaration } from "@dosimeter/query/declaration";
import { IconX } from "@tabler/icons-react";
import { Choice } from "../../parts/fields.tsx";
import { ConditionValue, ConditionValues } from "./ConditionValue.tsx";
import {
  type Condition,
  compared,
  comparisons,
  comparisonsFor,
  conditionOn,
  faultsOf,
  filterColumns,
} from "./filter.ts";

/** One condition: a column, how it is compared, and with what. */
export function ConditionRow({
  condition,
  name,
  declaration,
  onChange,
  onRemove,
}: {
  condition: Condition;
  /** Its number, for labels. */
  name: string;
  declaration: Declaration;
  onChange: (condition: Condition) => void;
  onRemove: () => void;
}) {
  const column = declaration.columns[condition.column];
  const columns = filterColumns(declaration);
  const known = comparisonsFor(column);
  const faults = faultsOf(condition, declaration);
  const { takes } = comparisons[condition.comparison];
  const change = (at: number, value: Condition["values"][number]): void =>
    onChange({ ...condition, values: condition.values.map((each, index) => (index === at ? value : each)) });
  const whole = faults.get(-1);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be a grid in every browser
    <div className="filter-row" role="group" aria-label={`Condition ${name}`}>
      <Choice
        aria-label={`Column of condition ${name}`}
        data-focus={name}
        value={condition.column}
        error={takes === "list" ? undefined : whole}
        data={[...new Set([condition.column, ...columns])].sort((a, b) => columns.indexOf(a) - columns.indexOf(b))}
        onChange={(chosen) => onChange(conditionOn(chosen, declaration, condition.comparison))}
      />
      <Choice
        aria-label={`Comparison of condition ${name}`}
        value={condition.comparison}
        data={[...new Set([...known, condition.comparison])].map((value) => ({
          value,
          label: comparisons[value].label,
        }))}
        onChange={(chosen) => {
          const found = known.find((each) => each === chosen);
          if (found !== undefined) onChange(compared(condition, found));
        }}
      />
      <div className="filter-values">
        {takes === "list" ? (
          <ConditionValues
            label={`Values of condition ${name}`}
            column={column}
            value={condition.values}
            fault={whole}
            onChange={(values) => onChange({ ...condition, values })}
          />
        ) : (
          condition.values.map((value, at) => (
            <ConditionValue
              // biome-ignore lint/suspicious/noArrayIndexKey: the lower and the upper end
              key={at}
              label={takes === "two" ? `${at === 0 ? "From" : "To"}, condition ${name}` : `Value of condition ${name}`}
              column={column}
              value={value}
              fault={faults.get(at)}
              onChange={(next) => change(at, next)}
            />
          ))
        )}
      </div>
      <button type="button" className="tool" aria-label={`Remove condition ${name}`} onClick={onRemove}>
        <IconX size={16} aria-hidden />
      </button>
    </div>
  );
}
