import type { Input } from "@dosimeter/client";
import { countText, visible } from "@dosimeter/core/internal";
import { Button } from "@mantine/core";
import { IconCheck } from "@tabler/icons-react";
import { useId, useState } from "react";
import { useCheckUpload } from "../api/datasets.ts";
import { grouped } from "../parts/grouped.ts";
import { Notice } from "../parts/Notice.tsx";
import { NumberField } from "../parts/NumberField.tsx";
import { numberOf } from "../parts/number-text.ts";
import { Card } from "../parts/Page.tsx";
import { Fault, Loading } from "../parts/Pending.tsx";
import type { Draft } from "./draft.ts";
import { type Finding, findingsOf, isDone, type Mend } from "./mends.ts";

const FEWER = { min: 1, max: 1000, isWhole: true };

type Change = (next: (before: Draft) => Draft) => void;

/** What an upload holds that its declaration does not, to the person who sent it alone: it stays on this page and nowhere else. */
export function HowItFits({
  file,
  declaration,
  draft,
  onChange,
  onIncomplete,
}: {
  /** Absent for a table of a connection. */
  file: string | undefined;
  /** Absent while something is missing in it. */
  declaration: Input<"checkUpload">["declaration"] | undefined;
  draft: Draft;
  onChange: Change;
  onIncomplete: () => void;
}) {
  const check = useCheckUpload();
  const [fewer, setFewer] = useState("10");
  const fewerThan = numberOf(fewer, FEWER);
  if (file === undefined)
    return (
      <Card title="4 · How it fits">
        <p className="soft flush above-12">
          The rows of a table of a connection are shown to nobody here. When its ledger is open, release a profile: it says
          what is missing and what the bounds cut, and the budget pays for it.
        </p>
      </Card>
    );
  const run = () => {
    if (declaration === undefined) return onIncomplete();
    if (fewerThan > 0) check.mutate({ file, declaration, fewerThan });
  };
  const asked = check.variables;
  const isStale = asked !== undefined && JSON.stringify(asked.declaration) !== JSON.stringify(declaration);
  return (
    <Card title="4 · How it fits">
      <div className="stack">
        <p className="soft flush">
          The server reads the file once and shows you, and only in this browser session, what your declaration does not
          hold. Nothing of it is stored. What you declare over this file is then marked <em>fitted to the data by its owner</em>,
          whether you change it or not.
        </p>
        <div className="fit-ask">
          <NumberField
            wish={FEWER}
            label="Warn of categories in fewer rows than"
            value={fewer}
            onChange={setFewer}
          />
          <Button variant="default" onClick={run} loading={check.isPending}>
            {check.data === undefined ? "Check how it fits" : "Check again"}
          </Button>
        </div>
        {check.isPending ? <Loading lines={4} /> : null}
        {check.error === null ? null : <Fault error={check.error} retry={run} isBusy={check.isPending} />}
        {check.data === undefined || asked === undefined ? null : (
          <div className="stack" aria-live="polite">
            {isStale ? <p className="soft flush">You changed the declaration since: check again to see what is left.</p> : null}
            <Findings
              of={findingsOf(check.data, draft, asked.fewerThan ?? 0)}
              rows={check.data.rows}
              draft={draft}
              onChange={onChange}
            />
          </div>
        )}
      </div>
    </Card>
  );
}

function Findings({
  of,
  rows,
  draft,
  onChange,
}: {
  of: ReturnType<typeof findingsOf>;
  rows: number;
  draft: Draft;
  onChange: Change;
}) {
  if (of.length === 0)
    return (
      <Notice tone="good" title="Everything fits">
        <p>All {countText(rows, "row")} hold what you declare, and no category is rare.</p>
      </Notice>
    );
  return (
    <>
      <p className="flush">{grouped(`Of ${countText(rows, "row")}:`)}</p>
      {of.map(({ title, findings }) => (
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

function One({ finding, draft, onChange }: { finding: Finding; draft: Draft; onChange: Change }) {
  const { text, values, more, mends } = finding;
  const id = useId();
  return (
    <div className="fit-finding">
      <p className="flush" id={id}>
        {grouped(text)}
      </p>
      {mends.length === 0 ? null : (
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
                <q className="code">{visible(value)}</q> <span className="soft small">{grouped(countText(rows, "row"))}</span>
                {note === undefined ? null : <span className="soft small"> · {note}</span>}
              </span>
              <span className="fit-mends">
                {own.map((mend) => (
                  <MendButton key={mend.label} {...{ mend, draft, onChange }} value={value} />
                ))}
              </span>
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
