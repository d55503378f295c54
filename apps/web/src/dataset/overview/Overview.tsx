import type { Dataset, Ledger } from "@dosimeter/client";
import { IconRosetteDiscountCheck } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useLedger, useReport } from "../../api/ledgers.ts";
import { LatestAnswers } from "../../latest/LatestAnswers.tsx";
import { SetUpNotice } from "../../new-dataset/SetUpNotice.tsx";
import { Vouched } from "../../outside/Vouched.tsx";
import { ButtonLink } from "../../parts/buttons.tsx";
import { Gauge } from "../../parts/Gauge.tsx";
import { Lineage } from "../../parts/Lineage.tsx";
import { Notice } from "../../parts/Notice.tsx";
import { Pending } from "../../parts/Pending.tsx";
import { AskLine } from "../../plan/ask/AskLine.tsx";
import { Frozen } from "../Frozen.tsx";
import { PlainPromise } from "../PlainPromise.tsx";
import { protectionText } from "../words.ts";
import { MyChoices } from "./MyChoices.tsx";

/** The guarantee in one sentence under its seal; the exact statement, what was spent and who vouches for it on request. */
function Certificate({ ledger, dataset }: { ledger: Ledger; dataset: Dataset }) {
  const [isOpen, setOpen] = useState(false);
  const { guarantee, privacyUnit, blocks, head, outside } = ledger;
  return (
    <section className="certificate" aria-label="The guarantee">
      <IconRosetteDiscountCheck size={44} stroke={1.2} aria-hidden className="certificate-seal" />
      <div>
        <PlainPromise
          privacyUnit={privacyUnit}
          blocks={blocks}
          epsilon={guarantee.epsilon}
          delta={guarantee.delta}
          programs={outside.programs.length}
        />
        {guarantee.fitted === null ? null : <p>{guarantee.fitted}</p>}
        <p className="soft small">
          It {protectionText(ledger)}. Version {guarantee.version}, sealed by line {head.number} of the ledger,{" "}
          <span className="code">{head.hash.slice(0, 10)}…</span>
        </p>
        <div className="certificate-more">
          <details onToggle={(event) => setOpen(event.currentTarget.open)}>
            <summary>Exact statement</summary>
            {isOpen ? <Exact ledger={ledger} /> : null}
          </details>
          <Link to="/datasets/$dataset" params={{ dataset: dataset.id }} search={{ tab: "ledger" }}>
            Verify
          </Link>
          {ledger.isPublic ? (
            <Link to="/public/$population" params={{ population: ledger.population }}>
              Public page
            </Link>
          ) : null}
        </div>
      </div>
    </section>
  );
}

function Exact({ ledger }: { ledger: Ledger }) {
  const report = useReport({ ledger: ledger.id });
  return (
    <>
      <p className="certificate-exact">{ledger.guarantee.sentence}</p>
      <Vouched outside={ledger.outside} />
      <Pending of={report} lines={4}>
        {({ statement }) => (
          <>
            <p>{statement.sentence}</p>
            <dl className="facts">
              <div>
                <dt>Promised: {statement.promised.claim}</dt>
                <dd>{statement.promised.certificate}</dd>
              </div>
              <div>
                <dt>Spent: {statement.spent.claim}</dt>
                <dd>{statement.spent.certificate}</dd>
              </div>
            </dl>
            <p className="soft">
              M13 and M51 are claims with their proofs in <a href="docs/math.html">the mathematics, claim by claim</a>.
            </p>
          </>
        )}
      </Pending>
    </>
  );
}

/** One screen: the budget, the guarantee, what has been released, and what the reader may do. */
export function Overview({ dataset }: { dataset: Dataset }) {
  const { ledger } = dataset;
  if (ledger === null) return <NotOpen dataset={dataset} />;
  return <Opened id={ledger.id} dataset={dataset} />;
}

function NotOpen({ dataset }: { dataset: Dataset }) {
  return (
    <Notice tone="warn" title="The ledger is not open yet">
      <p>Nothing can be released until a dataset admin decides the lifetime budget.</p>
      {dataset.myRoles.includes("datasetAdmin") ? (
        <ButtonLink to="/datasets/$dataset/open" params={{ dataset: dataset.id }}>
          Open the ledger
        </ButtonLink>
      ) : null}
    </Notice>
  );
}

function Opened({ id, dataset }: { id: string; dataset: Dataset }) {
  const ledger = useLedger(id);
  const payer = dataset.accounts.find(({ mine }) => mine.mayRelease);
  return (
    <Pending of={ledger} lines={8}>
      {(open) => (
        <div className="overview">
          <div>
            <section aria-label="Budgets" className="overview-gauges">
              <Gauges ledger={open} dataset={dataset} />
            </section>
            <section aria-labelledby="may-do">
              <h2 id="may-do">What you may do</h2>
              <MyChoices ledger={open} dataset={dataset} />
            </section>
          </div>
          <div>
            {payer === undefined ? null : <AskLine of={{ id: dataset.id, name: dataset.name, account: payer.id }} />}
            <Frozen ledger={open} />
            <Lineage dataset={dataset} />
            <SetUpNotice dataset={dataset} ledger={open} />
            <Certificate ledger={open} dataset={dataset} />
            <section aria-labelledby="released">
              <div className="card-head">
                <h2 id="released">Released answers</h2>
                <Link to="/datasets/$dataset/released" params={{ dataset: dataset.id }} className="small">
                  All answers
                </Link>
              </div>
              <LatestAnswers
                dataset={dataset.id}
                empty={
                  <p className="soft">
                    Nothing that you can read yet. Answers stay here for good, and reading them again is free.
                  </p>
                }
              />
            </section>
          </div>
        </div>
      )}
    </Pending>
  );
}

/** The reader's own budgets first, then the one of all people together. */
function Gauges({ ledger, dataset }: { ledger: Ledger; dataset: Dataset }) {
  const [first, ...others] = dataset.accounts.filter(({ status }) => status !== "closed");
  const whole = {
    title: `Budget of ${dataset.name}`,
    balance: ledger.balance,
    free: ledger.free.epsilon,
    outside: ledger.outside,
    blocks: ledger.blocks,
  };
  if (first === undefined)
    return (
      <>
        <Gauge {...whole} size="large" />
        <p className="soft small">for everyone together</p>
      </>
    );
  return (
    <>
      <Gauge
        title={`Budget of ${first.path.join(" › ")}`}
        balance={first.balance}
        free={first.free.epsilon}
        more={first.more}
        blocks={first.blocks}
        size="large"
      />
      <p className="soft small">yours, {first.path.join(" › ")}</p>
      {others.map(({ id, path, free, ...room }) => (
        <div key={id}>
          <p className="soft small">{path.join(" › ")}</p>
          <Gauge
            title={`Budget of ${path.join(" › ")}`}
            balance={room.balance}
            free={free.epsilon}
            more={room.more}
            blocks={room.blocks}
          />
        </div>
      ))}
      <div className="overview-whole">
        <Gauge {...whole} />
        <p className="soft small">in all, for everyone together</p>
      </div>
    </>
  );
}
