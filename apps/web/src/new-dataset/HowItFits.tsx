import type { Input } from "@dosimeter/client";
import { PrivacyError } from "@dosimeter/core";
import { Button } from "@mantine/core";
import { useEffect, useRef, useState } from "react";
import { useCheckUpload } from "../api/datasets.ts";
import { showFocused } from "../parts/browser.ts";
import { NumberField } from "../parts/fields.tsx";
import { Notice } from "../parts/Notice.tsx";
import { numberOf } from "../parts/number-text.ts";
import { Card } from "../parts/Page.tsx";
import { Fault, Loading } from "../parts/Pending.tsx";
import { Upload } from "./ChooseTable.tsx";
import type { ChosenTable, Draft } from "./draft.ts";
import { type Change, Findings } from "./Findings.tsx";
import { type Fit, findingsOf } from "./mends.ts";

const FEWER = { min: 1, max: 1000, isWhole: true };

type Declaration = Input<"checkUpload">["declaration"];

/** The check of an upload against what is declared now: `fit` is absent where nothing, or another declaration, was checked. */
export function useFit(file: string | undefined, declaration: Declaration | undefined) {
  const check = useCheckUpload();
  const [fewer, setFewer] = useState("10");
  const fewerThan = numberOf(fewer, FEWER);
  const asked = check.variables;
  const isStale = asked !== undefined && JSON.stringify(asked.declaration) !== JSON.stringify(declaration);
  const run = (done?: (fit: Fit | undefined) => void) => {
    if (file === undefined || declaration === undefined || !(fewerThan > 0)) return;
    check.mutate({ file, declaration, fewerThan }, { onSettled: (fit) => done?.(fit) });
  };
  return { check, fewer, setFewer, asked, isStale, run, fit: isStale ? undefined : check.data };
}

/** What stops a declaration once: answers would be wrong, or it was changed after values were shown and a category is in few rows. */
export const isMisfit = (fit: Fit, draft: Draft, { wasShown }: { readonly wasShown: boolean }): boolean =>
  findingsOf(fit, draft, 0).some(({ findings }) =>
    findings.some(({ id }) => !id.endsWith(" unheld") && (wasShown || !id.endsWith(" rare"))),
  );

/** What an upload holds that its declaration does not, to the person who sent it alone: it stays on this page and nowhere else. */
export function HowItFits({
  file,
  fitting: { check, fewer, setFewer, asked, isStale, run: ask },
  wasSentAgain,
  error,
  declaration,
  draft,
  onChange,
  onSent,
  onIncomplete,
}: {
  /** Absent for a table of a connection. */
  file: string | undefined;
  fitting: ReturnType<typeof useFit>;
  wasSentAgain: boolean;
  /** Why the declaration did not go on over a file that was sent again. */
  error: unknown;
  /** Absent while something is missing in it. */
  declaration: Declaration | undefined;
  draft: Draft;
  onChange: Change;
  onSent: (table: ChosenTable) => void;
  onIncomplete: () => void;
}) {
  const button = useRef<HTMLButtonElement>(null);
  const outcome = useRef<HTMLDivElement>(null);
  const settled = check.isPending ? 0 : check.submittedAt;
  const first = useRef(settled).current;
  // What a check says is read where it stands, also where a press far from here began it.
  useEffect(() => {
    if (settled !== 0 && settled !== first) showFocused(outcome.current);
  }, [settled, first]);
  useEffect(() => {
    if (wasSentAgain) button.current?.focus();
  }, [wasSentAgain]);
  if (file === undefined)
    return (
      <Card title="4 · How it fits">
        <p className="soft flush above-12">
          The rows of a table of a connection are not shown here. When its ledger is open, release a profile: it says
          what is missing and what the bounds cut, and the budget pays for it.
        </p>
      </Card>
    );
  const run = () => (declaration === undefined ? onIncomplete() : ask());
  return (
    <Card title="4 · How it fits">
      <div className="stack">
        <p className="soft flush">
          The server reads the file once and shows you, and only in this browser session, what your declaration does not
          hold. Nothing of it is stored. What you declare over this file is then marked{" "}
          <em>fitted to the data by its owner</em>, whether you change it or not.
        </p>
        <div className="fit-ask">
          <NumberField wish={FEWER} label="Warn of categories in fewer rows than" value={fewer} onChange={setFewer} />
          <Button ref={button} variant="default" onClick={run} loading={check.isPending}>
            {check.data === undefined ? "Check how it fits" : "Check again"}
          </Button>
        </div>
        {check.isPending ? <Loading lines={4} /> : null}
        {wasSentAgain && check.isIdle ? (
          <p className="soft flush" role="status">
            The file is here again, and nothing that you typed is lost.
          </p>
        ) : null}
        <div ref={outcome} tabIndex={-1} className="stack fit-outcome">
          {check.error === null ? null : isOfAnotherSession(check.error) ? (
            <Notice tone="warn" title="The file came in another session" isAlert>
              <p>
                You signed in again since, a colleague sent it, or it lies in a folder of the server. Send it here, or a
                corrected one, and it can be checked: what you typed stays.
              </p>
              <div className="stack gap-12">
                <Upload onChosen={onSent} />
                <Fault error={error} />
              </div>
            </Notice>
          ) : (
            <Fault error={check.error} retry={run} isBusy={check.isPending} />
          )}
          {check.data === undefined || asked === undefined ? null : (
            <div className="stack" aria-live="polite">
              {isStale ? (
                <p className="flush fit-stale">You changed the declaration since: check again to see what is left.</p>
              ) : null}
              <Findings fit={check.data} fewerThan={asked.fewerThan ?? 0} draft={draft} onChange={onChange} />
            </div>
          )}
        </div>
      </div>
    </Card>
  );
}

/** Of a colleague, who handed the draft on, it is not found. */
const isOfAnotherSession = (error: unknown): boolean =>
  error instanceof PrivacyError &&
  (error.code === "NOT_FOUND" || (error.code === "FORBIDDEN" && error.details.name === "file"));
