import type { Dataset } from "@dosimeter/client";
import type { Fields } from "@dosimeter/core/internal";
import { isConnected } from "@dosimeter/query/source";
import { Card } from "../../parts/Page.tsx";
import { Versions } from "../../reuse/Versions.tsx";
import { CheckRows } from "../CheckRows.tsx";
import { Schema } from "../Schema.tsx";

/** New rows of a block come in parts, and those of a connection are where they are. */
const isChecked = ({ myRoles, declaration: { source, blocks } }: Dataset): boolean =>
  myRoles.includes("datasetAdmin") && blocks === undefined && !isConnected((source ?? {}) as Fields);

/** What each column is, and the versions of the rows. */
export function ColumnsTab({ dataset }: { dataset: Dataset }) {
  return (
    <div className="stack">
      <Card title="Columns">
        <Schema dataset={dataset} />
      </Card>
      <Versions dataset={dataset} />
      {isChecked(dataset) ? <CheckRows dataset={dataset} /> : null}
    </div>
  );
}
