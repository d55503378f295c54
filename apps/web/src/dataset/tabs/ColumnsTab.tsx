import type { Dataset } from "@dosimeter/client";
import { Card } from "../../parts/Page.tsx";
import { Versions } from "../../reuse/Versions.tsx";
import { Schema } from "../Schema.tsx";

/** What each column is, and the versions of the rows. */
export function ColumnsTab({ dataset }: { dataset: Dataset }) {
  return (
    <div className="stack">
      <Card title="Columns">
        <Schema dataset={dataset} />
      </Card>
      <Versions dataset={dataset} />
    </div>
  );
}
