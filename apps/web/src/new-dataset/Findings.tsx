import { countText, visible } from "@dosimeter/core/internal";
import { Button } from "@mantine/core";
import { IconCheck } from "@tabler/icons-react";
import { type KeyboardEvent, useId, useState } from "react";
import { Notice } from "../parts/Notice.tsx";
import { grouped } from "../parts/words.ts";
import type { Draft } from "./draft.ts";
import { type Finding, type Fit, findingsOf, gapsText, isDone, type Mend } from "./mends.ts";
import "./new-dataset.css";

export type Change = (next: (before: Draft) => Draft) => void;

interface Changed {
  readonly draft: Draft;
  /** Absent where the declaration cannot be changed from here: what would change it is not offered. */
  readonly onChange?: Change | undefined;
}

/** What a check found, each with what changes the declaration. */
export function Findings({
  fit,
  fewerThan,
  draft,
  onChange,
}: Changed & {
  readonly fit: Fit;
  readonly fewerThan: number;
}) {
  // Said of the declaration as it was checked: a way out that is taken stays where it is, and so does the focus.
  const [checked, setChecked] = useState({ fit, draft });
  if (checked.fit !== fit) setChecked({ fit, draft });
  const found = findingsOf(fit, checked.draft, fewerThan);
  const rows = countText(fit.rows, "row");
  const gaps = gapsText(fit);
  if (found.length === 0)
    return (
      <Notice tone="good" title="Everything fits">
        <p>{grouped(`The values of ${rows} are as declared, and no category is rare. ${gaps}`)}</p>
      </Notice>
    );
  return (
    <>
      <p className="flush">{grouped(`The file has ${rows}. ${gaps}`)}</p>
      {found.map(({ title, findings }) => (
        <section key={title} className="fit" aria-label={title}>
          <h3>{visible(title)}</h3>
          {findings.map((finding) => (
            <One key={finding.id} {...{ finding, draft, onChange }} />
          ))}
        </section>
      ))}
    </>
  );
}

function One({ finding, draft, onChange }: Changed & { readonly finding: Finding }) {
  const { text, values, more, mends } = finding;
  const id = useId();
  // Of all its buttons one is a stop of Tab; arrows go to the others.
  const [stop, setStop] = useState("");
  const keys = values.flatMap(({ value, mends: own }) => own.map(({ label }) => `${label}: ${visible(value)}`));
  const stopAt = keys.includes(stop) ? stop : keys[0];
  const list = (
    <ul className="fit-values" aria-labelledby={id}>
      {values.map(({ value, rows, note, mends: own }) => (
        <li key={value}>
          <span>
            <q className="code">{visible(value)}</q>{" "}
            <span className="soft small">{grouped(countText(rows, "row"))}</span>
            {note === undefined ? null : <span className="soft small"> · {note}</span>}
          </span>
          {onChange === undefined ? null : (
            <span className="fit-mends">
              {own.map((mend) => (
                <MendButton key={mend.label} {...{ mend, draft, onChange, stopAt }} value={value} />
              ))}
            </span>
          )}
        </li>
      ))}
      {more === 0 ? null : <li className="soft small">and {grouped(String(more))} more</li>}
    </ul>
  );
  return (
    <div className="fit-finding">
      <p className="flush" id={id}>
        {grouped(text)}
      </p>
      {mends.length === 0 || onChange === undefined ? null : (
        <div className="page-actions">
          {mends.map((mend) => (
            <MendButton key={mend.label} {...{ mend, draft, onChange }} about={id} />
          ))}
        </div>
      )}
      {values.length === 0 ? null : keys.length === 0 || onChange === undefined ? (
        list
      ) : (
        <div
          role="toolbar"
          aria-labelledby={id}
          onKeyDown={step}
          onFocus={({ target }) => setStop(target.getAttribute("aria-label") ?? "")}
        >
          {list}
        </div>
      )}
    </div>
  );
}

const STEPS = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, Home: -Infinity, End: Infinity };

function step(event: KeyboardEvent<HTMLElement>): void {
  const buttons = [...event.currentTarget.querySelectorAll("button")];
  const at = buttons.findIndex((each) => each.matches(":focus"));
  const by = Object.hasOwn(STEPS, event.key) ? STEPS[event.key as keyof typeof STEPS] : 0;
  if (by === 0 || at < 0) return;
  event.preventDefault();
  buttons[Math.min(buttons.length - 1, Math.max(0, at + by))]?.focus();
}

function MendButton({
  mend,
  draft,
  onChange,
  about,
  value,
  stopAt,
}: {
  mend: Mend;
  draft: Draft;
  onChange: Change;
  about?: string;
  value?: string;
  /** The button among those of the values that Tab stops at. */
  stopAt?: string | undefined;
}) {
  const isMended = isDone(mend, draft);
  const name = value === undefined ? undefined : `${mend.label}: ${visible(value)}`;
  return (
    <Button
      size="compact-xs"
      variant="default"
      aria-label={name}
      tabIndex={name === stopAt ? 0 : -1}
      aria-describedby={about}
      // Focus stays where it was when it is done.
      aria-disabled={isMended}
      data-done={isMended}
      leftSection={isMended ? <IconCheck size={13} aria-hidden /> : undefined}
      onClick={() => {
        if (!isMended) onChange(mend.does);
      }}
    >
      {grouped(mend.label)}
    </Button>
  );
}
