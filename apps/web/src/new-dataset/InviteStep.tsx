import type { Account } from "@dosimeter/client";
import { useTeams } from "../api/people.ts";
import { Invitations } from "../invitations/Invitations.tsx";
import { ButtonLink } from "../parts/buttons.tsx";
import { Notice } from "../parts/Notice.tsx";
import { Pending } from "../parts/Pending.tsx";

/** Ways into the teams that hold a part of the budget. Who got budget in person needs none. */
export function InviteStep({ accounts }: { accounts: readonly Account[] }) {
  const teams = useTeams();
  const holders = new Set(accounts.map(({ holder }) => (holder.kind === "team" ? holder.id : "")));
  const people = accounts.filter(({ holder }) => holder.kind === "person").map(({ name }) => name);
  return (
    <Pending of={teams} lines={3}>
      {(all) => {
        const mine = all.filter(({ id, myRole }) => holders.has(id) && myRole === "teamAdmin");
        return (
          <div className="stack">
            {people.length === 0 ? null : (
              <Notice tone="good" title={`${people.join(", ")} can spend now`}>
                <p>They find the dataset on their home page.</p>
              </Notice>
            )}
            {mine.map(({ id, name }) => (
              <section key={id} className="stack" aria-label={name}>
                <h2 className="set-up-team">{name}</h2>
                <Invitations team={id} />
              </section>
            ))}
            {mine.length === 0 && people.length === 0 ? (
              <Notice tone="plain" title="No team of yours has budget here">
                <p>Who leads a team invites its members on the team’s page.</p>
                <ButtonLink to="/teams" variant="default">
                  Go to the teams
                </ButtonLink>
              </Notice>
            ) : null}
          </div>
        );
      }}
    </Pending>
  );
}
