import { type CalendarUnit, formatDate } from "@dosimeter/core";
import { blockCalendar, lastToClose } from "@dosimeter/query/bind";
import type { Declaration } from "@dosimeter/query/declaration";
import { Button } from "@mantine/core";
import { useState } from "react";
import { useCloseBlocks } from "../api/reuse.ts";
import { TextField } from "../parts/fields.tsx";
import { Fault } from "../parts/Pending.tsx";

/** Closes blocks by hand: the last one that is over and all before it, or up to an earlier one. */
export function CloseBlocks({
  dataset,
  declaration,
  every,
}: {
  dataset: string;
  declaration: Declaration;
  every: CalendarUnit;
}) {
  const close = useCloseBlocks(dataset);
  const [typed, setTyped] = useState<string | null>(null);
  const now = Date.now() / 1000;
  const { closed } = blockCalendar(declaration, now);
  const last = lastToClose(declaration, now);
  const upTo = typed ?? (last === null ? "" : formatDate(last, every));
  const said = closed === null ? `No ${every} is closed yet.` : `Closed up to ${formatDate(closed, every)}.`;
  if (last === null || last === closed) return <p className="small flush">{`${said} No other ${every} is over.`}</p>;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        close.mutate(upTo.trim(), { onSuccess: () => setTyped(null) });
      }}
    >
      <TextField
        label={`Close ${every}s up to`}
        description={`${said} Reports and “latest” take closed ${every}s. What is closed stays closed.`}
        value={upTo}
        onChange={setTyped}
        mb={8}
        maw={680}
      />
      <Button type="submit" variant="default" loading={close.isPending} disabled={upTo.trim() === ""}>
        {`Close up to ${upTo.trim()}`}
      </Button>
      <Fault error={close.error} />
    </form>
  );
}
