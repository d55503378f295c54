import { useNavigate, useRouterState } from "@tanstack/react-router";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { Choice, NumberField } from "../../parts/fields.tsx";
import { changed, type FieldState, type Fields, readAll } from "./field.ts";

/** Texts kept in the page's address, so that it can be shared; invalid texts stay as typed. `fields` must be a constant. */
export function useFields<F extends Fields>(fields: F): FieldState<F> {
  const search: Readonly<Record<string, unknown>> = useRouterState({ select: ({ location }) => location.search });
  const navigate = useNavigate();
  const set = useCallback(
    (change: { readonly [K in keyof F]?: string }) => {
      void navigate({
        to: ".",
        search: ((before: Record<string, unknown>) => changed(before, change, fields)) as never,
        replace: true,
        resetScroll: false,
      });
    },
    [navigate, fields],
  );
  return useMemo(() => ({ ...readAll(fields, search), set }), [fields, search, set]);
}

/** The number field of a form of fields, whose readers say what is wrong. */
export function NumberInput<F extends Fields>({
  of,
  name,
  label,
  hint,
}: {
  of: FieldState<F>;
  name: keyof F & string;
  label: string;
  hint?: string;
}) {
  const given = of.texts[name];
  const [text, setText] = useState(given);
  const isTyping = useRef(false);
  // The address follows the typing with a delay, and must not overwrite newer text.
  useEffect(() => {
    if (!isTyping.current) setText(given);
  }, [given]);
  return (
    <NumberField
      label={label}
      description={hint}
      value={text}
      fault={of.faults[name]}
      onFocus={() => {
        isTyping.current = true;
      }}
      onBlur={() => {
        isTyping.current = false;
        setText(given);
      }}
      onChange={(next) => {
        setText(next);
        of.set({ [name]: next } as { readonly [K in keyof F]?: string });
      }}
    />
  );
}

export function ChoiceInput<F extends Fields>({
  of,
  name,
  label,
  hint,
  choices,
}: {
  of: FieldState<F>;
  name: keyof F & string;
  label: string;
  hint?: string;
  choices: Readonly<Record<string, string>>;
}) {
  return (
    <Choice
      className="field-wide"
      label={label}
      description={hint}
      value={of.texts[name]}
      error={of.faults[name]}
      data={choices}
      onChange={(chosen) => of.set({ [name]: chosen } as { readonly [K in keyof F]?: string })}
    />
  );
}
