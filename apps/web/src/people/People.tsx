import type { Person } from "@dosimeter/client";
import { useState } from "react";
import { useChange } from "../api/change.ts";
import { usePeople } from "../api/people.ts";
import { useMe } from "../api/session.ts";
import { Confirm } from "../parts/Confirm.tsx";
import { DataTable } from "../parts/DataTable.tsx";
import { Dialog } from "../parts/Dialog.tsx";
import { Filter, holdsText } from "../parts/Filter.tsx";
import { Card, Page, Tag } from "../parts/Page.tsx";
import { Empty, Fault, Pending } from "../parts/Pending.tsx";
import { RowButton } from "../parts/RowButton.tsx";
import { Secret } from "../parts/Secret.tsx";
import { dayText } from "../parts/time.ts";
import { Tokens } from "../settings/Tokens.tsx";
import { AddPerson } from "./AddPerson.tsx";
import { EditPerson } from "./EditPerson.tsx";
import { kinds } from "./kinds.ts";
import { Roles } from "./Roles.tsx";

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
      lead="All people, services and AI agents. A removed person loses all access; what they spent stays spent."
    >
      <div className="stack">
        {isAdmin ? <AddPerson people={people.data ?? []} me={me.data?.person.id ?? ""} /> : null}
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
                  <Empty title="No person found">Try part of the name.</Empty>
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
                                    label="Restore"
                                    name={`Restore ${person.name}`}
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
        {editing === null ? null : <EditPerson person={editing} onClose={() => setEditing(null)} />}
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
            they spent stays spent, and is there if they are restored.
          </Confirm>
        )}
      </div>
    </Page>
  );
}
