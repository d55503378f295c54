import { FITTED } from "@dosimeter/core";
import type { Check } from "@dosimeter/verify";
import { Button, Group } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { exportLedger } from "../api/service.ts";
import { download } from "../parts/browser.ts";
import { Notice } from "../parts/Notice.tsx";
import { Card, Facts } from "../parts/Page.tsx";
import { Fault } from "../parts/Pending.tsx";
import { momentText } from "../parts/words.ts";
import { openWorker } from "../worker/open-worker.ts";

/** Fetches the whole ledger and recomputes it in this browser, by code that shares nothing with the server's. */
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

function Outcome({ check }: { readonly check: Check }) {
  const { ok, problems, entries, takenOver, lines, head, signedBy, exportedAt, isFitted } = check;
  return (
    <div className="stack">
      <Notice tone={ok ? "good" : "danger"} title={ok ? "It adds up" : "It does not add up"}>
        {ok ? (
          <p>Every entry contains the hash of the one before it, and no charge was cheaper than its events.</p>
        ) : null}
        {problems.slice(0, 20).map(({ where, problem }) => (
          <p key={`${where} ${problem}`}>
            {where} {problem}
          </p>
        ))}
        {problems.length > 20 ? <p>and {problems.length - 20} more.</p> : null}
      </Notice>
      {isFitted ? (
        <Notice tone="plain" title="Fitted to the data">
          <p>{FITTED}</p>
        </Notice>
      ) : null}
      <Facts
        of={{
          Entries:
            takenOver === 0
              ? entries
              : `${entries}, ${takenOver} with a price for a whole plan not derived again: too much work`,
          "Audit lines": lines,
          "As of": momentText(exportedAt),
          Head: <span className="code">{head}</span>,
          "Signed by": <span className="code">{signedBy ?? "not signed"}</span>,
        }}
      />
    </div>
  );
}

function recompute(exported: string): Promise<Check> {
  const worker = openWorker();
  return worker.run("check", exported).finally(worker.close);
}
