import { casesText } from "@dosimeter/core";
import { type Allocation, needsReason } from "@dosimeter/query";
import { NativeSelect, TextInput } from "@mantine/core";
import type { ReactNode } from "react";
import { CommitInput } from "../parts/CommitInput.tsx";
import { betaText, confidenceOf } from "./beta.ts";
import { sizeText } from "./columns.ts";
import { HelpCard } from "./HelpCard.tsx";
import type { Planner } from "./use-planner.ts";

const allocations: readonly { readonly value: Allocation; readonly label: string }[] = [
  { value: "ratio", label: "Keep proportions" },
  { value: "even", label: "Evenly" },
  { value: "weights", label: "By weight" },
  { value: "targets", label: "In proportion to targets" },
  { value: "total", label: "Smallest total error" },
];

/** Fields for the whole plan: its budget and how it is shared. */
export function PlanBudget({ planner, children }: { planner: Planner; children?: ReactNode }) {
  const { bench, edit } = planner;
  const { draft, declaration } = bench;
  const reason = needsReason(draft, declaration);
  return (
    <>
      <div className="plan-budget">
        <CommitInput
          label={<Worded text="ε for this plan" term="epsilon" />}
          aria-label="ε for this plan"
          inputMode="decimal"
          value={draft.pending?.edit.kind === "total" ? String(draft.pending.edit.epsilon) : draft.epsilon}
          onCommit={(epsilon) => edit("ε for this plan", { kind: "total", epsilon })}
        />
        <CommitInput
          label={<Worded text="β, chance of a larger error" term="confidence" />}
          aria-label="β, chance of a larger error"
          description={`Errors hold ${casesText(draft.confidence)}`}
          inputMode="decimal"
          value={betaText(draft.confidence)}
          onCommit={(text) => edit("β", { kind: "confidence", confidence: confidenceOf(text) })}
        />
        <CommitInput
          label="Assumed number of people"
          inputMode="numeric"
          placeholder={sizeText(declaration)}
          value={draft.people === null ? "" : String(draft.people)}
          onCommit={(text) => {
            const people = text === "" ? null : Number(text.replaceAll(",", ""));
            if (people !== null && !(Number.isSafeInteger(people) && people > 0))
              return "Must be a whole number above 0.";
            return edit("number of people", { kind: "people", people });
          }}
        />
        <NativeSelect
          label="Split the budget"
          value={draft.allocate}
          onChange={(event) => {
            const found = allocations.find(({ value }) => value === event.currentTarget.value);
            if (found !== undefined) edit("sharing", { kind: "allocate", allocate: found.value });
          }}
          data={[...allocations]}
        />
        <CommitInput
          label={<Worded text="Keep in reserve (%)" term="reserve" />}
          aria-label="Keep in reserve (%)"
          inputMode="decimal"
          value={String(Number((Number(draft.reserve) * 100).toPrecision(10)))}
          onCommit={(text) =>
            Number(text) >= 0 && Number(text) <= 100
              ? edit("reserve", { kind: "reserve", reserve: Number((Number(text) / 100).toPrecision(10)) })
              : "Must be from 0 to 100."
          }
        />
        <NativeSelect
          label="When something does not fit"
          value={draft.policy}
          onChange={(event) =>
            edit("policy", { kind: "policy", policy: event.currentTarget.value === "strict" ? "strict" : "rebalance" })
          }
          data={[
            { value: "rebalance", label: "Shrink other rows" },
            { value: "strict", label: "Change nothing automatically" },
          ]}
        />
        {children}
      </div>
      {reason === null ? null : (
        <TextInput
          mt="md"
          label={reason === "epsilon" ? "Why is more than ε = 1 worth it?" : "Why is a δ above one over n² worth it?"}
          description="Kept in the plan; it cannot be released without."
          value={draft.reason}
          onChange={(event) => edit("reason", { kind: "reason", reason: event.currentTarget.value })}
        />
      )}
    </>
  );
}

/** A label with its card. */
function Worded({ text, term }: { text: string; term: Parameters<typeof HelpCard>[0]["term"] }) {
  return (
    <span className="worded">
      {text} <HelpCard term={term} />
    </span>
  );
}
