import { epsilonAmount, epsilonFromUnits, formatEpsilon, parseRational } from "@dosimeter/core";
import { errorText } from "@dosimeter/core/internal";
import {
  committed,
  type Edit,
  errorAt,
  type Headroom,
  type History,
  openHistory,
  type PlanDraft,
  readableUnits,
  redone,
  referenceOf,
  undone,
  unitsFor,
  type WayOut,
  waysOut,
} from "@dosimeter/planner";
import { formatNumber } from "@dosimeter/plot";
import type { Declaration } from "@dosimeter/query/declaration";
import { type Dispatch, type SetStateAction, useCallback, useEffect, useMemo, useState } from "react";
import { formatCost } from "../parts/Amount.tsx";
import { EPSILON, faultText, numberOf, readTyped, type Typed } from "../parts/number-text.ts";
import { announcement } from "./announcement.ts";
import { columnTypes, readValues, withType } from "./retype.ts";
import type { CellKey, RowActions } from "./row-actions.ts";
import { readTsv } from "./tsv.ts";
import {
  boundIn,
  edited,
  faultOf,
  openWorkbench,
  rowsOf,
  type Workbench,
  type WorkRow,
  withPasted,
  withRows,
  withSettings,
} from "./workbench.ts";

/** A plan being made on a page: every edit is one step that can be undone and is announced. */
// long: what is done to one plan, over one state
export function usePlanner(
  declaration: Declaration,
  open: {
    epsilon?: string;
    delta?: string;
    headroom: Headroom | null;
    /** What it begins with, in place of an empty plan. */
    begin?: (empty: Workbench) => Workbench;
  },
) {
  const [empty] = useState((): Workbench => {
    const bench = openWorkbench(declaration, open.epsilon ?? "0");
    // Without an ε the plan takes what its rows take, each at its first price.
    const follows = open.epsilon === undefined ? { follows: true } : {};
    const accountant = open.headroom === null ? ("auto" as const) : ("addition" as const);
    const draft = { ...bench.draft, delta: open.delta ?? "0", accountant, headroom: open.headroom, ...follows };
    return { ...bench, draft };
  });
  const [history, setHistory] = useState<History<Workbench>>(() => openHistory(open.begin?.(empty) ?? empty));
  // The plan as a person left it: what the server tells since is no step of theirs.
  const [typed, setTyped] = useState(history.present);
  const [said, setSaid] = useState("");
  const bench = history.present;
  const rows = useMemo(() => rowsOf(bench), [bench]);
  const ways = useMemo(() => waysOut(bench.draft, bench.declaration), [bench]);

  const move = (next: History<Workbench>, label: string): void => {
    // Everything that reads the plan while it is drawn runs here first, so what they refuse is refused as an edit.
    const { draft, declaration } = next.present;
    const found = waysOut(draft, declaration);
    const text = announcement(label, rows, rowsOf(next.present), draft, found);
    setHistory(next);
    setTyped(next.present);
    setSaid(text);
  };
  /** Takes a change, or says why not. */
  const attempt = (label: string, change: (bench: Workbench) => Workbench): string | undefined => {
    try {
      move(committed(history, change(bench), label), label);
      return undefined;
    } catch (error) {
      return faultOf(error, bench.declaration.unitNoun).message;
    }
  };
  const edit = (label: string, one: Edit): string | undefined => attempt(label, (before) => edited(before, one));

  const own = useFacts(open.headroom, setHistory);
  const forget = (): void => {
    const present = { ...bench, draft: { ...bench.draft, pending: null, over: "0" } };
    setHistory({ ...history, present });
    setTyped(present);
  };
  const replace = (label: string, draft: PlanDraft): string | undefined => {
    const fault = attempt(label, (before) => withRows(before, draft));
    if (fault !== undefined) setSaid(`Not taken: ${fault}`);
    return fault;
  };
  const actionsOf = (row: WorkRow): RowActions => rowActions({ bench, attempt, edit, forget }, row);

  return {
    bench,
    typed,
    rows,
    ways,
    said,
    nameOf: (id: string): string => rows.find((row) => row.id === id)?.quote?.label ?? "this row",
    attempt,
    edit,
    actionsOf,
    own,
    /** Two neighbours at once, one step. */
    setShares: (shares: readonly RowShare[]) =>
      void attempt(
        `shares of ${shares.map(({ row }) => row.quote?.label ?? row.id).join(" and ")}`,
        withShares(shares),
      ),
    paste: (text: string): boolean => {
      const fault = pasteInto(attempt, text);
      if (typeof fault === "string") setSaid(`Nothing was pasted: ${fault}`);
      return fault !== null;
    },
    /** Another plan in place of this one, as one step; or why not. */
    replace,
    /** An empty plan again, as one step. */
    clear: () =>
      void attempt("started over", ({ draft, nextId }) => ({
        ...empty,
        nextId,
        draft: { ...empty.draft, headroom: draft.headroom },
      })),
    takeWay: (way: WayOut) => replace("a way out", way.result),
    forget,
    undo: history.past.length === 0 ? undefined : () => move(undone(history), `undone: ${history.past.at(-1)?.label}`),
    redo: history.future.length === 0 ? undefined : () => move(redone(history), `redone: ${history.future[0]?.label}`),
  };
}

/** Takes rows of a spreadsheet, or says why not; null for a text that holds none. */
function pasteInto(attempt: Planner["attempt"], text: string): string | undefined | null {
  let rows: ReturnType<typeof readTsv>;
  try {
    rows = readTsv(text);
  } catch (error) {
    return faultOf(error).message;
  }
  const pasted = rows;
  return pasted && attempt(`${pasted.length} rows pasted`, (before) => withPasted(before, pasted));
}

export type Planner = ReturnType<typeof usePlanner>;

interface RowShare {
  readonly row: WorkRow;
  readonly epsilon: string;
}

/** The share that shrinks first: what it frees may go to the others. */
const withShares =
  (shares: readonly RowShare[]) =>
  (bench: Workbench): Workbench =>
    [...shares]
      .sort((a, b) => Number(a.epsilon) - Number(a.row.epsilon) - (Number(b.epsilon) - Number(b.row.epsilon)))
      .reduce((before, { row, epsilon }) => edited(before, { kind: "epsilon", id: row.id, epsilon }), bench);

/** What the server tells while a plan is made: no step of it, so there is nothing to undo. Gives what takes the rows that earlier answers serve, and what they tell of rows. */
function useFacts(open: Headroom | null, setHistory: Dispatch<SetStateAction<History<Workbench>>>) {
  // If the budget shrinks in the meantime, the plan stays and the page says what no longer fits.
  const headroom = JSON.stringify(open);
  useEffect(() => {
    const known = JSON.parse(headroom) as Headroom | null;
    setHistory((before) =>
      JSON.stringify(before.present.draft.headroom) === headroom
        ? before
        : { ...before, present: edited(before.present, { kind: "headroom", headroom: known }) },
    );
  }, [headroom, setHistory]);

  return useCallback(
    (told: Omit<Extract<Edit, { kind: "owned" }>, "kind">): void =>
      setHistory((before) => {
        const { rows, pending } = before.present.draft;
        const isSame = rows.every(
          (row) =>
            (row.isOwned === true) === told.ids.includes(row.id) &&
            JSON.stringify(row.known ?? {}) === JSON.stringify(told.known?.[row.id] ?? {}),
        );
        return isSame || pending !== null
          ? before
          : { ...before, present: edited(before.present, { kind: "owned", ...told }) };
      }),
    [setHistory],
  );
}

/** What can be done to a row, each as one step. */
function rowActions(
  { bench, attempt, edit, forget }: Pick<Planner, "bench" | "attempt" | "edit" | "forget">,
  row: WorkRow,
): RowActions {
  const name = row.quote?.label ?? "the row";
  const { pending } = bench.draft;
  /** A text that is refused takes the place of one that waits in the same row. */
  const refused = (reason: string | undefined): string | undefined => {
    if (reason !== undefined && pending !== null && "id" in pending.edit && pending.edit.id === row.id) forget();
    return reason;
  };
  return {
    change: (settings) => attempt(`settings of ${name}`, (before) => withSettings(before, row.id, settings)),
    setShare: (text) => {
      const read = shareIn(text, row, bench.draft.epsilon);
      if (read.fault !== undefined) return refused(read.fault);
      const share = read.plain;
      return refused(
        edit(
          `share of ${name}`,
          row.rho === null ? { kind: "epsilon", id: row.id, epsilon: share } : { kind: "rho", id: row.id, rho: share },
        ),
      );
    },
    setError: (text) => {
      const read = readTyped(withoutSign(text), ABOVE_ZERO);
      if (read.fault !== undefined) return refused(read.fault);
      const accuracy = read.value;
      return refused(edit(`error of ${name}`, { kind: "accuracy", id: row.id, accuracy }));
    },
    preview: (key, text) => previewOf(bench, row, key, text),
    setTarget: (text) => {
      if (text === "") return edit(`target of ${name}`, { kind: "target", id: row.id, target: null });
      const read = readTyped(withoutSign(text), ABOVE_ZERO);
      if (read.fault !== undefined) return read.fault;
      return edit(`target of ${name}`, { kind: "target", id: row.id, target: read.value });
    },
    ...(bench.draft.headroom === null ? { retype: retypeOf({ bench, attempt }, row) } : {}),
    hold: (mode) => {
      if (mode === row.mode) return;
      // An error that depends on an unknown number of people cannot be held; the share can.
      if (edit(`hold of ${name}`, { kind: "mode", id: row.id, mode }) !== undefined)
        edit(`hold of ${name}`, { kind: "mode", id: row.id, mode: "free" });
    },
    move: (to) => void edit(`order of ${name}`, { kind: "move", id: row.id, to }),
    remove: () => void edit(`${name} removed`, { kind: "remove", id: row.id }),
  };
}

/** Another type of the row's variable: for every row that reads it. */
function retypeOf({ bench, attempt }: Pick<Planner, "bench" | "attempt">, { settings }: WorkRow): RowActions["retype"] {
  return (text, values) => {
    const { column = "" } = settings;
    const type = columnTypes.find((each) => each === text);
    if (column === "" || type === undefined) return column === "" ? "Choose a variable first." : "Choose a type.";
    if (values === undefined && bench.declaration.columns[column]?.type === type) return undefined;
    const listed = values === undefined ? undefined : readValues(values);
    return attempt(`type of ${column}: ${type}`, (before) => withType(before, column, type, listed));
  };
}

/** What a typed error would cost, or what a typed share would give. */
function previewOf({ draft, declaration }: Workbench, row: WorkRow, key: CellKey, text: string): string {
  const planned = draft.rows.find(({ id }) => id === row.id);
  if (planned === undefined) return "";
  const unit = row.rho === null ? "ε" : "ρ";
  try {
    if (key === "error") {
      const accuracy = numberIn(text);
      if (!(accuracy > 0)) return "";
      const price = readableUnits(unitsFor(planned, accuracy, draft, declaration));
      return `${unit} ${formatCost(formatEpsilon(epsilonFromUnits(price)))}`;
    }
    if (key === "granularity") return stepsIn(text, row, declaration);
    if (key === "target") return targetHint(numberIn(text), draft, planned.id, declaration);
    if (key !== "share") return "";
    const share = shareIn(text, row, draft.epsilon);
    if (share.fault !== undefined) return "";
    const error = errorAt(planned, draft, declaration, epsilonAmount(share.plain, "down"));
    return error === null ? "" : `± ${errorText(error)}`;
  } catch {
    return "";
  }
}

/** How many values a granularity leaves, and the levels of a tree over them. */
function stepsIn(text: string, { settings }: WorkRow, declaration: Declaration): string {
  const column = declaration.columns[settings.column ?? ""];
  const [lower, upper] = [boundIn(settings.lower, column, "lower"), boundIn(settings.upper, column, "upper")];
  const values = Math.floor((upper - lower) / numberIn(text)) + 1;
  if (!(values >= 2) || !Number.isFinite(values)) return "";
  return `${formatNumber(values)} values, ${Math.ceil(Math.log2(values))} levels`;
}

function targetHint(target: number, draft: PlanDraft, id: string, declaration: Declaration): string {
  const row = draft.rows.find((each) => each.id === id);
  const reference = row === undefined ? null : referenceOf(row, draft, declaration);
  return reference !== null && target >= reference ? "such an answer says nothing" : "";
}

const ABOVE_ZERO = { above: 0 } as const;

/** `±400` as it is shown and pasted. */
const withoutSign = (text: string): string => text.trim().replace(/^±\s*/, "");
const numberIn = (text: string): number => numberOf(withoutSign(text), ABOVE_ZERO);

/** A percentage of an amount, to the unit below: 100 % is all of it, and never more. */
function partOf(epsilon: string, percent: string): string {
  const { numerator, denominator } = parseRational(percent);
  return formatEpsilon(epsilonFromUnits((epsilonAmount(epsilon, "down") * numerator) / (denominator * 100n)));
}

/** An absolute share, `20%` of the budget, `x2` or `/2` of what the row has. A text that is none of them is refused. */
export function shareIn(text: string, row: Pick<WorkRow, "rho" | "epsilon">, epsilon: string): Typed {
  const own = Number(row.rho ?? row.epsilon);
  const [, sign = "", number = "", percent = ""] = /^\s*([x×*/]?)\s*(.*?)\s*(%?)\s*$/su.exec(text) ?? [];
  if (sign === "" && percent === "") return readTyped(text, EPSILON);
  const factor = readTyped(number, ABOVE_ZERO);
  if (factor.fault !== undefined || (sign !== "" && percent !== ""))
    return { fault: faultText(text, "a number above 0, a percentage, or x2 or /2 of what the row has") };
  if (percent === "%") return readTyped(partOf(epsilon, factor.plain), EPSILON);
  const share = sign === "/" ? own / factor.value : own * factor.value;
  return readTyped(String(Number(share.toPrecision(12))), EPSILON);
}
