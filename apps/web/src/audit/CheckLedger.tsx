import type { Check } from "@dosimeter/verify";
import { Button, Group } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { exportLedger } from "../api/service.ts";
import { download } from "../parts/browser.ts";
import { Card } from "../parts/Page.tsx";
import { Fault } from "../parts/Pending.tsx";
import { openWorker } from "../worker/open-worker.ts";
import { Outcome } from "./Outcome.tsx";

/** Fetches the whole ledger and recomputes it in this browser; only prices of whole plans by code that the server uses too. */
export function CheckLedger({ ledger }: { readonly ledger: string }) {
  const check = useMutation({ mutationFn: async () => recompute(await (await exportLedger(ledger)).text()) });
  const save = useMutation({
    mutationFn: async () => download(`${ledger}.jsonl`, "application/x-ndjson", await exportLedger(ledger)),
  });
  return (
    <Card
      title="Check it yourself"
      aside={
        <Group gap="xs">
          <Button size="xs" variant="default" loading={save.isPending} onClick={() => save.mutate()}>
            Download signed export
          </Button>
          <Button size="xs" variant="default" loading={check.isPending} onClick={() => check.mutate()}>
            Recompute in this browser
          </Button>
        </Group>
      }
    >
      {[check.error, save.error].map((error) => (error === null ? null : <Fault key={error.message} error={error} />))}
      <div aria-live="polite">
        {check.data === undefined ? (
          <p className="soft flush">
            Your browser follows the chain of hashes, prices every charge again with exact arithmetic and compares every
            cap and budget. It does not rely on the server.
          </p>
        ) : (
          <Outcome check={check.data} />
        )}
      </div>
    </Card>
  );
}

function recompute(exported: string): Promise<Check> {
  const worker = openWorker();
  return worker.run("check", exported).finally(worker.close);
}
