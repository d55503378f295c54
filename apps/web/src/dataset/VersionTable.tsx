import type { ComponentProps } from "react";
import { Amount } from "../parts/Amount.tsx";
import { DataTable } from "../parts/DataTable.tsx";
import { ExactStatement } from "../parts/Notice.tsx";
import { momentText } from "../parts/words.ts";

interface Version {
  readonly version: number;
  readonly at: string;
  readonly epsilon: string;
  readonly delta: string;
  readonly sentence: string;
}

/** Every version of a guarantee; `why` are columns about who raised it. */
export const VersionTable = <Row extends Version>({
  rows,
  why = [],
}: {
  rows: readonly Row[];
  why?: ComponentProps<typeof DataTable<Row>>["columns"];
}) => (
  <DataTable
    caption="Versions of the guarantee, oldest first. A raise is never a reset: every charge was replayed under the new terms."
    isStacking
    rows={rows}
    keyOf={({ version }) => String(version)}
    columns={[
      { name: "Version", isHead: true, cell: ({ version }) => `${version}` },
      { name: "Since", cell: ({ at }) => <span className="nowrap">{momentText(at)}</span> },
      { name: "ε", isNumber: true, cell: ({ epsilon }) => <Amount of={epsilon} /> },
      { name: "δ", isNumber: true, cell: ({ delta }) => <Amount of={delta} /> },
      ...why,
      {
        name: "What is promised",
        cell: ({ sentence }) => (
          <ExactStatement>
            <p>{sentence}</p>
          </ExactStatement>
        ),
      },
    ]}
  />
);
