import type { Dataset, Input, Plan } from "@dosimeter/client";
import { blockWord } from "@dosimeter/core";
import { countText, errorText } from "@dosimeter/core/internal";
import { capital } from "@dosimeter/plot/report";
import { plainPlan } from "@dosimeter/query/plan";
import { useDebouncedValue } from "@mantine/hooks";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useAccountTree } from "../api/ledgers.ts";
import { useCreateSchedule, useDraft, useDrafts, useScheduleQuote } from "../api/releases.ts";
import { useMe } from "../api/session.ts";
import { Amount } from "../parts/Amount.tsx";
import { FormDialog } from "../parts/Dialog.tsx";
import { Choice, TextField } from "../parts/fields.tsx";
import { Notice } from "../parts/Notice.tsx";
import { Facts } from "../parts/Page.tsx";
import { Fault } from "../parts/Pending.tsx";
import { budgetChoices } from "../parts/words.ts";
import { nextText } from "./words.ts";

const ASK_AFTER_MS = 300;

/** A draft becomes a report: how many of the latest blocks it is about, from when on, and what that sets aside. */
export function NewReport({ dataset, onClose }: { dataset: Dataset; onClose: () => void }) {
  const { every, protects } = dataset.ledger?.blocks ?? { every: "month", protects: undefined };
  const me = useMe();
  const drafts = useDrafts(dataset.id);
  const accounts = useAccountTree(dataset.ledger?.id ?? "", dataset.ledger !== null);
  const own = (accounts.data ?? []).filter(
    ({ holder }) => holder.kind === "person" && holder.id === me.data?.person.id,
  );
  const [draft, setDraft] = useState("");
  const [account, setAccount] = useState("");
  const [name, setName] = useState("");
  const [latest, setLatest] = useState("12");
  const [goesOn, setGoesOn] = useState(false);
  const [from, setFrom] = useState("");
  const navigate = useNavigate();
  const create = useCreateSchedule();
  const chosen = draft === "" ? (drafts.data?.[0]?.id ?? "") : draft;
  const payer = account === "" ? (own[0]?.id ?? "") : account;
  const plan = usePlanOf(chosen);
  const asked = askedFor({ dataset: dataset.id, account: payer, plan, latest, goesOn, from });
  const [settled] = useDebouncedValue(asked, ASK_AFTER_MS);
  const quote = useScheduleQuote(settled);
  const isReady =
    asked !== null && name.trim() !== "" && quote.data != null && JSON.stringify(settled) === JSON.stringify(asked);
  return (
    <FormDialog
      title="New scheduled report"
      size="lg"
      action="Set aside and start"
      isReady={isReady}
      change={create}
      keeps={{ of: `report ${dataset.id}` }}
      onClose={onClose}
      onSubmit={() => {
        if (asked === null) return;
        create.mutate(
          { ...asked, name },
          { onSuccess: ({ id }) => void navigate({ to: "/reports/$schedule", params: { schedule: id } }) },
        );
      }}
    >
      <TextField label="Name" value={name} maxLength={200} onChange={setName} />
      {drafts.data?.length === 0 ? (
        <Notice tone="plain">Keep a plan as a draft first: on the page of the plan, under Drafts.</Notice>
      ) : (
        <Choice
          label="Plan"
          description="One of your drafts. It cannot be changed in the report later."
          value={chosen}
          onChange={setDraft}
          data={(drafts.data ?? []).map(({ id, name: called }) => ({ value: id, label: called }))}
        />
      )}
      <Choice label="Budget" value={payer} onChange={setAccount} data={budgetChoices(own)} />
      {protects === undefined ? (
        <Choice
          label="Each report is about"
          value={goesOn ? "all" : "latest"}
          onChange={(chosen) => setGoesOn(chosen === "all")}
          data={{ latest: `the latest ${every}s`, all: `all ${every}s so far: running counts and totals, paid in ρ` }}
        />
      ) : null}
      <div className="fields">
        <TextField
          label={goesOn ? `${capital(every)}s in all` : `Latest ${blockWord({ every, protects })}s in each report`}
          inputMode="numeric"
          value={latest}
          onChange={setLatest}
        />
        <TextField
          label={`First ${every}`}
          description={`Empty: the next ${every} to be over`}
          value={from}
          onChange={setFrom}
        />
      </div>
      <div aria-live="polite">
        {quote.error ? <Fault error={quote.error} /> : quote.data == null ? null : <Taken quote={quote.data} />}
      </div>
    </FormDialog>
  );
}

function Taken({ quote }: { quote: NonNullable<ReturnType<typeof useScheduleQuote>["data"]> }) {
  const { price, earmark, latest, next, horizon } = quote;
  const block = blockWord(quote);
  if (horizon !== null) return <Totals quote={quote} />;
  return (
    <>
      <Facts
        of={{
          "Each report takes": <Amount of={price.epsilon} unit="ε" />,
          [`Each ${block} pays over its life`]: <Amount of={earmark.epsilon} unit="ε" />,
          "First report": nextText({ next, status: "active" }),
        }}
      />
      <p className="small soft flush">
        Each {block} is in {countText(latest, "report")} and pays for all of them. That is set aside now, in every{" "}
        {block}, in a budget of its own that pays for nothing else. Until you end the report, you ask other questions
        from other purposes of your budget.
      </p>
    </>
  );
}

/** Of a running total: each period pays once, and the error grows slowly. */
function Totals({ quote }: { quote: NonNullable<ReturnType<typeof useScheduleQuote>["data"]> }) {
  const { earmark, every, next, horizon, errors } = quote;
  return (
    <>
      <Facts
        of={{
          [`Each ${every} pays, once, at most`]: <Amount of={earmark.epsilon} unit="ε" />,
          ...Object.fromEntries(
            errors.map(({ label, first, last }) => [
              `Error of ${label}`,
              `± ${errorText(first)} in the first report, ± ${errorText(last)} in the last`,
            ]),
          ),
          "First report": nextText({ next, status: "active" }),
        }}
      />
      <p className="small soft flush">
        When a {every} is over it pays for its part in this and all later reports, {horizon} in all; the {every}s before
        it do not pay again. That is set aside now, in every {every}, in a budget of its own that pays for nothing else.
      </p>
    </>
  );
}

/** The plan of a draft without its months: the report says them. */
function usePlanOf(draft: string): Plan | null {
  const { data } = useDraft(draft);
  if (data === undefined) return null;
  const { window: _, ...plan } = plainPlan(data.plan) as Plan;
  return plan;
}

type QuoteInput = Input<"quoteSchedule">;

/** null while something is missing. */
function askedFor({
  plan,
  latest,
  goesOn,
  from,
  ...rest
}: Pick<QuoteInput, "dataset" | "account"> & {
  plan: Plan | null;
  latest: string;
  goesOn: boolean;
  from: string;
}): QuoteInput | null {
  if (plan === null || rest.account === "" || !/^\d{1,4}$/.test(latest.trim())) return null;
  const over = goesOn ? { horizon: Number(latest) } : { latest: Number(latest) };
  return { ...rest, plan, ...over, ...(from.trim() === "" ? {} : { from: from.trim() }) };
}
