import type { Ledger } from "@dosimeter/client";
import { type CalendarUnit, calendarUnits } from "@dosimeter/core";
import { Select } from "@mantine/core";
import { useState } from "react";
import { useChange } from "../api/connection.ts";
import { FormDialog } from "../parts/Dialog.tsx";
import { Check, LongText, TextField } from "../parts/fields.tsx";
import { Notice } from "../parts/Notice.tsx";

const PERIODS = calendarUnits.map((unit) => ({ value: unit, label: `Each ${unit}` }));

/** Gives every period of a ledger the lifetime for itself, as soon as a second admin asks for the same. */
export function GivePeriods({ ledger, onClose }: { ledger: Ledger; onClose: () => void }) {
  const [every, setEvery] = useState<CalendarUnit>("month");
  const [zone, setZone] = useState(Intl.DateTimeFormat().resolvedOptions().timeZone);
  const [through, setThrough] = useState("");
  const [isClosed, setClosed] = useState(false);
  const [reason, setReason] = useState("");
  const ask = useChange((client) =>
    client.migrateLedger({
      ledger: ledger.id,
      ...{ every, zone, isClosed, reason },
      ...(through.trim() === "" ? {} : { through: through.trim() }),
    }),
  );
  const isAsked = ask.data !== undefined && ask.data.blocks === undefined;
  return (
    <FormDialog
      title="A budget for each period"
      action="Ask for it"
      isReady={zone.trim() !== "" && reason.trim() !== "" && !isAsked}
      change={ask}
      keeps={{ of: `periods ${ledger.id}` }}
      onSubmit={() => ask.mutate(undefined, { onSuccess: ({ blocks }) => blocks !== undefined && onClose() })}
      onClose={onClose}
    >
      <p className="flush">
        Each period gets the lifetime for itself. What was spent counts in each period that was measured, twice where
        people are protected. Afterwards publish versions with these periods: nothing is asked until then.
      </p>
      <div className="fields">
        <Select
          label="Who has a budget"
          data={PERIODS}
          value={every}
          allowDeselect={false}
          onChange={(value) => setEvery(calendarUnits.find((unit) => unit === value) ?? every)}
        />
        <TextField label="Time zone" required value={zone} onChange={setZone} />
        <TextField
          label="Last measured period"
          description={
            <>
              Needed where declared dates lie ahead, such as <span className="nowrap">2027-03</span>
            </>
          }
          value={through}
          onChange={setThrough}
        />
      </div>
      <Check label="Ask nothing more about the periods that were measured" checked={isClosed} onChange={setClosed} />
      <LongText
        label="Why"
        description="Kept permanently in the new version."
        required
        value={reason}
        onChange={setReason}
      />
      {isAsked ? (
        <Notice tone="warn" title="Asked">
          <p>A second admin must ask for the same here.</p>
        </Notice>
      ) : null}
    </FormDialog>
  );
}
