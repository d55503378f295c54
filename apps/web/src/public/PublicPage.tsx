import { protectedUnit, ruleRow } from "@dosimeter/core";
import { getRouteApi, Link } from "@tanstack/react-router";
import { usePublicGuarantee } from "../api/ledgers.ts";
import { PlainPromise } from "../dataset/PlainPromise.tsx";
import { VersionTable } from "../dataset/VersionTable.tsx";
import { protectionText } from "../dataset/words.ts";
import { Amount } from "../parts/Amount.tsx";
import { ExactStatement, Notice } from "../parts/Notice.tsx";
import { Card, Facts, Page } from "../parts/Page.tsx";
import { PendingPage } from "../parts/Pending.tsx";
import { dayText } from "../parts/words.ts";
import "../dataset/dataset.css";

const route = getRouteApi("/public/$population");

/** The promise about the people of a dataset, for anyone with the address: no sign-in, no names and no spending. */
export function PublicPage() {
  const { population } = route.useParams();
  const guarantee = usePublicGuarantee(population);
  return (
    <PendingPage of={guarantee} name="What is promised">
      {({
        name,
        privacyUnit,
        blocks,
        adjacency,
        rule,
        sentence,
        fitted,
        epsilon,
        delta,
        ceiling,
        status,
        openedAt,
        versions,
        programs,
        head,
      }) => (
        <Page
          title={`What is promised about ${name}`}
          lead="Published by the owners of this data. Nothing here was computed from the rows."
        >
          <div className="stack">
            <section className="card guarantee" aria-label="The guarantee">
              <div className="card-head">
                <h2>The promise</h2>
                <span className="soft small">version {versions.at(-1)?.version ?? 1}</span>
              </div>
              <PlainPromise
                privacyUnit={privacyUnit}
                blocks={blocks}
                epsilon={epsilon}
                delta={delta}
                programs={programs.length}
              />
              {fitted === null ? null : <p>{fitted}</p>}
              <ExactStatement>
                <p>{sentence}</p>
              </ExactStatement>
            </section>
            {status === "frozen" ? (
              <Notice tone="plain" title="Nothing is being released now">
                <p>The ledger is frozen. The promise holds for everything that was released before.</p>
              </Notice>
            ) : null}
            {programs.length === 0 ? null : (
              <Card title="Made outside">
                <p>
                  The promise holds provided that these did what was declared. A person vouches for each, who is named
                  in the ledger.
                </p>
                <ul>
                  {programs.map(({ tool, published }, index) => (
                    // biome-ignore lint/suspicious/noArrayIndexKey: programs are only ever added
                    <li key={index}>
                      {published === null ? "A program that was charged before it ran" : `Published ${published}`}
                      {tool === null ? "" : `, with ${tool}`}
                    </li>
                  ))}
                </ul>
              </Card>
            )}
            <Card title="In figures">
              <Facts
                of={{
                  Protects: protectedUnit("each", privacyUnit, blocks),
                  "Lifetime ε": <Amount of={epsilon} />,
                  "Lifetime δ": <Amount of={delta} />,
                  "Ceiling ε": <Amount of={ceiling.epsilon} />,
                  "Ceiling δ": <Amount of={ceiling.delta} />,
                  Rule: ruleRow(rule).words.short,
                  Since: dayText(openedAt),
                }}
              />
              <p className="soft flush below-12">
                The smaller ε and δ, the less anyone can learn from the answers about whether{" "}
                {protectedUnit("any one", privacyUnit, blocks)}{" "}
                {adjacency === "addRemove" ? "is in the data" : "is as the data say"}: the guarantee{" "}
                {protectionText({ adjacency, privacyUnit, blocks })}. <Link to="/explore">What ε and δ mean</Link>
              </p>
            </Card>
            <Card title="Versions">
              <VersionTable rows={versions} />
            </Card>
            <Card title="The ledger now">
              <p className="soft flush above-12">
                Every line contains the hash of the one before it. Write this hash down today, and you can prove later
                that no line was changed or left out. Every charge adds a line: the number shows how many charges there
                were, not what they asked or cost.
              </p>
              <Facts of={{ Lines: head.number, "Head hash": <span className="code">{head.hash}</span> }} />
            </Card>
          </div>
        </Page>
      )}
    </PendingPage>
  );
}
