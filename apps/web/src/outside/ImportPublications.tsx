import type { Input, Output } from "@dosimeter/client";
import { PrivacyError } from "@dosimeter/core";
import { type PublicationRow, readPublications } from "@dosimeter/core/accounting";
import { Button, FileButton } from "@mantine/core";
import { useState } from "react";
import { useChange } from "../api/connection.ts";
import { DataTable } from "../parts/DataTable.tsx";
import { Choice } from "../parts/fields.tsx";
import { Notice } from "../parts/Notice.tsx";
import { Fault, sentence } from "../parts/Pending.tsx";
import { CostText } from "./CostText.tsx";
import { relations } from "./words.ts";

type Rows = Input<"importCharges">["rows"];
type Quoted = Output<"quoteImport">["rows"][number];

interface Shown extends Partial<Pick<Quoted, "outcome" | "price" | "why">> {
  readonly name: string;
}

/** What is wrong with a row, said in it: without its place in the file. */
const inRow = (why: string): string =>
  sentence(why.replace(/^\S*\[\d+\](?:\.published)?\.?(\w*)/, (_, field: string) => field || "the row"));

const outcomes: Readonly<Record<Quoted["outcome"], string>> = {
  counted: "fits",
  known: "counted before",
  over: "does not fit",
  problem: "not understood",
};

const soundOf = (rows: readonly (PublicationRow | PrivacyError)[]): Rows =>
  rows.filter((row) => !(row instanceof PrivacyError)) as unknown as Rows;

/** What was published about these people before the ledger, or without it: read from a file, priced, then counted. */
export function ImportPublications({ ledger }: { ledger: string }) {
  const [relation, setRelation] = useState<Rows[number]["relation"]>("add-or-remove-one");
  const [read, setRead] = useState<readonly (PublicationRow | PrivacyError)[]>([]);
  const [fault, setFault] = useState<unknown>(null);
  const price = useChange((client, rows: Rows) => client.quoteImport({ ledger, rows }));
  const take = useChange((client, rows: Rows) => client.importCharges({ ledger, rows }));
  const quoted = [...(price.data?.rows ?? [])];
  const shown = read.map((row, index): Shown => {
    if (!(row instanceof PrivacyError)) return { name: row.key, ...(quoted.shift() ?? null) };
    return { name: `row ${index + 1}`, outcome: "problem", why: row.message };
  });
  const isClear = read.length > 0 && shown.every(({ outcome }) => outcome !== undefined && outcome !== "problem");
  const isOver = shown.some(({ outcome }) => outcome === "over");
  const open = async (file: File | null) => {
    if (file === null) return;
    price.reset();
    take.reset();
    setFault(null);
    setRead([]);
    try {
      const rows = readPublications(await file.text(), { name: file.name, relation });
      setRead(rows);
      const sound = soundOf(rows);
      if (sound.length > 0) price.mutate(sound);
    } catch (error) {
      setFault(error);
    }
  };
  return (
    <details>
      <summary>Count what was published before</summary>
      <div className="stack below-12">
        <p className="soft flush">
          A lifetime starts at the truth: reports that came out before this ledger are counted on it, on no one’s
          budget. A CSV or JSON file has for each a <span className="code">key</span>, the day{" "}
          <span className="code">on</span> and the place <span className="code">where</span> it was published, and{" "}
          <span className="code">epsilon</span> and <span className="code">delta</span>; where people are protected, the
          most <span className="code">rowsPerUnit</span>. Where the guarantee is public, everyone reads day, place and
          tool of each: name no one in them.
        </p>
        <div className="page-actions at-end">
          <Choice
            label="Proofs of rows that name none are for"
            value={relation}
            onChange={setRelation}
            data={relations}
          />
          <FileButton onChange={(file) => void open(file)} accept=".csv,.json">
            {(properties) => (
              <Button {...properties} variant="default" loading={price.isPending}>
                Choose the file
              </Button>
            )}
          </FileButton>
        </div>
        <Fault error={fault ?? price.error} />
        {read.length === 0 ? null : (
          <DataTable
            caption="What an import would do with each row"
            isStacking
            rows={shown}
            keyOf={({ name }, index) => `${index} ${name}`}
            columns={[
              { name: "Publication", isHead: true, cell: ({ name }) => name },
              { name: "Outcome", cell: ({ outcome }) => (outcome === undefined ? "…" : outcomes[outcome]) },
              {
                name: "Price",
                cell: (row) => (row.price ? <CostText of={row.price} /> : <span className="soft">none</span>),
              },
              { name: "Why", cell: ({ why }) => (why ? inRow(why) : <span className="soft">nothing to say</span>) },
            ]}
          />
        )}
        {isOver && take.data === undefined ? (
          <Notice tone="warn" title="Not all of it fits the lifetime">
            <p>
              Imported, it freezes the ledger as over its lifetime, and the guarantee says so: nothing is released until
              an amendment raises it and the same file is imported again.
            </p>
          </Notice>
        ) : null}
        <Fault error={take.error} />
        {take.data === undefined ? (
          <div>
            <Button disabled={!isClear} loading={take.isPending} onClick={() => take.mutate(soundOf(read))}>
              {isOver ? "Count them and freeze the ledger" : "Count them"}
            </Button>
          </div>
        ) : (
          <Notice tone={take.data.over === null ? "good" : "warn"} title={`Counted: ${take.data.imported}`}>
            <p role="status">
              {take.data.over === null ? "" : sentence(take.data.over)} Known from before: {take.data.repeated}.
            </p>
          </Notice>
        )}
      </div>
    </details>
  );
}
