import { formatNumber } from "@dosimeter/plot";
import { type Declaration, type StatisticName, statistics } from "@dosimeter/query";
import { ActionIcon, Checkbox, NativeSelect, TextInput } from "@mantine/core";
import { IconAdjustments, IconLock, IconLockOpen, IconTrash } from "@tabler/icons-react";
import { useId, useState } from "react";
import { CommitInput } from "./CommitInput.tsx";
import { columnsFor, isGroupable } from "./columns.ts";
import { ErrorInContext } from "./ErrorInContext.tsx";
import type { RowSettings, WorkRow } from "./workbench.ts";

export interface RowActions {
  readonly change: (settings: Partial<RowSettings>) => void;
  /** Each answers why not, or undefined. */
  readonly setShare: (text: string) => string | undefined;
  readonly setError: (text: string) => string | undefined;
  readonly hold: (isHeld: boolean) => void;
  readonly remove: () => void;
}

/** One statistic of a plan: what, of which column, at which share of ε, and how far off the answer will be. */
export function StatisticRow({
  row,
  number,
  declaration,
  actions,
}: {
  row: WorkRow;
  number: number;
  declaration: Declaration;
  actions: RowActions;
}) {
  const { settings, quote, fault } = row;
  const [isOpen, setOpen] = useState(false);
  const more = useId();
  const known = settings.statistic in statistics ? statistics[settings.statistic as StatisticName] : undefined;
  const reads = known?.column ?? "none";
  const columns = columnsFor(reads, declaration);
  const hasMoreFault =
    fault !== null && ["lower", "upper", "granularity", "bins", "groupBy", "where"].includes(fault.field ?? "");
  const isShown = isOpen || hasMoreFault;
  const name = quote?.label ?? `statistic ${number}`;
  return (
    <section
      className="plan-row"
      aria-label={`Statistic ${number}: ${name}`}
      data-faulty={fault !== null && fault.field === null ? true : undefined}
    >
      <div className="plan-row-main">
        <NativeSelect
          label="Statistic"
          value={settings.statistic}
          onChange={(event) => actions.change({ statistic: event.currentTarget.value, column: "" })}
          data={[
            { value: "", label: "Choose…" },
            ...Object.entries(statistics).map(([value, { label }]) => ({ value, label })),
          ]}
        />
        {reads === "none" ? (
          <div aria-hidden="true" className="plan-blank" />
        ) : (
          <NativeSelect
            label="Column"
            value={settings.column}
            onChange={(event) => actions.change({ column: event.currentTarget.value })}
            data={[{ value: "", label: "Choose…" }, ...columns]}
          />
        )}
        <CommitInput
          label="Share of ε"
          inputMode="decimal"
          value={row.epsilon}
          onCommit={actions.setShare}
          aria-label={`Share of epsilon of ${name}`}
        />
        <CommitInput
          label={quote?.cells === 1 || quote === null ? "Error ±" : "Each error ±"}
          inputMode="decimal"
          value={quote === null || quote.accuracy.halfWidth === null ? "" : plain(quote.accuracy.halfWidth)}
          disabled={quote === null || quote.accuracy.halfWidth === null}
          onCommit={actions.setError}
          aria-label={`Error of ${name}`}
        />
        <div className="plan-actions">
          <ActionIcon
            variant={row.isHeld ? "light" : "subtle"}
            size={34}
            aria-pressed={row.isHeld}
            aria-label={`Hold the share of ${name}`}
            title="Hold this share while others change"
            onClick={() => actions.hold(!row.isHeld)}
          >
            {row.isHeld ? <IconLock size={18} aria-hidden /> : <IconLockOpen size={18} aria-hidden />}
          </ActionIcon>
          <ActionIcon
            variant={isShown ? "light" : "subtle"}
            size={34}
            aria-expanded={isShown}
            aria-controls={more}
            aria-label={`Settings of ${name}`}
            title="Bounds, bins, groups, filter"
            onClick={() => setOpen(!isOpen)}
          >
            <IconAdjustments size={18} aria-hidden />
          </ActionIcon>
          <ActionIcon variant="subtle" size={34} aria-label={`Remove ${name}`} title="Remove" onClick={actions.remove}>
            <IconTrash size={18} aria-hidden />
          </ActionIcon>
        </div>
      </div>
      {isShown ? <MoreSettings id={more} row={row} declaration={declaration} reads={reads} actions={actions} /> : null}
      <div className="plan-foot" aria-live="polite">
        {fault === null ? null : (
          <p className={fault.field === null || hasMoreFault ? "fault" : ""} style={{ margin: 0 }}>
            {fault.message.charAt(0).toUpperCase() + fault.message.slice(1)}
          </p>
        )}
        {quote === null ? null : (
          <>
            <span>{quote.sentence}</span>
            <ErrorInContext
              quote={quote}
              lower={boundOf("lower", settings, declaration)}
              upper={boundOf("upper", settings, declaration)}
            />
          </>
        )}
      </div>
    </section>
  );
}

function MoreSettings({
  id,
  row: { settings, fault },
  declaration,
  reads,
  actions,
}: {
  id: string;
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
    <div className="plan-row-more" id={id}>
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

function boundOf(end: "lower" | "upper", settings: RowSettings, declaration: Declaration): number | null {
  const typed = settings[end].trim();
  const value = typed === "" ? declaration.columns[settings.column]?.[end] : Number(typed);
  return value === undefined || !Number.isFinite(value) ? null : value;
}

/** Four digits, without grouping, so that it can be typed over. */
const plain = (value: number): string => (value >= 1e15 ? String(value) : String(Number(value.toPrecision(4))));
