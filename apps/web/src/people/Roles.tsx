import { type Person, roleWords } from "@dosimeter/client";
import { useState } from "react";
import { useChange } from "../api/connection.ts";
import { useEveryDataset } from "../api/datasets.ts";
import { useRoles } from "../api/people.ts";
import { RowButton } from "../parts/buttons.tsx";
import { DataTable } from "../parts/DataTable.tsx";
import { Form } from "../parts/Form.tsx";
import { Choice, ChoosePerson } from "../parts/fields.tsx";
import { Card } from "../parts/Page.tsx";
import { Fault, Pending } from "../parts/Pending.tsx";

export function Roles({ people, me }: { people: readonly Person[]; me: string }) {
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
        <Form
          action="Give"
          isRow
          isReady={person !== ""}
          isBusy={grant.isPending}
          onSubmit={() => grant.mutate(undefined, { onSuccess: () => setPerson("") })}
        >
          <ChoosePerson label="Give" people={people} value={person} onChange={setPerson} />
          <Choice
            label="the role"
            value={choice}
            onChange={setChoice}
            data={[
              { value: "platformAdmin", label: "platform admin" },
              { value: "auditor", label: "auditor of the platform" },
              ...known.flatMap(({ id, name }) => [
                { value: `datasetAdmin ${id}`, label: `admin of ${name}` },
                { value: `auditor ${id}`, label: `auditor of ${name}` },
              ]),
            ]}
          />
        </Form>
        <Fault error={error} />
      </div>
    </Card>
  );
}
