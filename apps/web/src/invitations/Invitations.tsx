import type { Output } from "@dosimeter/client";
import { useState } from "react";
import { useChange } from "../api/connection.ts";
import { useInvitations, useTeam } from "../api/people.ts";
import { useSignInWays } from "../api/session.ts";
import { RowButton } from "../parts/buttons.tsx";
import { DataTable } from "../parts/DataTable.tsx";
import { Form } from "../parts/Form.tsx";
import { Check, Choice, TextField } from "../parts/fields.tsx";
import { Card } from "../parts/Page.tsx";
import { Fault } from "../parts/Pending.tsx";
import { Secret } from "../parts/Secret.tsx";
import { dayText } from "../parts/words.ts";

type LinksAdmit = Output<"showTeam">["linksAdmit"];

/** Whom the team's invitation links let in. An admin of the team decides; it holds for links that were made before. */
function LinkPolicy({ team, linksAdmit }: { team: string; linksAdmit: LinksAdmit }) {
  const ways = useSignInWays();
  const change = useChange((client, wanted: LinksAdmit) => client.setTeam({ team, linksAdmit: wanted }));
  const hasProvider = (ways.data?.providers ?? []).length > 0;
  const shown = change.isPending ? change.variables : linksAdmit;
  return (
    <div className="stack">
      <Check
        label="Allow people without an account"
        description={
          hasProvider
            ? "Not on this server: new people sign in through your organisation’s provider."
            : "The first person who opens the link joins with an e-mail address and a password. Off: only people with an account can use it. Links made before follow it too."
        }
        checked={!hasProvider && shown === "newcomers"}
        disabled={hasProvider || change.isPending}
        onChange={(isChecked) => change.mutate(isChecked ? "newcomers" : "known")}
      />
      <Fault error={change.error} />
    </div>
  );
}

/** Ways into a team: a mail, or a link that works once, and whom links let in. */
export function Invitations({ team }: { team: string }) {
  const invitations = useInvitations(team, true);
  const ways = useSignInWays();
  const [email, setEmail] = useState("");
  const [role, setRole] = useState<"member" | "teamAdmin">("member");
  const invite = useChange((client) =>
    client.invite({ team, role, ...(email.trim() === "" ? {} : { email: email.trim() }) }),
  );
  const end = useChange((client, invitation: string) => client.endInvitation({ team, invitation }));
  const open = invitations.data ?? [];
  const linksAdmit = useTeam(team).data?.linksAdmit;
  const forAll = linksAdmit === "newcomers" ? "anyone with the link" : "people with an account";
  const made = invite.data;
  return (
    <Card title="Invitations">
      <div className="stack">
        <Form
          action={email.trim() === "" ? "Make a link" : "Send the invitation"}
          isRow
          isBusy={invite.isPending}
          onSubmit={() => invite.mutate(undefined, { onSuccess: () => setEmail("") })}
        >
          {ways.data?.mail ? (
            <TextField
              label="E-mail (optional)"
              description="Leave it empty to get a link that you hand over."
              type="email"
              value={email}
              onChange={setEmail}
            />
          ) : null}
          <Choice label="As" value={role} onChange={setRole} data={{ member: "member", teamAdmin: "team admin" }} />
        </Form>
        <Fault error={invite.error} />
        {linksAdmit === undefined ? null : <LinkPolicy team={team} linksAdmit={linksAdmit} />}
        {made?.url ? (
          <Secret title="One person can join with this link, once" label="Invitation link" value={made.url} />
        ) : null}
        {open.length === 0 ? (
          <p className="soft small flush">No invitation is open. An invitation works once and for seven days.</p>
        ) : (
          <DataTable
            caption="Open invitations"
            isStacking
            rows={open}
            keyOf={({ id }) => id}
            columns={[
              { name: "For", isHead: true, cell: ({ email: to }) => to ?? forAll },
              { name: "As", cell: (one) => (one.role === "teamAdmin" ? "team admin" : "member") },
              { name: "By", cell: ({ by }) => by },
              { name: "Until", cell: ({ expiresAt }) => dayText(expiresAt) },
              {
                name: "Change",
                cell: ({ id, email: to }) => (
                  <RowButton
                    label="Take back"
                    name={`Take back the invitation for ${to ?? forAll}`}
                    isBusy={end.isPending}
                    onClick={() => end.mutate(id)}
                  />
                ),
              },
            ]}
          />
        )}
        <Fault error={end.error} />
      </div>
    </Card>
  );
}
