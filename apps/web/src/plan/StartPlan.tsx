import type { Declaration } from "@dosimeter/query/declaration";
import { Button } from "@mantine/core";
import type { ReactNode } from "react";
import { Card } from "../parts/Page.tsx";
import { firstTables, suggestions } from "./columns.ts";
import type { RowSettings } from "./workbench.ts";

/** What an empty plan offers: first statistics from the declared columns. */
export function StartPlan({
  declaration,
  onAdd,
  onSummarise,
  children,
}: {
  declaration: Declaration;
  onAdd: (label: string, settings: RowSettings) => void;
  /** A plan of every column at once. */
  onSummarise: () => void;
  /** Other ways to start. */
  children: ReactNode;
}) {
  const tables = firstTables(declaration);
  return (
    <Card title="Start with a statistic">
      <p className="soft flush-top">
        These come from the declared columns. Pick one, see its error, change what you like.
      </p>
      <div className="page-actions">
        {suggestions(declaration).map(({ label, ...settings }) => (
          <Button key={label} variant="light" onClick={() => onAdd(`${label} added`, settings)}>
            {label}
          </Button>
        ))}
        <Button variant="default" onClick={onSummarise}>
          Summarise every column
        </Button>
        <Button variant="default" onClick={() => onAdd("set of tables added", tables)}>
          Make a set of tables
        </Button>
        <Button variant="default" onClick={() => onAdd("synthetic table added", { statistic: "syntheticTable" })}>
          Make a synthetic table
        </Button>
        {children}
      </div>
      {tables.with === undefined ? null : (
        <p className="soft small">A set of tables starts with {tables.with}: choose columns in Settings.</p>
      )}
    </Card>
  );
}
