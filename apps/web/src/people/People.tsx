import { type Person, roleWords } from "@dosimeter/client";
import { Button, NativeSelect, TextInput } from "@mantine/core";
import { useState } from "react";
import { useChange } from "../api/change.ts";
import { useEveryDataset } from "../api/datasets.ts";
import { usePeople, useRoles } from "../api/people.ts";
import { useMe } from "../api/session.ts";
import { ChoosePerson } from "../parts/ChoosePerson.tsx";
import { Confirm } from "../parts/Confirm.tsx";
import { DataTable } from "../parts/DataTable.tsx";
import { Dialog, FormDialog } from "../parts/Dialog.tsx";
import { Filter, holdsText } from "../parts/Filter.tsx";
import { Card, Page, Tag } from "../parts/Page.tsx";
import { Empty, Fault, Pending } from "../parts/Pending.tsx";
import { RowButton } from "../parts/RowButton.tsx";
import { Secret } from "../parts/Secret.tsx";
import { dayText } from "../parts/time.ts";
import { Tokens } from "../settings/Tokens.tsx";

const kinds = { user: "person", service: "service", agent: "AI agent" } as const;

/** The directory; platform admins add people, services and agents, let them in, and give roles. */
export function People() {
  const people = usePeople();
  const me = useMe();
  const isAdmin = (me.data?.roles ?? []).some(({ role }) => role === "platformAdmin");
  const [typed, setTyped] = useState("");
  const [leaving, setLeaving] = useState<Person | null>(null);
  const [editing, setEditing] = useState<Person | null>(null);
  const [serving, setServing] = useState<Person | null>(null);
  const link = useChange((client, person: string) => client.createSignInLink({ person }));
  const remove = useChange((client, person: string) => client.removePerson({ person }));
  const restore = useChange((client, person: string) => client.restorePerson({ person }));
  return (
    <Page
      title="People"
      lead="Everyone here, with services and AI agents. Whoever is removed keeps nothing but what they spent."
    >
      <div className="stack">
        {isAdmin ? <Add people={people.data ?? []} me={me.data?.person.id ?? ""} /> : null}
        <Card title="Directory">
          <Pending of={people}>
            {(all) => (
              <div className="stack">
                <Filter label="Find someone" value={typed} onChange={setTyped} />
                {link.data === undefined ? null : (
                  <Secret
                    title={`${link.data.name} can sign in with this link, once`}
                    label="Link"
                    value={link.data.url}
                  />
                )}
                {link.error === null ? null : <Fault error={link.error} />}
                {restore.error === null ? null : <Fault error={restore.error} />}
                {all.filter(({ name, email }) => holdsText(typed, name, email)).length === 0 ? (
                  <Empty title="Nobody here is called that">Try a part of the name.</Empty>
                ) : (
                  <DataTable
                    caption="People"
                    isCaptionHidden
                    isStacking
                    rows={all.filter(({ name, email }) => holdsText(typed, name, email))}
                    keyOf={({ id }) => id}
                    columns={[
                      {
                        name: "Name",
                        isHead: true,
                        cell: ({ name, id, demo, removedAt }) => (
                          <>
                            {name} {id === me.data?.person.id ? <Tag>you</Tag> : null} {demo ? <Tag>demo</Tag> : null}
                            {removedAt === null ? null : <Tag tone="warn">removed</Tag>}
                          </>
                        ),
                      },
                      {
                        name: "Kind",
                        cell: ({ kind, onBehalfOf }) =>
                          onBehalfOf === null
                            ? kinds[kind]
                            : `${kinds[kind]} for ${all.find(({ id }) => id === onBehalfOf)?.name ?? "someone"}`,
                      },
                      ...(isAdmin
                        ? [
                            {
                              name: "E-mail",
                              cell: ({ email }: Person) => <span className="anywhere">{email ?? "–"}</span>,
                            },
                          ]
                        : []),
                      { name: "Since", cell: ({ createdAt }) => <span className="nowrap">{dayText(createdAt)}</span> },
                      ...(isAdmin
                        ? [
                            {
                              name: "Change",
                              cell: (person: Person) =>
                                person.id === me.data?.person.id ? (
                                  <RowButton
                                    label="Edit"
                                    name={`Edit ${person.name}`}
                                    onClick={() => setEditing(person)}
                                  />
                                ) : person.removedAt !== null ? (
                                  <RowButton
                                    label="Let back in"
                                    name={`Let ${person.name} back in`}
                                    isBusy={restore.isPending}
                                    onClick={() => restore.mutate(person.id)}
                                  />
                                ) : (
                                  <div className="row-actions">
                                    {person.kind === "user" ? (
                                      <RowButton
                                        label="Sign-in link"
                                        name={`Sign-in link for ${person.name}`}
                                        isBusy={link.isPending}
                                        onClick={() => link.mutate(person.id)}
                                      />
                                    ) : (
                                      <RowButton
                                        label="Tokens"
                                        name={`Tokens of ${person.name}`}
                                        onClick={() => setServing(person)}
                                      />
                                    )}
                                    <RowButton
                                      label="Edit"
                                      name={`Edit ${person.name}`}
                                      onClick={() => setEditing(person)}
                                    />
                                    <RowButton
                                      label="Remove"
                                      name={`Remove ${person.name}`}
                                      onClick={() => setLeaving(person)}
                                    />
                                  </div>
                                ),
                            },
                          ]
                        : []),
                    ]}
                  />
                )}
              </div>
            )}
          </Pending>
        </Card>
        {isAdmin ? <Roles people={people.data ?? []} me={me.data?.person.id ?? ""} /> : null}
        {serving === null ? null : (
          <Dialog onClose={() => setServing(null)} title={`Tokens of ${serving.name}`} size="lg">
            <Tokens service={serving.id} />
          </Dialog>
        )}
        {editing === null ? null : <Edit person={editing} onClose={() => setEditing(null)} />}
        {leaving === null ? null : (
          <Confirm
            title={`Remove ${leaving.name}`}
            action="Remove"
            isBusy={remove.isPending}
            error={remove.error}
            onClose={() => setLeaving(null)}
            onConfirm={() => remove.mutate(leaving.id, { onSuccess: () => setLeaving(null) })}
          >
            Sign-in, tokens, roles, teams and accounts stop at once, and those of the services that act for them. What
            they spent stays spent, and is there if they are let back in.
          </Confirm>
        )}
      </div>
    </Page>
  );
}

function Add({ people, me }: { people: readonly Person[]; me: string }) {
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
            // Whoever types the next one meanwhile keeps what they typed.
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
            nobody="me"
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

/** Another name or address; what was done stays with the person, whatever they are called. */
function Edit({ person, onClose }: { person: Person; onClose: () => void }) {
  const [name, setName] = useState(person.name);
  const [email, setEmail] = useState(person.email ?? "");
  const set = useChange((client) =>
    client.setPerson({
      person: person.id,
      name: name.trim(),
      email: email.trim() === "" ? null : email.trim(),
    }),
  );
  return (
    <FormDialog
      title={`Edit ${person.name}`}
      action="Save"
      isReady={name.trim() !== ""}
      isBusy={set.isPending}
      error={set.error}
      onSubmit={() => set.mutate(undefined, { onSuccess: onClose })}
      onClose={onClose}
    >
      <TextInput label="Name" maxLength={200} value={name} onChange={(event) => setName(event.currentTarget.value)} />
      <TextInput
        label="E-mail (optional)"
        description="Where mail goes, and what one signs in with beside a password."
        type="email"
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
      />
    </FormDialog>
  );
}

/** Roles are relations: who, on what, which. */
function Roles({ people, me }: { people: readonly Person[]; me: string }) {
  const roles = useRoles(true);
  const datasets = useEveryDataset();
  const known = datasets.data ?? [];
  const [person, setPerson] = useState("");
  const [choice, setChoice] = useState("platformAdmin");
  const grant = useChange((client) => {
    const [role = "", dataset] = choice.split(" ");
    const object =
      dataset === undefined ? ({ kind: "platform" } as const) : ({ kind: "dataset", id: dataset } as const);
    return client.grantRole({ person, role: role as "platformAdmin" | "auditor" | "datasetAdmin", object });
  });
  const revoke = useChange((client, role: string) => client.revokeRole({ role }));
  const nameOf = (id: string | null) => known.find((dataset) => dataset.id === id)?.name ?? id ?? "";
  const error = grant.error ?? revoke.error;
  return (
    <Card title="Roles">
      <div className="stack">
        <Pending of={roles}>
          {(all) => (
            <DataTable
              caption="Roles in force"
              isCaptionHidden
              isStacking
              rows={all.filter(({ role }) => role !== "teamAdmin")}
              keyOf={({ id }) => id}
              columns={[
                { name: "Who", isHead: true, cell: ({ name }) => name },
                { name: "Role", cell: ({ role }) => roleWords[role] },
                { name: "On", cell: ({ object }) => (object.kind === "platform" ? "the platform" : nameOf(object.id)) },
                {
                  name: "Change",
                  cell: ({ id, name, role, person: holder }) =>
                    role === "platformAdmin" && holder === me ? null : (
                      <RowButton
                        label="Take away"
                        name={`Take away the role ${roleWords[role]} of ${name}`}
                        isBusy={revoke.isPending}
                        onClick={() => revoke.mutate(id)}
                      />
                    ),
                },
              ]}
            />
          )}
        </Pending>
        <form
          className="page-actions"
          style={{ alignItems: "end" }}
          onSubmit={(event) => {
            event.preventDefault();
            if (person !== "") grant.mutate(undefined, { onSuccess: () => setPerson("") });
          }}
        >
          <ChoosePerson label="Give" people={people} value={person} onChange={setPerson} />
          <NativeSelect
            label="the role"
            value={choice}
            onChange={(event) => setChoice(event.currentTarget.value)}
            data={[
              { value: "platformAdmin", label: "platform admin" },
              { value: "auditor", label: "auditor of the platform" },
              ...known.flatMap(({ id, name }) => [
                { value: `datasetAdmin ${id}`, label: `admin of ${name}` },
                { value: `auditor ${id}`, label: `auditor of ${name}` },
              ]),
            ]}
          />
          <Button type="submit" disabled={person === ""} loading={grant.isPending}>
            Give
          </Button>
        </form>
        {error === null ? null : <Fault error={error} />}
      </div>
    </Card>
  );
}
