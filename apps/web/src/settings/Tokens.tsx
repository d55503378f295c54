import { Checkbox } from "@mantine/core";
import { useState } from "react";
import { useChange } from "../api/connection.ts";
import { useTokens } from "../api/people.ts";
import { RowButton } from "../parts/buttons.tsx";
import { DataTable } from "../parts/DataTable.tsx";
import { Form } from "../parts/Form.tsx";
import { Choice, TextField } from "../parts/fields.tsx";
import { Fault, Pending } from "../parts/Pending.tsx";
import { Secret } from "../parts/Secret.tsx";
import { dayText } from "../parts/words.ts";
import "../new-dataset/new-dataset.css";

const scopes = {
  read: "see what I may see",
  release: "quote, spend from my budgets, ask for more",
  manage: "datasets, ledgers, teams, budgets, files",
  admin: "people, roles, tokens, connections to databases",
} as const;
type Scope = keyof typeof scopes;
const names = Object.keys(scopes) as readonly Scope[];

/** Tokens never do more than their owner may, nor more than their scopes. Mine, or those of a service that cannot sign in, which an admin makes. */
export function Tokens({ service = null, isAdmin = true }: { service?: string | null; isAdmin?: boolean }) {
  const tokens = useTokens(service);
  const [name, setName] = useState("");
  const [held, setHeld] = useState<readonly Scope[]>(["read"]);
  const [days, setDays] = useState("90");
  const create = useChange((client) => {
    const input = { name: name.trim(), scopes: [...held], days: Number(days) };
    return service === null ? client.createToken(input) : client.createServiceToken({ ...input, person: service });
  });
  const revoke = useChange((client, token: string) =>
    service === null ? client.revokeToken({ token }) : client.revokeServiceToken({ person: service, token }),
  );
  const isReady = name.trim() !== "" && held.length > 0;
  const error = create.error ?? revoke.error;
  return (
    <div className="stack">
      <Pending of={tokens} lines={2}>
        {(all) => {
          const live = all.filter(({ endedAt, expiresAt }) => endedAt === null && Date.parse(expiresAt) > Date.now());
          return live.length === 0 ? (
            <p className="soft small flush">
              {service === null ? "You have none." : "It has none."} A program sends one as{" "}
              <span className="code">Authorization: Bearer …</span>
            </p>
          ) : (
            <DataTable
              caption="Tokens"
              isCaptionHidden
              isStacking
              rows={live}
              keyOf={({ id }) => id}
              columns={[
                { name: "Name", isHead: true, cell: (token) => token.name },
                { name: "May", cell: (token) => token.scopes.join(", ") },
                { name: "Until", cell: ({ expiresAt }) => dayText(expiresAt) },
                {
                  name: "Change",
                  cell: (token) => (
                    <RowButton
                      label="Revoke"
                      name={`Revoke ${token.name}`}
                      isBusy={revoke.isPending}
                      onClick={() => revoke.mutate(token.id)}
                    />
                  ),
                },
              ]}
            />
          );
        }}
      </Pending>
      {isAdmin ? (
        <>
          {create.data === undefined ? null : (
            <Secret title={`The token ${create.data.name}`} label="Token" value={create.data.secret} />
          )}
          <Form
            action="Create the token"
            isReady={isReady}
            change={create}
            error={error}
            onSubmit={() => create.mutate(undefined, { onSuccess: () => setName("") })}
          >
            <TextField label="Name of a new token" maxLength={200} value={name} onChange={setName} />
            <Checkbox.Group label="It may" value={[...held]} onChange={(value) => setHeld(value as Scope[])}>
              <div className="choices">
                {names.map((scope) => (
                  <Checkbox key={scope} value={scope} label={`${scope}: ${scopes[scope]}`} />
                ))}
              </div>
            </Checkbox.Group>
            <Choice
              label="Valid for"
              value={days}
              onChange={setDays}
              data={{ 7: "a week", 30: "30 days", 90: "90 days", 366: "a year" }}
            />
          </Form>
        </>
      ) : (
        <Fault error={revoke.error} />
      )}
    </div>
  );
}
