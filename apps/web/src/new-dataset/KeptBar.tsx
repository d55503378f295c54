import { Button } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { usePeople } from "../api/people.ts";
import { useMe } from "../api/session.ts";
import { useHandDeclaration } from "../api/unfinished.ts";
import { FormDialog } from "../parts/Dialog.tsx";
import { ChoosePerson } from "../parts/fields.tsx";
import { KeptState, NotKept } from "../parts/Kept.tsx";
import { Card } from "../parts/Page.tsx";
import type { Keeping } from "../parts/use-kept.ts";

/** Whether what is typed is kept, what to do where it is not, and who goes on with it. */
export function KeptBar({ draft, keeping, onReload }: { draft: string; keeping: Keeping; onReload: () => void }) {
  const [isHanding, setHanding] = useState(false);
  return (
    <Card>
      <div className="stack">
        <div className="kept-bar">
          <p className="soft flush">
            <KeptState state={keeping.state} /> · What you type here is kept at the server until you declare the dataset
            or delete it; what a check of the file shows is not.
          </p>
          {/* A dialog is inside this form for React, though not on the page: its submit is its own. */}
          <div onSubmit={(event) => event.stopPropagation()}>
            <Button size="xs" variant="default" onClick={() => setHanding(true)}>
              Hand it to a colleague …
            </Button>
            {isHanding ? <HandOver draft={draft} flush={keeping.flush} onClose={() => setHanding(false)} /> : null}
          </div>
        </div>
        <NotKept keeping={keeping} onReload={onReload} />
      </div>
    </Card>
  );
}

function HandOver({ draft, flush, onClose }: { draft: string; flush: () => Promise<void>; onClose: () => void }) {
  const navigate = useNavigate();
  const people = usePeople();
  const me = useMe();
  const hand = useHandDeclaration();
  const [person, setPerson] = useState("");
  const [fault, setFault] = useState<unknown>(null);
  const colleagues = (people.data ?? []).filter(({ id, kind }) => kind === "user" && id !== me.data?.person.id);
  return (
    <FormDialog
      title="Hand it to a colleague"
      action="Hand it over"
      isReady={person !== ""}
      change={hand}
      error={fault ?? hand.error ?? people.error}
      onClose={onClose}
      onSubmit={() =>
        void flush().then(
          () => hand.mutate({ draft, person }, { onSuccess: () => void navigate({ to: "/datasets/new", search: {} }) }),
          setFault,
        )
      }
    >
      <p className="flush">
        They go on where you stop and become the admin of the dataset: they may declare your upload, and you no longer
        see what they type. If you checked how the file fits, what they declare is marked as fitted to the data.
      </p>
      <ChoosePerson label="Colleague" people={colleagues} value={person} onChange={setPerson} />
    </FormDialog>
  );
}
