import type { Ledger, Output } from "@dosimeter/client";
import type { UnitNoun } from "@dosimeter/query/declaration";
import { Button } from "@mantine/core";
import { useState } from "react";
import { useChange } from "../api/connection.ts";
import { useAmendments, usePreviewAmendment } from "../api/ledgers.ts";
import { Chooser } from "../explore/choosing/Chooser.tsx";
import { useChooser } from "../explore/choosing/chooser-state.ts";
import { Amount, formatCost } from "../parts/Amount.tsx";
import { FormDialog } from "../parts/Dialog.tsx";
import { LongText, NumberField, TextField } from "../parts/fields.tsx";
import { Notice } from "../parts/Notice.tsx";
import { DELTA, EPSILON, isTyped, plainOf } from "../parts/number-text.ts";
import { Fault, Pending } from "../parts/Pending.tsx";
import { momentText } from "../parts/words.ts";
import { isMore } from "../sums.ts";
import { GivePeriods } from "./GivePeriods.tsx";
import { VersionTable } from "./VersionTable.tsx";

type Proposal = Output<"listAmendments">["items"][number];

/** Every version of the guarantee, and the raise that waits for a second person. */
export function Amendments({ ledger, people, noun }: { ledger: Ledger; people: number | null; noun: UnitNoun }) {
  const amendments = useAmendments(ledger.id);
  const [isRaising, setRaising] = useState(false);
  const [isGivingPeriods, setGivingPeriods] = useState(false);
  return (
    <div className="stack">
      <Pending of={amendments} lines={3}>
        {({ items, versions }) => (
          <>
            {items
              .filter(({ status }) => status === "proposed")
              .map((proposal) => (
                <Open key={proposal.id} proposal={proposal} datasets={ledger.datasets.length} many={noun.many} />
              ))}
            <VersionTable
              rows={versions}
              why={[
                {
                  name: "Decided by",
                  cell: ({ decidedByName, secondedByName }) =>
                    secondedByName === null ? decidedByName : `${decidedByName} and ${secondedByName}`,
                },
                { name: "Why", cell: ({ reason }) => reason },
              ]}
            />
            {items.some(({ status }) => status === "rejected" || status === "withdrawn") ? (
              <details className="small">
                <summary>Rejected and withdrawn raises</summary>
                <ul>
                  {items
                    .filter(({ status }) => status === "rejected" || status === "withdrawn")
                    .map(({ id, epsilon, reason, status, note, proposedByName }) => (
                      <li key={id}>
                        ε {formatCost(epsilon)}, asked for by {proposedByName} ({reason}): {status}
                        {note === "" ? "" : `, ${note}`}
                      </li>
                    ))}
                </ul>
              </details>
            ) : null}
            {ledger.mine.mayManage && !items.some(({ status }) => status === "proposed") ? (
              <div className="page-actions">
                <Button size="xs" variant="default" onClick={() => setRaising(true)}>
                  Raise the lifetime
                </Button>
                {ledger.blocks === undefined ? (
                  <Button size="xs" variant="default" onClick={() => setGivingPeriods(true)}>
                    A budget for each period
                  </Button>
                ) : null}
              </div>
            ) : null}
          </>
        )}
      </Pending>
      {isRaising ? <Raise ledger={ledger} people={people} noun={noun} onClose={() => setRaising(false)} /> : null}
      {isGivingPeriods ? <GivePeriods ledger={ledger} onClose={() => setGivingPeriods(false)} /> : null}
    </div>
  );
}

function Open({ proposal, datasets, many }: { proposal: Proposal; datasets: number; many: string }) {
  const [note, setNote] = useState("");
  const decide = useChange((client, route: "secondAmendment" | "rejectAmendment" | "withdrawAmendment") =>
    client[route]({ amendment: proposal.id, note }),
  );
  const { mine, epsilon, delta, reason, proposedByName, proposedAt } = proposal;
  return (
    <Notice tone="warn" title="A raise waits for a second person">
      <p>
        {proposedByName} asked on {momentText(proposedAt)} for <Amount unit="ε" of={epsilon} />,{" "}
        <Amount unit="δ" of={delta} />: {reason}
      </p>
      {mine.mayDecide || mine.mayWithdraw ? (
        <div className="stack below-12 gap-12">
          {mine.mayDecide ? <TextField label="Note" value={note} onChange={setNote} /> : null}
          <div className="page-actions">
            {mine.mayDecide ? (
              <>
                <Button size="xs" onClick={() => decide.mutate("secondAmendment")} loading={decide.isPending}>
                  Approve the raise
                </Button>
                <Button size="xs" variant="default" onClick={() => decide.mutate("rejectAmendment")}>
                  Refuse
                </Button>
              </>
            ) : (
              <Button size="xs" variant="default" onClick={() => decide.mutate("withdrawAmendment")}>
                Take it back
              </Button>
            )}
          </div>
          <Fault error={decide.error} />
        </div>
      ) : (
        <p>
          {datasets === 1
            ? "Another admin of the dataset, or of the platform, has to approve it."
            : `A second person who administers every dataset about these ${many}, or the platform, has to approve it.`}
        </p>
      )}
    </Notice>
  );
}

interface RaiseProps {
  ledger: Ledger;
  people: number | null;
  noun: UnitNoun;
  onClose: () => void;
}

function Raise({ ledger, people, noun, onClose }: RaiseProps) {
  const [epsilon, setEpsilon] = useState(ledger.guarantee.epsilon);
  const [delta, setDelta] = useState(ledger.guarantee.delta);
  const [reason, setReason] = useState("");
  const chooser = useChooser({
    delta: ledger.guarantee.delta,
    ...(people === null ? {} : { people: String(people) }),
  });
  const { guarantee } = ledger;
  const raise = { ledger: ledger.id, epsilon: plainOf(epsilon, EPSILON), delta: plainOf(delta, DELTA) };
  const isMoreOf = isTyped(epsilon, EPSILON) && isMore(raise.epsilon, guarantee.epsilon);
  const isRaise =
    isTyped(epsilon, EPSILON) && isTyped(delta, DELTA) && (isMoreOf || Number(raise.delta) > Number(guarantee.delta));
  const preview = usePreviewAmendment(raise, isRaise);
  const propose = useChange((client) => client.proposeAmendment({ ...raise, reason }));
  return (
    <FormDialog
      title="Raise the lifetime"
      size="xl"
      action="Ask for it"
      isReady={isRaise && reason.trim() !== "" && preview.data !== undefined}
      change={propose}
      keeps={{ of: `raise ${ledger.id}` }}
      onSubmit={() => propose.mutate(undefined, { onSuccess: onClose })}
      onClose={onClose}
    >
      <div className="fields">
        <NumberField label="ε" wish={EPSILON} value={epsilon} onChange={setEpsilon} />
        <NumberField label="δ" wish={DELTA} value={delta} onChange={setDelta} />
      </div>
      <p className="small soft flush">
        Ceiling declared at opening: <Amount unit="ε" of={ledger.ceiling.epsilon} />,{" "}
        <Amount unit="δ" of={ledger.ceiling.delta} />. It holds until a raise past it.
      </p>
      {isRaise ? (
        <Pending of={preview} lines={2}>
          {({ sentence, isUnconditional, needsSecond }) => (
            <Notice tone={isUnconditional ? "good" : "warn"} title="What would be promised">
              <p>{sentence}</p>
              <p className="small">
                {needsSecond
                  ? "It takes effect when another admin approves it."
                  : "No other admin can decide it, so it takes effect at once. The version records this."}
              </p>
            </Notice>
          )}
        </Pending>
      ) : (
        <p className="soft flush">
          Enter a larger ε or δ to see the new guarantee. A lifetime budget can only be raised.
        </p>
      )}
      <LongText
        label="Why"
        description="Kept permanently in the new version."
        required
        value={reason}
        onChange={setReason}
      />
      <details>
        <summary>Help me choose ε</summary>
        <div className="stack below-12">
          <Chooser state={chooser} noun={noun} />
        </div>
      </details>
    </FormDialog>
  );
}
