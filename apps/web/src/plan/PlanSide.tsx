import type { Account, Dataset, Quote } from "@dosimeter/client";
import { budgetBar } from "@dosimeter/plot";
import { capital } from "@dosimeter/plot/report";
import { gaugeOf, gaugeUnit, planBar } from "../charts.ts";
import { Amount, digitsFrom } from "../parts/Amount.tsx";
import { DataTable } from "../parts/DataTable.tsx";
import { Figure } from "../parts/Figure.tsx";
import { Gauge } from "../parts/Gauge.tsx";
import { Card } from "../parts/Page.tsx";
import { AsOf } from "../reuse/AsOf.tsx";
import { Offers } from "../reuse/Offers.tsx";
import type { Quoted } from "./use-quoted.ts";

/** Cards of a plan on an account: the version asked about, the budget before and after, and earlier answers. */
export function PlanSide({ dataset, account, quoted }: { dataset: Dataset; account: Account; quoted: Quoted }) {
  return (
    <>
      <AsOf dataset={dataset} value={quoted.asOf} onChange={quoted.setAsOf} />
      <BudgetAfter account={account} cost={quoted.charged} quote={quoted.quoted} />
      <Offers quote={quoted.quoted} chosen={quoted.chosen} unitOf={quoted.unitOf} onChoose={quoted.choose} />
    </>
  );
}

/** What the plan takes from the account, and what every holder on the way has before and after. */
function BudgetAfter({ account, cost, quote }: { account: Account; cost: string; quote: Quote | undefined }) {
  return (
    <Card title="Your budget" aside={<span className="soft small">{account.path.join(" › ")}</span>}>
      <Gauge
        title={`Budget of ${account.path.join(" › ")}`}
        balance={account.balance}
        free={account.free.epsilon}
        more={account.more}
        blocks={account.blocks}
      />
      {gaugeUnit(account.balance) === "ε" ? (
        <Figure isBare chart={(size) => budgetBar(planBar(account.balance, cost), size)} />
      ) : null}
      {quote?.admitted === false ? (
        <p className="soft small flush below-8">Quoting is free and reads no data.</p>
      ) : (
        <DataTable
          caption="Not spent, before and after"
          rows={quote === undefined ? unquoted(account) : (quote.path as readonly Row[])}
          keyOf={(node) => node.account ?? "ledger"}
          columns={[
            { name: "Account", isHead: true, cell: (node) => capital(node.name) },
            { name: "Before", isNumber: true, cell: ({ before }) => (before === null ? "…" : <Left of={before} />) },
            {
              name: "After",
              isNumber: true,
              cell: ({ before, after }) =>
                before === null ? "…" : after === null ? "–" : <Left of={after} from={before} />,
            },
          ]}
        />
      )}
    </Card>
  );
}

/** The rows that a quote will have: what is below them does not move when it arrives. */
const unquoted = ({ path }: Account): readonly Row[] =>
  ["the ledger", ...path].map((name, at) => ({ account: String(at), name, before: null, after: null }));

interface Row {
  readonly account: string | null;
  readonly name: string;
  readonly before: Held | null;
  readonly after: Held | null;
}

type Held = Quote["path"][number]["before"];

/** What is left; after a price, with as many digits as tell the price. */
function Left({ of: balance, from }: { of: Held; from?: Held }) {
  const left = gaugeOf(balance).left;
  const before = from === undefined ? null : gaugeOf(from).left;
  return <Amount unit={gaugeUnit(balance)} isRoom of={left} digits={digitsFrom(before, left)} />;
}
