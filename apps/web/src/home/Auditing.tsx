import { Link } from "@tanstack/react-router";
import { useDatasets } from "../api/datasets.ts";
import { ButtonLink } from "../parts/ButtonLink.tsx";
import { Card } from "../parts/Page.tsx";
import { Pending } from "../parts/Pending.tsx";

/** What an auditor without budget does: recompute a ledger, take its export along, read who did what. */
export function Auditing() {
  const datasets = useDatasets();
  return (
    <Card title="What you can check" aside={<Link to="/activity">Activity</Link>}>
      <div className="stack">
        <p className="soft flush">
          Each ledger can be recomputed in your browser, line by line, and taken along as a signed export. Activity
          shows who did what.
        </p>
        <Pending of={datasets} lines={3}>
          {({ pages }) => (
            <div className="page-actions">
              {pages
                .flatMap(({ items }) => items)
                .filter(({ ledger }) => ledger !== null)
                .map(({ id, name }) => (
                  <ButtonLink
                    key={id}
                    to="/datasets/$dataset"
                    params={{ dataset: id }}
                    search={{ tab: "ledger" }}
                    variant="default"
                  >
                    Verify or export {name}
                  </ButtonLink>
                ))}
            </div>
          )}
        </Pending>
      </div>
    </Card>
  );
}
