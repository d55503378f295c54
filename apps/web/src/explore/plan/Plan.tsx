import { accountantNames, accountants, limitOf, type SettingTexts } from "@dosimeter/planner";
import { checkDeclaration, type Declaration, declarationJson } from "@dosimeter/query/declaration";
import { Button } from "@mantine/core";
import { memo, useCallback, useState } from "react";
import { Choice, CommitNumber, LongText } from "../../parts/fields.tsx";
import { DELTA } from "../../parts/number-text.ts";
import { Card, Page } from "../../parts/Page.tsx";
import { PlanBench } from "../../plan/PlanBench.tsx";
import { SecretSample } from "../../plan/SecretSample.tsx";
import { usePlanner } from "../../plan/use-planner.ts";
import { faultOf, withNewRow } from "../../plan/workbench.ts";

/** What the example has, wherever it is offered. */
export const COLUMNS_ONLY = "Columns only: it has no rows, so nothing can be released from it.";

/** The columns and bounds of the California PUMS extract of 2000, without its rows. */
export const census: Declaration = checkDeclaration({
  name: "California census sample",
  source: { csv: "pums.csv" },
  privacyUnit: "row",
  adjacency: "replace",
  size: { public: 1000 },
  columns: {
    age: { type: "integer", lower: 0, upper: 100, required: true, provenance: "public" },
    income: { type: "integer", lower: 0, upper: 200_000, required: true },
    educ: { type: "integer", lower: 1, upper: 16, required: true, provenance: "public" },
    race: { type: "category", categories: [1, 2, 3, 4, 5, 6], required: true, provenance: "public" },
    married: { type: "boolean", required: true, provenance: "public" },
    sex: { type: "boolean", required: true, provenance: "public" },
  },
});

/** The first example: two means, the spread of ages, and two histograms. */
export const fiveStatistics: readonly SettingTexts[] = [
  { statistic: "mean", column: "age" },
  { statistic: "mean", column: "income" },
  { statistic: "quantiles", column: "age" },
  { statistic: "histogram", column: "race" },
  { statistic: "histogram", column: "married" },
];

const accountantOptions = [
  { value: "auto", label: "The best one" },
  ...accountantNames.map((name) => ({ value: name, label: accountants[name].label })),
] as const;

/** A plan without a server: a declaration is all it needs. */
export function Plan() {
  const [opened, setOpened] = useState({ declaration: census, times: 0 });
  const { declaration, times } = opened;
  const open = useCallback(
    (other: Declaration) => setOpened((before) => ({ declaration: other, times: before.times + 1 })),
    [],
  );
  return (
    <Page
      title="Plan"
      crumbs="Explore"
      lead={`Split a budget over statistics of “${declaration.name}” and see every error before anything is read. Only the declaration is used.${declaration === census ? ` ${COLUMNS_ONLY}` : ""}`}
    >
      <Bench key={times} declaration={declaration} onOther={open} />
    </Page>
  );
}

function Bench({ declaration, onOther }: { declaration: Declaration; onOther: (declaration: Declaration) => void }) {
  const planner = usePlanner(declaration, { epsilon: "1", delta: "0.000001", headroom: null });
  const { draft } = planner.bench;
  const size =
    declaration.adjacency === "replace" && declaration.size !== undefined && "public" in declaration.size
      ? declaration.size.public
      : null;
  return (
    <div className="stack">
      <PlanBench
        planner={planner}
        settings={
          <>
            <CommitNumber
              label="δ for this plan"
              wish={DELTA}
              value={draft.delta}
              onCommit={(typed) =>
                planner.edit("δ", { kind: "total", epsilon: draft.epsilon, delta: typed?.plain ?? "" })
              }
            />
            <Choice
              label="Added up by"
              value={draft.accountant}
              onChange={(chosen) => {
                const found = accountantOptions.find(({ value }) => value === chosen);
                if (found !== undefined) planner.edit("accountant", { kind: "accountant", accountant: found.value });
              }}
              data={accountantOptions}
            />
          </>
        }
        more={
          size === null ? undefined : (
            <SecretSample
              noun={declaration.unitNoun}
              size={size}
              sample={draft.sample}
              epsilon={draft.epsilon}
              functioning={limitOf(draft)}
              onSample={(sample) => planner.edit("secrecy of the sample", { kind: "sample", sample })}
            />
          )
        }
        risk={{
          plan: { epsilon: Number(draft.epsilon), mu2: 0, delta: Number(draft.delta) },
          whole: null,
          promised: null,
        }}
        start={
          declaration === census ? (
            <Button
              onClick={() =>
                planner.attempt("example opened", (before) =>
                  fiveStatistics.reduce((bench, settings) => withNewRow(bench, settings), before),
                )
              }
            >
              Five statistics of the census example, columns only
            </Button>
          ) : undefined
        }
      />
      <OtherTable declaration={planner.bench.declaration} onTake={onOther} />
    </div>
  );
}

/** Drawn again only with another table: its field measures itself each time. */
const OtherTable = memo(function OtherTable({
  declaration,
  onTake,
}: {
  declaration: Declaration;
  onTake: (declaration: Declaration) => void;
}) {
  /** What was typed here; until then the table of the plan, with the types that it has now. */
  const [typed, setTyped] = useState<string>();
  const text = typed ?? JSON.stringify(declarationJson(declaration), null, 2);
  const [fault, setFault] = useState<string>();
  const take = (): void => {
    try {
      onTake(checkDeclaration(JSON.parse(text)));
    } catch (error) {
      setFault(error instanceof SyntaxError ? "This is not JSON." : faultOf(error).message);
    }
  };
  return (
    <Card title="Another table">
      <p className="soft small flush-top">
        Describe yours: columns with bounds or categories. Nothing is sent anywhere.
      </p>
      <LongText
        label="Declaration (JSON)"
        minRows={4}
        maxRows={16}
        value={text}
        error={fault}
        onChange={setTyped}
        styles={{ input: { fontFamily: "ui-monospace, monospace", fontSize: 12 } }}
      />
      <div className="page-actions below-12">
        <Button variant="default" onClick={take}>
          Plan on this table
        </Button>
        <Button variant="subtle" onClick={() => onTake(census)}>
          Back to the census example, columns only
        </Button>
      </div>
    </Card>
  );
});
