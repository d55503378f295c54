import { formatNumber } from "@dosimeter/plot";
import { checkDeclaration, compareAccountants, type Declaration, limitOf } from "@dosimeter/query";
import { Button, NativeSelect, Textarea } from "@mantine/core";
import { useMemo, useState } from "react";
import { DataTable } from "../../parts/DataTable.tsx";
import { Card, Page } from "../../parts/Page.tsx";
import { CommitInput } from "../../plan/CommitInput.tsx";
import { PlanBench } from "../../plan/PlanBench.tsx";
import { usePlanner } from "../../plan/use-planner.ts";
import { faultOf } from "../../plan/workbench.ts";
import { census } from "./example.ts";

const accountants = [
  { value: "auto", label: "Whatever wins" },
  { value: "addition", label: "Addition" },
  { value: "optimal", label: "Optimal composition" },
  { value: "zcdp", label: "zCDP" },
  { value: "gaussian", label: "Exact Gaussian" },
] as const;

/** A plan without a server: a declaration is all it needs. */
export function Plan() {
  const [declaration, setDeclaration] = useState<Declaration>(census);
  return (
    <Page
      title="Plan"
      crumbs="Explore"
      lead={`Split a budget over statistics of “${declaration.name}” and see every error before anything is read. Only the declaration is used.`}
    >
      <div className="stack">
        <Bench key={JSON.stringify(declaration)} declaration={declaration} />
        <OtherTable declaration={declaration} onTake={setDeclaration} />
      </div>
    </Page>
  );
}

function Bench({ declaration }: { declaration: Declaration }) {
  const planner = usePlanner(declaration, { epsilon: "1", delta: "0.000001", headroom: null });
  const { draft } = planner.bench;
  const outcomes = useMemo(
    () => (draft.rows.some((row) => row.isComplete) ? compareAccountants(draft, declaration) : []),
    [draft, declaration],
  );
  const isReplace = declaration.adjacency === "replace";
  const size = declaration.size !== undefined && "public" in declaration.size ? declaration.size.public : null;
  const functioning = Number(limitOf(draft).epsilon) / 1e12;
  return (
    <PlanBench
      planner={planner}
      budget={
        <>
          <CommitInput
            label="δ for this plan"
            inputMode="decimal"
            value={draft.delta}
            onCommit={(delta) => planner.edit("δ", { kind: "total", epsilon: draft.epsilon, delta })}
          />
          <NativeSelect
            label="Added up by"
            value={draft.accountant}
            onChange={(event) => {
              const found = accountants.find(({ value }) => value === event.currentTarget.value);
              if (found !== undefined) planner.edit("accountant", { kind: "accountant", accountant: found.value });
            }}
            data={[...accountants]}
          />
          {isReplace && size !== null ? (
            <CommitInput
              label="Secret sample of how many?"
              inputMode="numeric"
              placeholder="not a secret sample"
              value={draft.sample === null ? "" : String(draft.sample.population)}
              description={
                draft.sample === null
                  ? undefined
                  : `Functioning ε ${formatNumber(functioning, 4)}: if who is in the sample is not secret, that is the real guarantee.`
              }
              onCommit={(text) =>
                planner.edit("secrecy of the sample", {
                  kind: "sample",
                  sample: text === "" ? null : { size, population: Number(text.replaceAll(",", "")) },
                })
              }
            />
          ) : null}
        </>
      }
      side={
        outcomes.length === 0 ? null : (
          <Card title="Accountants side by side">
            <DataTable
              caption="Mean error against what would be useful, nothing held; the smallest first"
              rows={outcomes}
              keyOf={({ accountant }) => accountant}
              columns={[
                {
                  name: "Accountant",
                  isHead: true,
                  cell: ({ accountant }) => accountants.find(({ value }) => value === accountant)?.label ?? accountant,
                },
                { name: "Noise", cell: ({ noise }) => noise },
                {
                  name: "Mean error",
                  isNumber: true,
                  cell: ({ meanError }) => (meanError === null ? "–" : formatNumber(meanError, 3)),
                },
              ]}
            />
          </Card>
        )
      }
    />
  );
}

function OtherTable({ declaration, onTake }: { declaration: Declaration; onTake: (declaration: Declaration) => void }) {
  const [text, setText] = useState(() => JSON.stringify(declaration, null, 2));
  const [fault, setFault] = useState<string>();
  const take = (): void => {
    try {
      onTake(checkDeclaration(JSON.parse(text)));
      setFault(undefined);
    } catch (error) {
      setFault(error instanceof SyntaxError ? "This is not JSON." : faultOf(error).message);
    }
  };
  return (
    <Card title="Another table">
      <p className="soft small" style={{ marginTop: 0 }}>
        Describe yours: columns with bounds or categories. Nothing is sent anywhere.
      </p>
      <Textarea
        label="Declaration (JSON)"
        autosize
        minRows={4}
        maxRows={16}
        value={text}
        error={fault}
        onChange={(event) => setText(event.currentTarget.value)}
        styles={{ input: { fontFamily: "ui-monospace, monospace", fontSize: 13 } }}
      />
      <div className="page-actions" style={{ marginTop: 12 }}>
        <Button variant="default" onClick={take}>
          Plan on this table
        </Button>
        <Button
          variant="subtle"
          onClick={() => {
            setText(JSON.stringify(census, null, 2));
            onTake(census);
          }}
        >
          Back to the census example
        </Button>
      </div>
    </Card>
  );
}
