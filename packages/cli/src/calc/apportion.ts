import { PrivacyError } from "@dosimeter/core";
import {
  checkDeclaration,
  type Declaration,
  type Edit,
  editPlan,
  type PlanDraft,
  type PlanRow,
} from "@dosimeter/query";
import { type CalcFunction, calcFunction, optional, type Reader, required } from "./function.ts";
import { boolean, decimal, number, oneOf, parsed, text } from "./readers.ts";

type Fields = Readonly<Record<string, unknown>>;

const object: Reader<Fields> = parsed("object", (value, path) => {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Fields;
  throw new PrivacyError("INVALID_PARAMETER", { name: path, got: value, want: "an object" });
});

/** The field of an object, read; `missing` where it is absent. */
function field<T>(fields: Fields, name: string, path: string, reader: Reader<T>, missing?: T): T {
  const value = Object.hasOwn(fields, name) ? fields[name] : undefined;
  if (value === undefined && missing !== undefined) return missing;
  return reader.read(value, `${path}.${name}`);
}

const draft: Reader<PlanDraft> = parsed(
  "{epsilon, rows: [{id, epsilon?, held?, request?}], allocate?, confidence?, people?}",
  (value, path) => {
    const fields = object.read(value, path);
    const rows = fields.rows;
    if (!Array.isArray(rows)) throw new PrivacyError("INVALID_PARAMETER", { name: `${path}.rows`, want: "an array" });
    return {
      rows: rows.map((row, index) => readRow(row, `${path}.rows[${index}]`)),
      epsilon: String(field(fields, "epsilon", path, decimal)),
      allocate: field(fields, "allocate", path, oneOf(["ratio", "even"]), "ratio"),
      confidence: field(fields, "confidence", path, number({ above: 0, below: 1 }), 0.95),
      people: fields.people === undefined ? null : field(fields, "people", path, number({ min: 1, integer: true })),
      over: "0",
    };
  },
);

function readRow(value: unknown, path: string): PlanRow {
  const fields = object.read(value, path);
  return {
    id: field(fields, "id", path, text),
    request: field(fields, "request", path, object, {}),
    mode: field(fields, "held", path, boolean, false) ? "held" : "free",
    epsilon: String(field(fields, "epsilon", path, decimal, "0")),
  };
}

const edits: Readonly<Record<string, (fields: Fields, path: string) => Edit>> = {
  total: (fields, path) => ({ kind: "total", epsilon: field(fields, "epsilon", path, decimal) }),
  add: (fields, path) => ({
    kind: "add",
    id: field(fields, "id", path, text),
    request: field(fields, "request", path, object, {}),
  }),
  remove: (fields, path) => ({ kind: "remove", id: field(fields, "id", path, text) }),
  epsilon: (fields, path) => ({
    kind: "epsilon",
    id: field(fields, "id", path, text),
    epsilon: field(fields, "epsilon", path, decimal),
  }),
  accuracy: (fields, path) => ({
    kind: "accuracy",
    id: field(fields, "id", path, text),
    accuracy: field(fields, "accuracy", path, number({ min: 0 })),
  }),
  hold: (fields, path) => ({ kind: "mode", id: field(fields, "id", path, text), mode: "held" }),
  release: (fields, path) => ({ kind: "mode", id: field(fields, "id", path, text), mode: "free" }),
};

const edit: Reader<Edit> = parsed(
  `{kind: ${Object.keys(edits).join(" | ")}, id?, epsilon?, accuracy?, request?}`,
  (value, path) => {
    const fields = object.read(value, path);
    const kind = field(fields, "kind", path, oneOf(Object.keys(edits)));
    const read = edits[kind];
    if (read === undefined) throw new PrivacyError("INVALID_PARAMETER", { name: `${path}.kind`, got: kind });
    return read(fields, path);
  },
);

/** `apportion`: how a plan's rows share ε again after an edit, to the last unit. */
export const apportionFunctions: readonly CalcFunction[] = [
  calcFunction(
    "apportion",
    "shares epsilon among the rows of a plan: held rows keep theirs, the row just edited gets what was typed, the free rows share the rest",
    {
      plan: required(draft, "rows with their shares; allocate is ratio (as they were, default) or even"),
      edit: optional(edit, "what was just changed; without one the rows are shared out again"),
      declaration: optional(
        parsed("declaration of a dataset", (value) => checkDeclaration(value)),
        "needed by an edit of an accuracy",
      ),
    },
    ({ plan, edit: given, declaration }) => {
      const change: Edit = given ?? { kind: "total", epsilon: plan.epsilon };
      const { rows, epsilon, over } = editPlan(plan, change, declaration ?? needed(change));
      return {
        rows: rows.map(({ id, epsilon: share, mode }) => ({ id, epsilon: Number(share), held: mode === "held" })),
        epsilon: Number(epsilon),
        over: Number(over),
      };
    },
  ),
];

/** Only an accuracy is priced by a declaration; the other edits never look at it. */
function needed(change: Edit): Declaration {
  if (change.kind === "accuracy") throw new PrivacyError("INVALID_PARAMETER", { name: "declaration" });
  return checkDeclaration({
    name: "none",
    source: { csv: "none" },
    privacyUnit: "row",
    columns: { none: { type: "text" } },
  });
}
