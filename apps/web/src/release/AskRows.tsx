import { formatNumber } from "@dosimeter/plot";
import { checkRowsQuestion, type ReleasedTable, type RowsAnswer } from "@dosimeter/query/statistics";
import { useState } from "react";
import { Form } from "../parts/Form.tsx";
import { Choice, TextField } from "../parts/fields.tsx";
import { Notice } from "../parts/Notice.tsx";
import { sentence } from "../parts/Pending.tsx";
import { openWorker } from "../worker/open-worker.ts";

/** Made-up rows that match a condition, and a mean over them: free, with what they are worth. */
export function AskRows({ table }: { table: ReleasedTable }) {
  const [where, setWhere] = useState("");
  const [mean, setMean] = useState("");
  const [fault, setFault] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const [answer, setAnswer] = useState<RowsAnswer | null>(null);
  const numeric = table.columns.filter(({ type }) => type === "integer" || type === "number" || type === "boolean");
  const ask = async (): Promise<void> => {
    const question = { ...(where.trim() === "" ? {} : { where }), ...(mean === "" ? {} : { mean }) };
    setAnswer(null);
    setFault(undefined);
    try {
      checkRowsQuestion(table, question);
    } catch (error) {
      return setFault(messageOf(error));
    }
    setBusy(true);
    const worker = openWorker();
    try {
      setAnswer(await worker.run("askRows", { table, ...question }));
    } catch (error) {
      setFault(messageOf(error));
    } finally {
      worker.close();
      setBusy(false);
    }
  };
  return (
    <>
      <h3>Ask made-up rows</h3>
      <Form
        className="make-rows"
        action="Ask"
        isRow
        isReady={where.trim() !== "" || mean !== ""}
        isBusy={isBusy}
        variant="default"
        onSubmit={() => void ask()}
      >
        <TextField
          className="ask-where"
          label="How many rows where"
          placeholder={exampleOf(table)}
          value={where}
          error={fault}
          onChange={setWhere}
        />
        <Choice
          label="and the mean of"
          value={mean}
          data={[{ value: "", label: "nothing" }, ...numeric.map(({ name }) => name)]}
          onChange={setMean}
        />
      </Form>
      <div role="status" className="stack">
        {answer === null ? null : <Told answer={answer} mean={mean} />}
      </div>
    </>
  );
}

function Told({ answer: { count, rows, mean: found, basis, notes }, mean }: { answer: RowsAnswer; mean: string }) {
  return (
    <>
      <p>
        <strong>About {formatNumber(count, 6)}</strong> of {formatNumber(rows, 15)} rows
        {found === undefined
          ? "."
          : found === null
            ? "; none of them has a value."
            : `; their mean of ${mean} is ${formatNumber(found, 4)}.`}
      </p>
      <Notice tone={basis === "measured" ? "plain" : "warn"}>
        {notes.map((note) => (
          <p key={note}>{note}</p>
        ))}
      </Notice>
    </>
  );
}

const messageOf = (error: unknown): string => sentence(error instanceof Error ? error.message : String(error));

/** A condition that this table can be asked, and that ends where a bin does. */
function exampleOf({ columns: [column] }: ReleasedTable): string {
  const [first, second] = column?.bins ?? [];
  if (column === undefined || first === undefined) return "";
  if ("value" in first) return `${column.name} = ${typeof first.value === "string" ? `'${first.value}'` : first.value}`;
  return second !== undefined && "lower" in second && column.type !== "date"
    ? `${column.name} < ${second.lower}`
    : `${column.name} is null`;
}
