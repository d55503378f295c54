import type { Output, Person } from "@dosimeter/client";
import { useState } from "react";
import { useChange } from "../api/connection.ts";
import { usePeople } from "../api/people.ts";
import { useMe, useSession, useSignInWays } from "../api/session.ts";
import { Confirm, Dialog } from "../parts/Dialog.tsx";
import { Form } from "../parts/Form.tsx";
import { Choice, ChoosePerson, TextField } from "../parts/fields.tsx";
import { Notice } from "../parts/Notice.tsx";
import { Card, Page } from "../parts/Page.tsx";
import { Empty, Fault, Pending, Together } from "../parts/Pending.tsx";
import { Filter, holdsText } from "../parts/SearchedList.tsx";
import { Secret } from "../parts/Secret.tsx";
import { Tokens } from "../settings/Tokens.tsx";
import { DemoEnded } from "../sign-in/Doorway.tsx";
import { kinds, PeopleTable, type PersonActions } from "./PeopleTable.tsx";
import { EditPerson, ErasePerson, RemoveFactor } from "./PersonDialogs.tsx";
import { Roles } from "./Roles.tsx";

function AddPerson({ people, me }: { people: readonly Person[]; me: string }) {
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

/** A link by which a person sets a new password: theirs alone where it was mailed. */
function PasswordLink({ of: { name, url } }: { of: Output<"createPasswordLink"> }) {
  return url === null ? (
    <Notice tone="good" title={`${name} gets a link to set a new password by mail`}>
      <p>It works once, for a day. No one else sees it.</p>
    </Notice>
  ) : (
    <Secret
      title={`${name} sets a new password with this link, once: every sign-in and token of theirs ends then`}
      label="Password link"
      value={url}
    />
  );
}

/** The directory; platform admins add people, services and agents, let them in, and give roles. */
export function People() {
  const people = usePeople();
  const me = useMe();
  const isAdmin = (me.data?.roles ?? []).some(({ role }) => role === "platformAdmin");
  const [typed, setTyped] = useState("");
  const [leaving, setLeaving] = useState<Person | null>(null);
  const [editing, setEditing] = useState<Person | null>(null);
  const [erasing, setErasing] = useState<Person | null>(null);
  const [lost, setLost] = useState<Person | null>(null);
  const [serving, setServing] = useState<Person | null>(null);
  const link = useChange((client, person: string) => client.createSignInLink({ person }));
  const passwordLink = useChange((client, person: string) => client.createPasswordLink({ person }));
  const ways = useSignInWays();
  const remove = useChange((client, person: string) => client.removePerson({ person }));
  const restore = useChange((client, person: string) => client.restorePerson({ person }));
  const actions: PersonActions | undefined = isAdmin
    ? {
        edit: setEditing,
        remove: setLeaving,
        restore: ({ id }) => restore.mutate(id),
        erase: setErasing,
        sendLink: ({ id }) => link.mutate(id),
        removeFactor: setLost,
        showTokens: setServing,
        sendPasswordLink: ways.data?.password === true ? ({ id }) => passwordLink.mutate(id) : undefined,
        isLinking: link.isPending || passwordLink.isPending,
        isRestoring: restore.isPending,
      }
    : undefined;
  return (
    <Page
      title="People"
      lead="All people, services and AI agents. A removed person loses all access; what they spent stays spent."
    >
      <Together of={[me, people]}>
        <div className="stack">
          <DemoEnded />
          {isAdmin ? <AddPerson people={people.data ?? []} me={me.data?.person.id ?? ""} /> : null}
          <Card title="Directory">
            <Pending of={people}>
              {(all) => {
                const found = all.filter(({ name, email }) => holdsText(typed, name, email));
                return (
                  <div className="stack">
                    <Filter label="Find someone" value={typed} onChange={setTyped} />
                    {link.data === undefined ? null : (
                      <Secret
                        title={`${link.data.name} can sign in with this link, once`}
                        label="Link"
                        value={link.data.url}
                      />
                    )}
                    {passwordLink.data === undefined ? null : <PasswordLink of={passwordLink.data} />}
                    <Fault error={link.error} />
                    <Fault error={passwordLink.error} />
                    <Fault error={restore.error} />
                    {found.length === 0 ? (
                      <Empty title="No person found">Try part of the name.</Empty>
                    ) : (
                      <PeopleTable people={found} all={all} me={me.data?.person.id ?? ""} actions={actions} />
                    )}
                  </div>
                );
              }}
            </Pending>
          </Card>
          {isAdmin ? <Roles people={people.data ?? []} me={me.data?.person.id ?? ""} /> : null}
          {serving === null ? null : (
            <Dialog onClose={() => setServing(null)} title={`Tokens of ${serving.name}`} size="lg">
              <Tokens service={serving.id} />
            </Dialog>
          )}
          {editing === null ? null : <EditPerson person={editing} onClose={() => setEditing(null)} />}
          {lost === null ? null : <RemoveFactor person={lost} onClose={() => setLost(null)} />}
          {erasing === null ? null : <ErasePerson person={erasing} onClose={() => setErasing(null)} />}
          {leaving === null ? null : (
            <Confirm
              title={`Remove ${leaving.name}`}
              action="Remove"
              change={remove}
              onClose={() => setLeaving(null)}
              onConfirm={() => remove.mutate(leaving.id, { onSuccess: () => setLeaving(null) })}
            >
              Sign-in, tokens, roles, teams and budgets stop at once, and those of the services that act for them. What
              they spent stays spent, and is there if they are restored.
            </Confirm>
          )}
        </div>
      </Together>
    </Page>
  );
}
