import type { Dataset } from "@dosimeter/client";
import type { Fields } from "@dosimeter/core/internal";
import { isConnected } from "@dosimeter/query/source";
import { Button } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { client } from "../../api/connection.ts";
import { download } from "../../parts/browser.ts";
import { Card } from "../../parts/Page.tsx";
import { Fault } from "../../parts/Pending.tsx";
import { Versions } from "../../reuse/Versions.tsx";
import { CheckRows } from "../CheckRows.tsx";
import { Schema } from "../Schema.tsx";

/** New rows of a block come in parts, and those of a connection are where they are. */
const isChecked = ({ myRoles, declaration: { source, blocks } }: Dataset): boolean =>
  myRoles.includes("datasetAdmin") && blocks === undefined && !isConnected((source ?? {}) as Fields);

/** What catalogues read of a dataset, as a file. */
function Metadata({ of: { id, name } }: { of: Dataset }) {
  const save = useMutation({
    mutationFn: async () => {
      const text = JSON.stringify(await client.describeDataset({ dataset: id }), null, 2);
      download(`${name}.jsonld`, "application/ld+json", text);
    },
  });
  return (
    <>
      <Button size="xs" variant="default" loading={save.isPending} onClick={() => save.mutate()}>
        For catalogues (DCAT, DDI)
      </Button>
      <Fault error={save.error} />
    </>
  );
}

/** What each column is, and the versions of the rows. */
export function ColumnsTab({ dataset }: { dataset: Dataset }) {
  return (
    <div className="stack">
      <Card title="Columns" aside={<Metadata of={dataset} />}>
        <Schema dataset={dataset} />
      </Card>
      <Versions dataset={dataset} />
      {isChecked(dataset) ? <CheckRows dataset={dataset} /> : null}
    </div>
  );
}
