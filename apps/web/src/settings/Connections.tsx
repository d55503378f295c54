import type { Output } from "@dosimeter/client";
import { useState } from "react";
import { useChange } from "../api/connection.ts";
import { useConnections } from "../api/datasets.ts";
import { RowButton } from "../parts/buttons.tsx";
import { DataTable } from "../parts/DataTable.tsx";
import { Form } from "../parts/Form.tsx";
import { Choice, TextField } from "../parts/fields.tsx";
import { Notice } from "../parts/Notice.tsx";
import { Fault, Pending, sentence } from "../parts/Pending.tsx";
import { dayText } from "../parts/words.ts";

type Known = Output<"listConnections">;

/** For admins of the platform: databases whose tables can be declared. Their passwords are named, and stay with the operator. */
export function Connections() {
  const connections = useConnections(true);
  return (
    <Pending of={connections} lines={3}>
      {({ items, hosts }) => (
        <div className="stack">
          {items.length === 0 ? (
            <p className="flush">
              This server reads no database yet. A dataset can be over a table or view of PostgreSQL or Trino, which
              stays where it is.
            </p>
          ) : (
            <ConnectionTable items={items} />
          )}
          {hosts.length === 0 ? (
            <p className="soft flush">
              The operator of this server lets admins add none: the setting DOSIMETER_CONNECTION_HOSTS lists the hosts,
              each with its passwords.
            </p>
          ) : (
            <AddConnection hosts={hosts} />
          )}
        </div>
      )}
    </Pending>
  );
}

function ConnectionTable({ items }: Pick<Known, "items">) {
  const check = useChange((client, connection: string) => client.testConnection({ connection }));
  const remove = useChange((client, connection: string) => client.removeConnection({ connection }));
  const error = check.error ?? remove.error;
  return (
    <>
      <DataTable
        caption="Connections"
        isCaptionHidden
        isStacking
        rows={items}
        keyOf={({ name }) => name}
        columns={[
          { name: "Name", isHead: true, cell: ({ name }) => name },
          {
            name: "Address",
            cell: ({ added, kind }) =>
              added === null ? `${kind}, named by the operator` : <span className="code anywhere">{added.url}</span>,
          },
          { name: "Password or token", cell: ({ added }) => added?.secret ?? "" },
          {
            name: "Added",
            cell: ({ added }) => (added === null ? "" : `${dayText(added.at)}, ${added.byName}`),
          },
          { name: "Problem", cell: ({ problem }) => (problem === null ? "none" : sentence(problem)) },
          {
            name: "Change",
            cell: ({ name, added }) => (
              <div className="page-actions">
                <RowButton
                  label="Check"
                  name={`Check ${name}`}
                  isBusy={check.isPending && check.variables === name}
                  onClick={() => {
                    remove.reset();
                    check.mutate(name);
                  }}
                />
                {added === null ? null : (
                  <RowButton
                    label="Remove"
                    name={`Remove ${name}`}
                    isBusy={remove.isPending && remove.variables === name}
                    onClick={() => {
                      check.reset();
                      remove.mutate(name);
                    }}
                  />
                )}
              </div>
            ),
          },
        ]}
      />
      {items.some(({ added }) => added !== null) ? (
        <p className="soft small flush">Remove acts at once. A connection that a dataset uses cannot be removed.</p>
      ) : null}
      <Fault error={error} />
      {check.data === undefined ? null : <Checked name={check.variables} {...check.data} />}
    </>
  );
}

function Checked({ name, problem, schemas }: { name: string } & Output<"testConnection">) {
  return problem === null ? (
    <p className="flush" role="status">
      {name} works. Its role sees {schemasText(schemas)}. Whether it may read a table, and only read it, is checked when
      the table is declared.
    </p>
  ) : (
    <Notice tone="warn">
      <p role="status">{sentence(problem)}</p>
    </Notice>
  );
}

const MAX_SHOWN = 20;
const schemasText = (schemas: readonly string[]): string =>
  schemas.length === 0
    ? "no schema"
    : schemas.length <= MAX_SHOWN
      ? schemas.join(", ")
      : `${schemas.slice(0, MAX_SHOWN).join(", ")} and ${schemas.length - MAX_SHOWN} more`;

/** Of which host, and which secret of it. */
const wayOf = (host: string, secret: string) => `${secret} for ${host}`;

function AddConnection({ hosts }: Pick<Known, "hosts">) {
  const ways = hosts.flatMap(({ host, secrets }) => secrets.map((secret) => ({ host, secret })));
  const [name, setName] = useState("");
  const [url, setUrl] = useState("");
  const [chosen, setChosen] = useState("");
  const way =
    ways.find(({ host, secret }) => wayOf(host, secret) === chosen) ??
    ways.find(({ host }) => url.includes(host.replace(/^\*/, ""))) ??
    ways[0];
  const add = useChange((client, asked: { name: string; url: string; secret: string }) => client.addConnection(asked));
  const asked = { name: name.trim(), url: url.trim(), secret: way?.secret ?? "" };
  const isReady = asked.name !== "" && asked.url !== "" && asked.secret !== "";
  return (
    <Form
      aria-label="Add a connection"
      action="Add the connection"
      isReady={isReady}
      change={add}
      onSubmit={() =>
        add.mutate(asked, {
          onSuccess: () => {
            setName("");
            setUrl("");
          },
        })
      }
    >
      <TextField
        label="Address"
        description="trino://user@host:port/catalog for Trino. Without a password."
        placeholder={`postgres://role@${(way?.host ?? "host:5432").replace(/^\*/, "name")}/database`}
        autoComplete="off"
        maxLength={500}
        value={url}
        onChange={setUrl}
      />
      <Choice
        label="Password or token"
        description="The operator of this server lists each for a host. It is never shown."
        value={way === undefined ? "" : wayOf(way.host, way.secret)}
        onChange={setChosen}
        data={ways.map(({ host, secret }) => wayOf(host, secret))}
      />
      <TextField
        label="Name of the connection"
        description="Declarations of datasets name it so."
        autoComplete="off"
        maxLength={40}
        value={name}
        onChange={setName}
      />
    </Form>
  );
}
