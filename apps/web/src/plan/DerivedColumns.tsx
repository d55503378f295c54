import { type Edit, type PlanDraft, wholeDeclaration } from "@dosimeter/planner";
import { type Column, type Declaration, formulaText } from "@dosimeter/query/declaration";
import { withDerived } from "@dosimeter/query/expression";
import { withJoin } from "@dosimeter/query/join";
import { useMemo, useState } from "react";
import { DataTable } from "../parts/DataTable.tsx";
import { Form } from "../parts/Form.tsx";
import { TextField } from "../parts/fields.tsx";
import { columnWords } from "./columns.ts";
import { faultOf } from "./workbench.ts";

type Formulas = NonNullable<PlanDraft["let"]>;

/** Columns that the plan computes from declared ones: seen, added and removed, each checked while it is typed. */
export function DerivedColumns({
  draft,
  declaration,
  onEdit,
}: {
  draft: PlanDraft;
  declaration: Declaration;
  onEdit: (label: string, edit: Edit) => string | undefined;
}) {
  const formulas = draft.let ?? {};
  const [name, setName] = useState("");
  const [formula, setFormula] = useState("");
  const [refused, setRefused] = useState<string>();
  const checked = useMemo(
    () =>
      name === "" || formula === "" ? null : check(declaration, draft.join, { ...formulas, [name]: formula }, name),
    [declaration, draft.join, formulas, name, formula],
  );
  const whole = wholeDeclaration(declaration, draft);
  const add = (): void => {
    const fault = onEdit(`column ${name} added`, { kind: "let", let: { ...formulas, [name]: formula } });
    setRefused(fault);
    if (fault !== undefined) return;
    setName("");
    setFormula("");
  };
  const remove = (gone: string): void => {
    const { [gone]: _, ...others } = formulas;
    setRefused(onEdit(`column ${gone} removed`, { kind: "let", let: others }));
  };
  return (
    <details className="card" open={Object.keys(formulas).length > 0}>
      <summary>Derived columns{Object.keys(formulas).length === 0 ? "" : ` (${Object.keys(formulas).length})`}</summary>
      <div className="below-12">
        <p className="soft small flush-top">
          A plan can compute columns from declared ones, row by row, and use them like any other. Their bounds are
          computed too; a formula costs nothing.
        </p>
        {Object.keys(formulas).length === 0 ? null : (
          <DataTable
            caption="Derived columns of this plan"
            isCaptionHidden
            rows={Object.entries(formulas)}
            keyOf={([each]) => each}
            columns={[
              { name: "Column", isHead: true, cell: ([each]) => each },
              {
                name: "Formula",
                cell: ([, text]) => <code>{typeof text === "string" ? text : formulaText(text)}</code>,
              },
              { name: "Values", cell: ([each]) => wordsOf(whole.columns[each]) },
              {
                name: "Remove",
                cell: ([each]) => (
                  <button type="button" className="tool" onClick={() => remove(each)}>
                    Remove <span className="visually-hidden">{each}</span>
                  </button>
                ),
              },
            ]}
          />
        )}
        <Form
          className="derived-form"
          action="Add the column"
          isRow
          isReady={checked?.column !== undefined}
          variant="default"
          onSubmit={() => add()}
        >
          <TextField label="New column" placeholder="decade" value={name} onChange={(typed) => setName(typed.trim())} />
          <TextField
            label="Formula"
            placeholder="cut(age, 10)"
            value={formula}
            error={checked?.fault ?? refused}
            description={checked?.column === undefined ? undefined : `Will be ${columnWords(checked.column)}.`}
            inputWrapperOrder={["label", "input", "description", "error"]}
            onChange={setFormula}
          />
        </Form>
      </div>
    </details>
  );
}

function check(
  declaration: Declaration,
  join: PlanDraft["join"],
  formulas: Formulas,
  name: string,
): { readonly column?: Column; readonly fault?: string } {
  try {
    const column = withDerived(withJoin(declaration, join), formulas).columns[name];
    return column === undefined ? {} : { column };
  } catch (error) {
    return { fault: faultOf(error).message.replace(/^let\./, "") };
  }
}

const wordsOf = (column: Column | undefined): string => (column === undefined ? "" : columnWords(column));
