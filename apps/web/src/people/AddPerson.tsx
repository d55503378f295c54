import type { Person } from "@dosimeter/client";
import { useState } from "react";
import { useChange } from "../api/connection.ts";
import { useSession } from "../api/session.ts";
import { Confirm } from "../parts/Dialog.tsx";
import { Form } from "../parts/Form.tsx";
import { Choice, ChoosePerson, TextField } from "../parts/fields.tsx";
import { Card } from "../parts/Page.tsx";
import { Fault } from "../parts/Pending.tsx";
import { kinds } from "./PeopleTable.tsx";

export function AddPerson({ people, me }: { people: readonly Person[]; me: string }) {
  const [name, setName] = useState("");
  const [email, setEmail] = useState("");
  const [kind, setKind] = useState<Person["kind"]>("user");
  const [behind, setBehind] = useState("");
  const session = useSession();
  const endsDemo = kind === "user" && session.data?.demo === "on";
  const [isAsked, setAsked] = useState(false);
  const create = useChange((client) =>
    client.createPerson({
      name: name.trim(),
      kind,
      ...(email.trim() === "" ? {} : { email: email.trim() }),
      ...(kind === "user" || behind === "" ? {} : { onBehalfOf: behind }),
    }),
  );
  const add = () =>
    create.mutate(undefined, {
      // Inputs for the next person, typed in the meantime, stay.
      onSuccess: ({ name: added }) => {
        setAsked(false);
        setName((now) => (now.trim() === added ? "" : now));
        setEmail((now) => (now === email ? "" : now));
      },
    });
  return (
    <Card title="Add">
      <Form
        action="Add"
        isRow
        isReady={name.trim() !== ""}
        isBusy={create.isPending}
        onSubmit={() => {
          if (endsDemo) setAsked(true);
          else add();
        }}
      >
        <TextField label="Name" maxLength={200} value={name} onChange={setName} />
        <Choice label="Kind" value={kind} onChange={setKind} data={kinds} />
        {kind === "user" ? null : (
          <ChoosePerson
            label="Acts for"
            empty="me"
            people={people.filter((person) => person.kind === "user" && person.id !== me)}
            value={behind}
            onChange={setBehind}
          />
        )}
        <TextField label="E-mail (optional)" type="email" value={email} onChange={setEmail} />
      </Form>
      {create.error === null || isAsked ? null : <Fault error={create.error} />}
      {isAsked ? (
        <Confirm
          title={`Add ${name.trim()} and end the demo’s sign-in`}
          action={`Add ${name.trim()}`}
          change={create}
          onClose={() => setAsked(false)}
          onConfirm={add}
        >
          {name.trim()} is the first real person here. From then on the people of the demo cannot sign in, and who is
          signed in as one of them, you too if you are, is signed out. Datasets, budgets and releases are kept.{" "}
          {name.trim()} gets in by a link that <span className="code unbroken">dosimeter person link</span> prints in
          the terminal.
        </Confirm>
      ) : null}
    </Card>
  );
}
