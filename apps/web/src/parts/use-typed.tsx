import { useQueryClient } from "@tanstack/react-query";
import { type ReactNode, type RefObject, useEffect, useRef, useState } from "react";
import { type CopyOf, copyOf, dropCopy, keepCopy } from "../api/copies.ts";
import { useMe } from "../api/session.ts";

/** What a form keeps: what is typed into it, in this browser, until it is sent. */
export interface Keeps {
  /** The form and what it is about. */
  readonly of: string;
  /** What the list of things that are not finished calls it; absent where the form has no page of its own. */
  readonly name?: string;
  /** What goes with the form and is not typed. */
  readonly beside?: unknown;
}

type Field = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;
type Values = Readonly<Record<string, string>>;

const NEVER = ["password", "file", "hidden", "submit", "button"];
const isField = (element: Element): element is Field =>
  (element instanceof HTMLInputElement && !NEVER.includes(element.type) && !element.readOnly) ||
  (element instanceof HTMLTextAreaElement && !element.readOnly) ||
  element instanceof HTMLSelectElement;
const isChecked = (field: Field): field is HTMLInputElement => field.type === "checkbox" || field.type === "radio";
const textOf = (field: Field): string => (isChecked(field) ? (field.checked ? "on" : "") : field.value);

/** By name, or by label: the name of a choice is made up. */
function fieldsOf(form: HTMLFormElement): ReadonlyMap<string, Field> {
  const fields = new Map<string, Field>();
  for (const field of [...form.elements].filter(isField)) {
    const label = field.labels?.[0]?.textContent ?? field.getAttribute("aria-label") ?? "";
    const name = isChecked(field) || field.name === "" ? label : field.name;
    for (let times = 1; ; times++) {
      const key = times === 1 ? name : `${name} ${times}`;
      if (fields.has(key)) continue;
      fields.set(key, field);
      break;
    }
  }
  return fields;
}

const takes = (field: Field, value: string): boolean =>
  !(field instanceof HTMLSelectElement) || [...field.options].some((option) => option.value === value);

/** As a person would: React hears of it. */
function fill(field: Field, value: string): void {
  if (isChecked(field)) {
    if (field.checked !== (value === "on") && (value === "on" || field.type === "checkbox")) field.click();
    return;
  }
  Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), "value")?.set?.call(field, value);
  field.dispatchEvent(new Event(field instanceof HTMLSelectElement ? "change" : "input", { bubbles: true }));
}

/**
 * Keeps what is typed into a form until it is sent, and puts it back; a password never. Gives what says so, for the form to show. The fields
 * are read as they show, so that no form keeps a list of them.
 */
export function useTyped(
  form: RefObject<HTMLFormElement | null>,
  keeps: Keeps | undefined,
  { isBusy, error }: { readonly isBusy: boolean; readonly error: unknown },
): ReactNode {
  const person = useMe().data?.person.id;
  const queries = useQueryClient();
  const of: CopyOf | null = keeps === undefined || person === undefined ? null : { person, of: keeps.of };
  /** As each field was when it came. */
  const usual = useRef<Record<string, string>>({});
  /** As it was when it was sent. */
  const sent = useRef<Values>({});
  const waiting = useRef<Record<string, string> | null>(null);
  const kept = useRef<string>(undefined);
  const wasBusy = useRef(false);
  const [isBack, setBack] = useState(false);
  const latest = useRef(of);
  latest.current = of;

  const forget = useRef(() => {
    if (latest.current !== null) dropCopy(latest.current);
    kept.current = undefined;
    waiting.current = {};
    setBack(false);
  }).current;

  useEffect(() => {
    if (form.current === null || of === null) return;
    const fields = fieldsOf(form.current);
    for (const [key, field] of fields) usual.current[key] ??= textOf(field);
    if (waiting.current === null) {
      const values = (copyOf(of)?.form ?? {}) as Values;
      waiting.current = { ...values };
      setBack(Object.keys(values).length > 0);
    }
    for (const [key, field] of fields) {
      const value = waiting.current[key];
      // A choice may come later than its field.
      if (value === undefined || !takes(field, value)) continue;
      if (textOf(field) !== value) fill(field, value);
      delete waiting.current[key];
    }
    const typed: Record<string, string> = { ...waiting.current };
    for (const [key, field] of fields)
      if (!(key in typed) && ![usual.current[key], sent.current[key]].includes(textOf(field)))
        typed[key] = textOf(field);
    if (Object.keys(typed).length > 0)
      kept.current = keepCopy(of, { form: typed, seen: null, name: keeps?.name ?? "", beside: keeps?.beside });
    else if (kept.current !== undefined) forget();
  });
  useEffect(() => {
    if (wasBusy.current && !isBusy && (error === null || error === undefined) && form.current !== null) {
      sent.current = Object.fromEntries([...fieldsOf(form.current)].map(([key, field]) => [key, textOf(field)]));
      forget();
    }
    wasBusy.current = isBusy;
  }, [form, isBusy, error, forget]);
  useEffect(
    () => () => {
      // The form goes as it is sent.
      if (wasBusy.current && queries.isMutating() === 0) forget();
    },
    [queries, forget],
  );

  const clear = (): void => {
    forget();
    for (const [key, field] of fieldsOf(form.current ?? document.createElement("form")))
      fill(field, usual.current[key] ?? "");
  };
  return isBack ? (
    <p className="soft small flush">
      What you typed here before is back.{" "}
      <button type="button" className="tool" onClick={clear}>
        Clear it
      </button>
    </p>
  ) : null;
}
