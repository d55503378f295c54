import { Button, FileButton } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useChange } from "../api/connection.ts";
import { Form } from "../parts/Form.tsx";
import { TextField } from "../parts/fields.tsx";

/** Opens the ledger with all that an exported one has spent: for people whose ledger stood on another server. */
export function ImportLedger({ dataset, of }: { dataset: string; of: string }) {
  const navigate = useNavigate();
  const [content, setContent] = useState<File | null>(null);
  const [key, setKey] = useState("");
  const take = useChange((client, file: File) =>
    client.importLedger({
      dataset,
      content: file,
      ...(key.trim() === "" ? {} : { key: key.trim().toLowerCase() }),
    }),
  );
  const isKeyGood = key.trim() === "" || /^[0-9a-f]{64}$/i.test(key.trim());
  return (
    <details className="card">
      <summary>Import the ledger of these {of} from another server</summary>
      <Form
        className="stack below-12 measured"
        action="Check and import"
        isReady={content !== null && isKeyGood}
        change={take}
        onSubmit={() => {
          if (content === null) return;
          take.mutateAsync(content).then(
            () => navigate({ to: "/datasets/$dataset", params: { dataset } }),
            () => undefined, // shown from `take.error`
          );
        }}
      >
        <p className="soft flush">
          Everything that was spent there is spent here too. Its signature, its chain and every price are checked first;
          if anything does not add up, nothing is opened. The ledger is frozen until two people reopen it: an export
          does not say that its original has stopped.
        </p>
        <div className="page-actions at-middle">
          <FileButton onChange={setContent} accept=".jsonl,.ndjson,application/x-ndjson">
            {(properties) => (
              <Button {...properties} variant="default">
                Choose the export
              </Button>
            )}
          </FileButton>
          <span className="small">{content?.name ?? "The file that “Download signed export” saves."}</span>
        </div>
        <TextField
          label="Fingerprint of the key that signed it"
          description="Ask the owner of the export. Leave it empty for a copy made on this server."
          value={key}
          onChange={setKey}
          error={isKeyGood ? undefined : "64 hexadecimal digits."}
        />
      </Form>
    </details>
  );
}
