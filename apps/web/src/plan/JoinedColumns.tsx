import type { Edit, PlanDraft } from "@dosimeter/planner";
import { type Column, type Declaration, inNoun, type JoinRequest } from "@dosimeter/query/declaration";
import { takenWords, withJoin } from "@dosimeter/query/join";
import { Button } from "@mantine/core";
import { useMemo, useState } from "react";
import { DataTable } from "../parts/DataTable.tsx";
import { columnWords } from "./columns.ts";
import { emptyTaken, type TakenTexts, takenOfTexts } from "./joined.ts";
import { TakenFields } from "./TakenFields.tsx";
import { faultOf } from "./workbench.ts";

type Joinable = NonNullable<Declaration["joinable"]>;

/** Columns that the plan takes of another table of the same people: seen, added and removed, each checked while it is typed. */
export function JoinedColumns({
  draft,
  declaration,
  joinable,
  onEdit,
}: {
  draft: PlanDraft;
  declaration: Declaration;
  joinable: Joinable;
  onEdit: (label: string, edit: Edit) => string | undefined;
}) {
  const { join } = draft;
  const [chosen, setChosen] = useState(join?.dataset ?? Object.keys(joinable)[0] ?? "");
  const dataset = join?.dataset ?? chosen;
  const [texts, setTexts] = useState<TakenTexts>(emptyTaken);
  const [refused, setRefused] = useState<string>();
  const next = useMemo(() => withTaken(join, dataset, texts), [join, dataset, texts]);
  const checked = useMemo(
    () => (next === null ? null : check(declaration, next, texts.name)),
    [declaration, next, texts],
  );
  const theirs = joinable[dataset]?.declaration;
  const taken = takenIn(declaration, join);
  const add = (): void => {
    if (next === null) return;
    const fault = onEdit(`column ${texts.name} added`, { kind: "join", join: next });
    setRefused(fault);
    if (fault === undefined) setTexts(emptyTaken);
  };
  const remove = (gone: string): void => {
    if (join === undefined) return;
    const { [gone]: _, ...columns } = join.columns;
    const left = Object.keys(columns).length === 0 ? null : { ...join, columns };
    setRefused(onEdit(`column ${gone} removed`, { kind: "join", join: left }));
  };
  const count = taken.length === 0 ? "" : ` (${taken.length})`;
  return (
    <details className="card" open={join !== undefined}>
      <summary>Columns of another table{count}</summary>
      <div className="stack below-12">
        <p className="soft small flush">
          {inNoun(
            "A plan can take columns of one other table about the same people. Each row gets what belongs to its own person, so the join costs nothing.",
            declaration.unitNoun,
          )}
        </p>
        {taken.length === 0 ? null : (
          <DataTable
            caption="Columns of another table in this plan"
            isCaptionHidden
            rows={taken}
            keyOf={({ name }) => name}
            columns={[
              { name: "Column", isHead: true, cell: ({ name }) => name },
              { name: `From ${theirs?.name ?? ""}`, cell: ({ words }) => words },
              { name: "Values", cell: ({ column }) => (column === undefined ? "" : columnWords(column)) },
              {
                name: "Remove",
                cell: ({ name }) => (
                  <button type="button" className="tool" onClick={() => remove(name)}>
                    Remove <span className="visually-hidden">{name}</span>
                  </button>
                ),
              },
            ]}
          />
        )}
        {theirs === undefined ? null : (
          <form
            className="joined-form"
            onSubmit={(event) => {
              event.preventDefault();
              if (checked?.column !== undefined) add();
            }}
          >
            <TakenFields
              texts={texts}
              onTexts={(changed) => setTexts({ ...texts, ...changed })}
              theirs={theirs}
              tables={join === undefined ? tablesOf(joinable) : []}
              table={dataset}
              onTable={setChosen}
            />
            <div className="joined-add">
              <Button type="submit" variant="default" disabled={checked?.column === undefined}>
                Take the column
              </Button>
              <p className={checked?.fault === undefined ? "soft small" : "small joined-fault"} role="status">
                {checked?.fault ??
                  refused ??
                  (checked?.column === undefined ? "" : `Will be ${columnWords(checked.column)}.`)}
              </p>
            </div>
          </form>
        )}
      </div>
    </details>
  );
}

const tablesOf = (joinable: Joinable) =>
  Object.entries(joinable).map(([value, { declaration }]) => ({ value, label: declaration.name }));

/** The join with one column more; null while it has no name or not what it needs. */
function withTaken(join: PlanDraft["join"], dataset: string, texts: TakenTexts): JoinRequest | null {
  const taken = takenOfTexts(texts);
  if (taken === null) return null;
  return { ...(join ?? { dataset }), columns: { ...join?.columns, [texts.name.trim()]: taken } };
}

function check(
  declaration: Declaration,
  join: JoinRequest,
  name: string,
): { readonly column?: Column; readonly fault?: string } {
  try {
    const column = withJoin(declaration, join).columns[name.trim()];
    return column === undefined ? {} : { column };
  } catch (error) {
    return { fault: faultOf(error).message.replace(/^join\.columns\./, "") };
  }
}

interface TakenRow {
  readonly name: string;
  readonly words: string;
  readonly column: Column | undefined;
}

/** The columns with what they are; only their names where the other table no longer fits, so that they can be removed. */
function takenIn(declaration: Declaration, join: PlanDraft["join"]): readonly TakenRow[] {
  if (join === undefined) return [];
  try {
    const { columns, joined } = withJoin(declaration, join);
    return Object.entries(joined?.columns ?? {}).map(([name, one]) => ({
      name,
      words: takenWords(one),
      column: columns[name],
    }));
  } catch (error) {
    const { message } = faultOf(error);
    return Object.keys(join.columns).map((name) => ({ name, words: message, column: undefined }));
  }
}
