import type { Ledger, Report } from "@dosimeter/client";
import { agentReportChart, formatNumber, reportChart } from "@dosimeter/plot";
import { useDebouncedValue } from "@mantine/hooks";
import { useState } from "react";
import { useAccountTree, useReport } from "../../api/ledgers.ts";
import { Loss } from "../../parts/Amount.tsx";
import { DataTable } from "../../parts/DataTable.tsx";
import { Figure } from "../../parts/Figure.tsx";
import { Choice, NumberField } from "../../parts/fields.tsx";
import { Notice } from "../../parts/Notice.tsx";
import { DELTA, isTyped, numberOf, plainOf } from "../../parts/number-text.ts";
import { Facts, Tag } from "../../parts/Page.tsx";
import { Pending } from "../../parts/Pending.tsx";
import { budgetChoices } from "../../parts/words.ts";

const THRESHOLD = { min: 0, max: 1_000_000 } as const;

/** After this time a notice says that the report is being made. */
const SLOW_MS = 1000;

/** Every accountant side by side for the whole ledger or for one account, now and over time. None of them admits anything. */
export function Reports({ ledger }: { ledger: Ledger }) {
  const accounts = useAccountTree(ledger.id);
  const [account, setAccount] = useState("");
  const [delta, setDelta] = useState("");
  const [threshold, setThreshold] = useState("");
  const asked = {
    ...(isTyped(delta, DELTA) ? { delta: plainOf(delta, DELTA) } : {}),
    ...(isTyped(threshold, THRESHOLD) ? { threshold: numberOf(threshold, THRESHOLD) } : {}),
  };
  const report = useReport(account === "" ? { ledger: ledger.id } : { account }, asked);
  const [isSlow] = useDebouncedValue(report.isFetching, SLOW_MS);
  return (
    <div className="stack">
      <div className="fields">
        <Choice
          label="Of"
          value={account}
          onChange={setAccount}
          data={[{ value: "", label: "the whole ledger" }, ...budgetChoices(accounts.data)]}
        />
        <NumberField
          label="δ of the totals"
          wish={DELTA}
          placeholder={report.data?.delta ?? "its own"}
          value={delta}
          onChange={setDelta}
        />
        <NumberField
          label="This report adds up above ε"
          wish={THRESHOLD}
          placeholder={ledger.threshold ?? "1"}
          value={threshold}
          onChange={setThreshold}
        />
      </div>
      {account === "" ? null : (
        <p className="soft small flush">
          What this budget alone has spent. People who combine their answers can learn as much as the total of the whole
          ledger says.
        </p>
      )}
      {report.isFetching && isSlow ? (
        <p className="soft small flush" role="status">
          Every accountant reads the {formatNumber(ledger.head.number)} lines of this ledger. Where many charges differ,
          this takes seconds, where thousands do a minute; it ends when you leave, and is kept until the next charge.
        </p>
      ) : null}
      <Pending of={report}>{(data) => (data.charges === 0 ? <Nothing /> : <Shown report={data} />)}</Pending>
    </div>
  );
}

const Nothing = () => <p className="flush">Nothing has been charged yet: every total is 0.</p>;

type Row = Report["accountants"][number];

/** On narrower pages the legend takes a line for each accountant. */
const NARROW = 520;

function Shown({ report }: { report: Report }) {
  return (
    <>
      <DataTable
        caption={`Total of ${formatNumber(report.charges)} charges at δ = ${formatNumber(Number(report.delta))}. All are upper bounds; each says what it assumes.`}
        columns={[
          {
            name: "Accountant",
            isHead: true,
            cell: (row: Row) => (
              <>
                {row.label} {row.isLeast ? <Tag tone="good">least</Tag> : null}
              </>
            ),
          },
          {
            name: "ε",
            isNumber: true,
            cell: ({ epsilon, unavailable }: Row) => (unavailable === null ? <Loss of={epsilon} /> : "–"),
          },
          {
            name: "At least",
            isNumber: true,
            cell: ({ lower }: Row) => (lower === null ? "" : <Loss of={lower} isLower />),
          },
          { name: "Assumes", cell: ({ assumes, unavailable }: Row) => unavailable ?? assumes },
        ]}
        isStacking
        rows={report.accountants}
        keyOf={({ method }) => method}
      />
      <Facts
        of={{
          "Holds even if questions depend on earlier answers": (
            <>
              ε = <Loss of={report.adaptive} />
            </>
          ),
        }}
      />
      <Figure chart={(size) => reportChart(report, size.width < NARROW ? { ...size, height: 460 } : size)} />
      <Agent of={report.agent} />
    </>
  );
}

function Agent({ of: agent }: { of: Report["agent"] }) {
  if (agent === null) {
    return (
      <Notice tone="plain" title="AGENT has no report here">
        <p>Its list needs an ε and a δ for every query, and a charge has none.</p>
      </Notice>
    );
  }
  return (
    <section aria-label="As AGENT reports it" className="stack">
      <h3 className="flush">
        As AGENT reports it <Tag tone="warn">report only</Tag>
      </h3>
      <Facts
        of={{
          "Reported ε": <Loss of={agent.epsilon} />,
          "Reported δ": <Loss of={agent.delta} />,
          Composition: agent.method,
          "δ′, from what is left": formatNumber(agent.slack),
          "True of this list": (
            <>
              ε = <Loss of={agent.tightest} />
            </>
          ),
        }}
      />
      <ul className="flush">
        {agent.remarks.map((remark) => (
          <li key={remark}>{remark}</li>
        ))}
      </ul>
      {new Set(agent.curve.map(({ epsilon }) => epsilon)).size < 2 ? (
        <p className="soft small flush">This ε does not depend on what is left of δ.</p>
      ) : (
        <Figure
          chart={(size) => agentReportChart(agent, size)}
          caption="The slack δ′ is what is left of δ. While much is left the reported ε is low; it climbs as δ is used up, and when none is left a floor of 10⁻¹² is added, so the reported δ exceeds the budget."
        />
      )}
    </section>
  );
}
