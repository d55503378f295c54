import { countText, visible } from "@dosimeter/core/internal";
import { Button } from "@mantine/core";
import { IconCheck } from "@tabler/icons-react";
import { useId } from "react";
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
  const found = findingsOf(fit, draft, fewerThan);
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
      {values.length === 0 ? null : (
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
                    <MendButton key={mend.label} {...{ mend, draft, onChange }} value={value} />
                  ))}
                </span>
              )}
            </li>
          ))}
          {more === 0 ? null : <li className="soft small">and {grouped(String(more))} more</li>}
        </ul>
      )}
    </div>
  );
}

function MendButton({
  mend,
  draft,
  onChange,
  about,
  value,
}: {
  mend: Mend;
  draft: Draft;
  onChange: Change;
  about?: string;
  value?: string;
}) {
  const isMended = isDone(mend, draft);
  return (
    <Button
      size="compact-xs"
      variant="default"
      aria-label={value === undefined ? undefined : `${mend.label}: ${visible(value)}`}
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
