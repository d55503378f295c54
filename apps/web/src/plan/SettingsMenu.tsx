import { type CalendarUnit, casesText } from "@dosimeter/core";
import type { Allocation } from "@dosimeter/planner";
import { capital } from "@dosimeter/plot/report";
import { typedWindow } from "@dosimeter/query/bind";
import { unitNounOf } from "@dosimeter/query/declaration";
import { Button, Popover } from "@mantine/core";
import { IconSettings } from "@tabler/icons-react";
import { type ReactNode, useRef, useState } from "react";
import { Choice, CommitInput, CommitNumber } from "../parts/fields.tsx";
import { WHOLE } from "../parts/number-text.ts";
import { betaText, confidenceOf, shownBeta } from "./beta.ts";
import { sizeText } from "./columns.ts";
import { CardPlace, HelpCard } from "./HelpCard.tsx";
import type { Planner } from "./use-planner.ts";

const allocations: readonly { readonly value: Allocation; readonly label: string }[] = [
  { value: "ratio", label: "Keep proportions" },
  { value: "even", label: "Evenly" },
  { value: "weights", label: "By weight" },
  { value: "targets", label: "In proportion to targets" },
  { value: "total", label: "Smallest total error" },
];

const BETA = { above: 0, below: 1, isShare: true } as const;
const PERCENT = { min: 0, max: 100 } as const;

/** How the whole plan is read and divided. */
function PlanSettings({ planner, children }: { planner: Planner; children?: ReactNode }) {
  const { bench, edit } = planner;
  const { draft, declaration } = bench;
  const beta = betaText(draft.confidence);
  return (
    <div className="plan-budget">
      <CommitNumber
        label={<Worded text="β, chance of a larger error" term="confidence" />}
        aria-label="β, chance of a larger error"
        description={`Errors hold ${casesText(draft.confidence)}`}
        wish={BETA}
        value={shownBeta(beta)}
        title={beta}
        onCommit={(typed) => edit("β", { kind: "confidence", confidence: confidenceOf(typed?.plain ?? "") })}
      />
      <CommitNumber
        label={`Assumed number of ${unitNounOf(declaration).many}`}
        wish={WHOLE}
        isOptional
        placeholder={sizeText(declaration)}
        value={draft.people === null ? "" : String(draft.people)}
        onCommit={(typed) => edit("number of people", { kind: "people", people: typed?.value ?? null })}
      />
      {declaration.blocks === undefined ? null : <Blocks planner={planner} {...declaration.blocks} />}
      <Choice
        label="Split the budget"
        value={draft.allocate}
        onChange={(chosen) => {
          const found = allocations.find(({ value }) => value === chosen);
          if (found !== undefined) edit("sharing", { kind: "allocate", allocate: found.value });
        }}
        data={allocations}
      />
      <CommitNumber
        label={<Worded text="Keep in reserve (%)" term="reserve" />}
        aria-label="Keep in reserve (%)"
        wish={PERCENT}
        value={String(Number((Number(draft.reserve) * 100).toPrecision(10)))}
        onCommit={(typed) =>
          edit("reserve", { kind: "reserve", reserve: Number(((typed?.value ?? 0) / 100).toPrecision(10)) })
        }
      />
      <Choice
        label="When something does not fit"
        value={draft.policy}
        onChange={(chosen) => edit("policy", { kind: "policy", policy: chosen === "strict" ? "strict" : "rebalance" })}
        data={{ rebalance: "Shrink other rows", strict: "Change nothing automatically" }}
      />
      {children}
    </div>
  );
}

/** Which blocks the plan is about, as typed: each of them pays. */
function Blocks({ planner, every, protects }: { planner: Planner; every: CalendarUnit; protects?: "person" }) {
  const { window = "" } = planner.bench.draft;
  return (
    <CommitInput
      label={protects === undefined ? `${capital(every)}s` : `Cohorts, by the ${every} of the first date`}
      description={`Such as latest 12, ${spans[every]} or all closed; each ${every} pays`}
      value={typedWindow(window)}
      onCommit={(typed) => planner.edit(`${every}s`, { kind: "window", window: typed })}
    />
  );
}

const spans: Readonly<Record<CalendarUnit, string>> = {
  day: "2024-03-01 to 2024-03-15",
  week: "2024-W01 to 2024-W11",
  month: "2024-01 to 2024-12",
  quarter: "2024-Q1 to 2024-Q4",
  year: "2022 to 2024",
};

function Worded({ text, term }: { text: string; term: Parameters<typeof HelpCard>[0]["term"] }) {
  return (
    <span className="worded">
      {text} <HelpCard term={term} />
    </span>
  );
}

/** The settings of the plan, below their button; open at first. */
export function SettingsMenu({ planner, children }: { planner: Planner; children: ReactNode }) {
  const [isOpen, setOpen] = useState(true);
  const [place, setPlace] = useState<HTMLElement | null>(null);
  const button = useRef<HTMLButtonElement>(null);
  return (
    <Popover
      opened={isOpen}
      onChange={setOpen}
      onClose={() => button.current?.focus()}
      width="min(560px, calc(100vw - 32px))"
      position="bottom-end"
      shadow="md"
      trapFocus
      withinPortal={false}
    >
      <Popover.Target>
        <Button
          ref={button}
          variant="default"
          leftSection={<IconSettings size={16} aria-hidden />}
          onClick={() => setOpen((before) => !before)}
        >
          Settings
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label="Settings of the plan">
        <CardPlace value={place}>
          <PlanSettings planner={planner}>{children}</PlanSettings>
        </CardPlace>
        <div ref={setPlace} />
      </Popover.Dropdown>
    </Popover>
  );
}
