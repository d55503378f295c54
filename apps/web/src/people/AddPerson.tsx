import type { Person } from "@dosimeter/client";
import { Button, NativeSelect, TextInput } from "@mantine/core";
import { useState } from "react";
import { useChange } from "../api/change.ts";
import { ChoosePerson } from "../parts/ChoosePerson.tsx";
import { Card } from "../parts/Page.tsx";
import { Fault } from "../parts/Pending.tsx";
import { kinds } from "./kinds.ts";

export function AddPerson({ people, me }: { people: readonly Person[]; me: string }) {
  const [name, setName] = useState("");
  const [email, setEmail] = useState("");
  const [kind, setKind] = useState<Person["kind"]>("user");
  const [behind, setBehind] = useState("");
  const create = useChange((client) =>
    client.createPerson({
      name: name.trim(),
      kind,
      ...(email.trim() === "" ? {} : { email: email.trim() }),
      ...(kind === "user" || behind === "" ? {} : { onBehalfOf: behind }),
    }),
  );
  return (
    <Card title="Add">
      <form
        className="page-actions"
        style={{ alignItems: "end" }}
        onSubmit={(event) => {
          event.preventDefault();
          if (name.trim() === "") return;
          create.mutate(undefined, {
            // Inputs for the next person, typed in the meantime, stay.
            onSuccess: ({ name: added }) => {
              setName((now) => (now.trim() === added ? "" : now));
              setEmail((now) => (now === email ? "" : now));
            },
          });
        }}
      >
        <TextInput label="Name" maxLength={200} value={name} onChange={(event) => setName(event.currentTarget.value)} />
        <NativeSelect
          label="Kind"
          value={kind}
          onChange={(event) => setKind(event.currentTarget.value as Person["kind"])}
          data={Object.entries(kinds).map(([value, label]) => ({ value, label }))}
        />
        {kind === "user" ? null : (
          <ChoosePerson
            label="Acts for"
            empty="me"
            people={people.filter((person) => person.kind === "user" && person.id !== me)}
            value={behind}
            onChange={setBehind}
          />
        )}
        <TextInput
          label="E-mail (optional)"
          type="email"
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
        />
        <Button type="submit" disabled={name.trim() === ""} loading={create.isPending}>
          Add
        </Button>
      </form>
      {create.error === null ? null : <Fault error={create.error} />}
    </Card>
  );
}
