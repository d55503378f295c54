import { Button } from "@mantine/core";
import { Notice } from "./Notice.tsx";
import { Fault, sentence } from "./Pending.tsx";
import type { Keeping } from "./use-kept.ts";

const words = {
  kept: "Kept",
  typing: "Keeping …",
  here: "Kept in this browser, until the server takes it",
  failed: "Not kept",
} as const;

export const KeptState = ({ state }: Pick<Keeping, "state">) => <strong role="status">{words[state]}</strong>;

/** What to do where it is not kept, or was changed elsewhere. */
export function NotKept({ keeping, onReload }: { keeping: Keeping; onReload: () => void }) {
  const { state, error, isElsewhere, overwrite, flush } = keeping;
  if (state !== "failed") return null;
  if (!isElsewhere || !(error instanceof Error))
    return <Fault error={error} retry={() => void flush().catch(() => undefined)} />;
  return (
    <Notice tone="warn" title="It was changed elsewhere" isAlert>
      <p>{sentence(error.message)}</p>
      <div className="page-actions">
        <Button size="xs" onClick={onReload}>
          Open what is there
        </Button>
        <Button size="xs" variant="default" onClick={overwrite}>
          Keep what is here
        </Button>
      </div>
    </Notice>
  );
}
