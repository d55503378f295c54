import type { Member, Team } from "@dosimeter/client";
import { Button } from "@mantine/core";
import { useState } from "react";
import { useChange } from "../api/connection.ts";
import { usePeople } from "../api/people.ts";
import { RowButton } from "../parts/buttons.tsx";
import { DataTable } from "../parts/DataTable.tsx";
import { Confirm } from "../parts/Dialog.tsx";
import { ChoosePerson } from "../parts/fields.tsx";
import { Tag } from "../parts/Page.tsx";
import { Empty, Fault } from "../parts/Pending.tsx";
import { dayText } from "../parts/words.ts";

type Open = Team & { readonly members: readonly Member[] };

/** Who is in a team and who was; admins add, promote and remove. */
export function Members({ team, leads, me }: { team: Open; leads: boolean; me: string }) {
  const [leaving, setLeaving] = useState<Member | null>(null);
  const present = team.members.filter(({ until }) => until === null);
  const past = team.members.length - present.length;
  const promote = useChange((client, { person, role }: Pick<Member, "person" | "role">) =>
    client.setMemberRole({ team: team.id, person, role }),
  );
  const remove = useChange((client, person: string) => client.removeMember({ team: team.id, person }));
  return (
    <div className="stack">
      {present.length === 0 ? (
        <Empty title="It has no members">
          {leads ? "Add a person below, or invite them." : "It has no members now."}
        </Empty>
      ) : (
        <DataTable
          caption={`Who is in ${team.name}`}
          isCaptionHidden
          isStacking
          rows={present}
          keyOf={({ person }) => person}
          columns={[
            {
              name: "Name",
              isHead: true,
              cell: ({ name, person }) => (
                <>
                  {name} {person === me ? <Tag>you</Tag> : null}
                </>
              ),
            },
            { name: "Role", cell: ({ role }) => (role === "teamAdmin" ? "team admin" : "member") },
            { name: "Since", cell: ({ since }) => dayText(since) },
            ...(leads
              ? [
                  {
                    name: "Change",
                    cell: (member: Member) => (
                      <div className="row-actions">
                        <RowButton
                          label={member.role === "teamAdmin" ? "Make a member" : "Make an admin"}
                          name={`${member.role === "teamAdmin" ? "Make a member" : "Make an admin"}: ${member.name}`}
                          isBusy={promote.isPending}
                          onClick={() =>
                            promote.mutate({
                              person: member.person,
                              role: member.role === "teamAdmin" ? "member" : "teamAdmin",
                            })
                          }
                        />
                        <RowButton label="Remove" name={`Remove ${member.name}`} onClick={() => setLeaving(member)} />
                      </div>
                    ),
                  },
                ]
              : []),
          ]}
        />
      )}
      {past === 0 ? null : (
        <p className="soft small flush">
          {past} earlier {past === 1 ? "stay" : "stays"} in the record.
        </p>
      )}
      <Fault error={promote.error} />
      {leads ? <Add team={team.id} present={present} /> : null}
      {leaving === null ? null : (
        <Confirm
          title={`Remove ${leaving.name}`}
          action="Remove"
          change={remove}
          onClose={() => setLeaving(null)}
          onConfirm={() => remove.mutate(leaving.person, { onSuccess: () => setLeaving(null) })}
        >
          Their budgets below this team are frozen. What they spent stays spent, even if they come back.
        </Confirm>
      )}
    </div>
  );
}

function Add({ team, present }: { team: string; present: readonly Member[] }) {
  const people = usePeople();
  const [person, setPerson] = useState("");
  const add = useChange((client) => client.addMember({ team, person }));
  const others = (people.data ?? []).filter(({ id }) => present.every((member) => member.person !== id));
  return (
    <form
      className="page-actions at-end"
      onSubmit={(event) => {
        event.preventDefault();
        if (person !== "") add.mutate(undefined, { onSuccess: () => setPerson("") });
      }}
    >
      <ChoosePerson label="Add an existing person" people={others} value={person} onChange={setPerson} />
      <Button type="submit" disabled={person === ""} loading={add.isPending}>
        Add
      </Button>
      <Fault error={add.error} />
    </form>
  );
}
