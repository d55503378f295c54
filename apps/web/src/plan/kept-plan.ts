import { isRecord } from "@dosimeter/core/internal";
import { openTyped, savedPlan, typedPlan, waysOut } from "@dosimeter/planner";
import { type RowSettings, rowsOf, type Workbench } from "./workbench.ts";

/** The plan of the page as it is kept while it is typed, with the rows that are to be answered again; null while there is nothing in it. */
export function keptPlan({ draft, settings, nextId }: Workbench, fresh: readonly string[]): object | null {
  const isEmpty = draft.rows.length === 0 && draft.let === undefined && draft.join === undefined && draft.reason === "";
  return isEmpty ? null : { plan: typedPlan(draft), settings, nextId, fresh };
}

export const freshIn = (form: unknown): readonly string[] =>
  isRecord(form) && Array.isArray(form.fresh) ? form.fresh.filter((id) => typeof id === "string") : [];

/** That plan in place of an empty one, with the texts as they were typed; null where the table, or this page, cannot draw it any more. */
export function restoredPlan(form: unknown, opened: Workbench): Workbench | null {
  if (!isRecord(form)) return null;
  try {
    const draft = openTyped(form.plan, opened.draft, opened.declaration);
    const ids = new Set(draft.rows.map(({ id }) => id));
    const texts = isRecord(form.settings) ? Object.entries(form.settings) : [];
    const settings = Object.fromEntries(texts.filter(([id]) => ids.has(id))) as Workbench["settings"];
    const bench: Workbench = {
      ...opened,
      draft,
      settings: Object.fromEntries([...ids].map((id) => [id, textsIn(settings[id])])),
      nextId: typeof form.nextId === "number" ? form.nextId : ids.size + 1,
    };
    // What is drawn of a plan runs here first.
    rowsOf(bench);
    waysOut(draft, opened.declaration);
    savedPlan(draft, opened.declaration);
    return bench;
  } catch {
    return null;
  }
}

const textsIn = (json: unknown): RowSettings =>
  Object.fromEntries(
    Object.entries(isRecord(json) ? json : {}).filter(([, text]) => typeof text === "string"),
  ) as RowSettings;
