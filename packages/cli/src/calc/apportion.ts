import { invalid, PrivacyError } from "@dosimeter/core";
import type { Fields } from "@dosimeter/core/internal";
import {
  accountantChoices,
  type Edit,
  editPlan,
  emptyDraft,
  type GivenRow,
  openRows,
  type PlanDraft,
  psiShares,
} from "@dosimeter/planner";
import { checkDeclaration } from "@dosimeter/query/declaration";
import { type CalcFunction, calcFunction, optional, type Reader, required } from "./function.ts";
import { array, boolean, decimal, number, oneOf, parsed, record, text } from "./readers.ts";

/** The field of a record, read; `missing` where it is absent. */
function field<T>(fields: Fields, name: string, path: string, reader: Reader<T>, missing?: T): T {
  const value = Object.hasOwn(fields, name) ? fields[name] : undefined;
  if (value === undefined && missing !== undefined) return missing;
  return reader.read(value, `${path}.${name}`);
}

const modes = ["free", "soft", "share", "error"] as const;
const allocations = ["ratio", "even", "weights", "targets", "total"] as const;
const positive = number({ above: 0 });

/** A plan before its rows get weights, which may need the declaration. */
interface GivenPlan {
  readonly draft: PlanDraft;
  readonly rows: readonly GivenRow[];
}

const plan: Reader<GivenPlan> = parsed(
  "{epsilon, delta?, rows: [{id, epsilon?, rho?, held?, mode?, request?, target?, weight?}], accountant?, allocate?, reserve?, sample?, confidence?, people?}",
  (value, path) => {
    const fields = record.read(value, path);
    const rows = fields.rows;
    if (!Array.isArray(rows)) invalid(`${path}.rows`, undefined, "an array");
    const optionally = <T>(name: string, reader: Reader<T>): T | null =>
      fields[name] === undefined || fields[name] === null ? null : field(fields, name, path, reader);
    return {
      rows: rows.map((row, index) => readRow(row, `${path}.rows[${index}]`)),
      draft: {
        ...emptyDraft(field(fields, "epsilon", path, decimal), field(fields, "delta", path, decimal, "0")),
        accountant: field(fields, "accountant", path, oneOf(accountantChoices), "addition"),
        allocate: field(fields, "allocate", path, oneOf(allocations), "ratio"),
        policy: field(fields, "policy", path, oneOf(["rebalance", "strict"]), "rebalance"),
        reserve: String(field(fields, "reserve", path, decimal, "0")),
        sample: readSample(optionally("sample", record), `${path}.sample`),
        confidence: field(fields, "confidence", path, number({ above: 0, below: 1 }), 0.95),
        people: optionally("people", number({ min: 1, integer: true })),
      },
    };
  },
);

function readSample(fields: Fields | null, path: string): PlanDraft["sample"] {
  if (fields === null) return null;
  const whole = number({ min: 1, integer: true });
  return { size: field(fields, "size", path, whole), population: field(fields, "population", path, whole) };
}

function readRow(value: unknown, path: string): GivenRow {
  const fields = record.read(value, path);
  const optionally = <T>(name: string, reader: Reader<T>): T | undefined =>
    fields[name] === undefined ? undefined : field(fields, name, path, reader);
  return {
    id: field(fields, "id", path, text),
    request: field(fields, "request", path, record, {}),
    mode: field(fields, "mode", path, oneOf(modes), field(fields, "held", path, boolean, false) ? "share" : "free"),
    epsilon: optionally("epsilon", decimal),
    rho: optionally("rho", decimal),
    accuracy: optionally("accuracy", positive),
    target: optionally("target", positive),
    weight: optionally("weight", positive),
  };
}

const edits: Readonly<Record<string, (fields: Fields, path: string) => Edit>> = {
  total: (fields, path) => ({ kind: "total", epsilon: field(fields, "epsilon", path, decimal) }),
  add: (fields, path) => ({
    kind: "add",
    id: field(fields, "id", path, text),
    request: field(fields, "request", path, record, {}),
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
  rho: (fields, path) => ({
    kind: "rho",
    id: field(fields, "id", path, text),
    rho: field(fields, "rho", path, decimal),
  }),
  target: (fields, path) => ({
    kind: "target",
    id: field(fields, "id", path, text),
    target: field(fields, "target", path, positive),
  }),
  allocate: (fields, path) => ({ kind: "allocate", allocate: field(fields, "allocate", path, oneOf(allocations)) }),
  mode: (fields, path) => ({
    kind: "mode",
    id: field(fields, "id", path, text),
    mode: field(fields, "mode", path, oneOf(modes)),
  }),
  hold: (fields, path) => ({ kind: "mode", id: field(fields, "id", path, text), mode: "share" }),
  release: (fields, path) => ({ kind: "mode", id: field(fields, "id", path, text), mode: "free" }),
};

const edit: Reader<Edit> = parsed(
  `{kind: ${Object.keys(edits).join(" | ")}, id?, epsilon?, rho?, accuracy?, target?, mode?, allocate?, request?}`,
  (value, path) => {
    const fields = record.read(value, path);
    const kind = field(fields, "kind", path, oneOf(Object.keys(edits)));
    const read = edits[kind];
    if (read === undefined) throw new PrivacyError("INVALID_PARAMETER", { name: `${path}.kind`, got: kind });
    return read(fields, path);
  },
);

/** A share that a row has, or null for a row that has none yet. */
const share: Reader<number | null> = parsed("number >= 0, or null", (value, path) =>
  value === null ? null : number({ min: 0 }).read(value, path),
);

/** `apportion`: how a plan's rows share ε again after an edit, to the last unit. */
export const apportionFunctions: readonly CalcFunction[] = [
  calcFunction(
    "apportion",
    "shares epsilon among the rows of a plan: held rows keep theirs, the row just edited gets what was typed, the free rows share the rest",
    {
      plan: required(plan, "rows with their shares; allocate is ratio (as they were, default) or how to share again"),
      edit: optional(edit, "what was just changed; without one ε is divided among the rows again"),
      declaration: optional(
        parsed("declaration of a dataset", (value) => checkDeclaration(value)),
        "needed where errors are: by an accuracy, a target, a held error",
      ),
    },
    ({ plan: { draft, rows: given }, edit: change, declaration = null }) => {
      const opened = { ...draft, rows: openRows(given, draft, declaration) };
      const before = editPlan(opened, { kind: "allocate", allocate: draft.allocate }, declaration);
      const { rows, epsilon, over, pending, notices } =
        change === undefined ? before : editPlan(before.pending === null ? before : opened, change, declaration);
      return {
        rows: rows.map(({ id, epsilon: share, rho, mode }) => ({
          id,
          ...(rho === undefined ? { epsilon: Number(share) } : { rho: Number(rho) }),
          mode,
          held: mode === "share" || mode === "error",
        })),
        epsilon: Number(epsilon),
        over: Number(over),
        ...(pending === null ? {} : { needs: Number(pending.needs), available: Number(pending.available) }),
        ...(notices.length === 0 ? {} : { released: notices.map(({ id }) => id) }),
      };
    },
  ),
  calcFunction(
    "psiShares",
    "how the Privacy Budgeting Interface divided epsilon, as published: to reproduce its tables; apportion is what the ledger means",
    {
      epsilons: required(array(share), "epsilon of each row; null for a new one"),
      protectedRows: optional(
        array(number({ min: 0, integer: true })),
        "rows that keep theirs, from 0; none when absent",
      ),
      epsilon: required(number({ above: 0 }), "of the whole table"),
      delta: required(number({ above: 0, below: 1 }), "of the whole table: half goes to composition"),
    },
    ({ protectedRows = [], ...table }) => psiShares({ ...table, protectedRows }),
  ),
];
