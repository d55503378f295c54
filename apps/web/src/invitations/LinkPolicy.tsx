import type { Output } from "@dosimeter/client";
import { useChange } from "../api/change.ts";
import { useSignInWays } from "../api/session.ts";
import { Check } from "../parts/fields.tsx";
import { Fault } from "../parts/Pending.tsx";

type LinksAdmit = Output<"showTeam">["linksAdmit"];

/** Whom the team's invitation links let in. An admin of the team decides; it holds for links that were made before. */
export function LinkPolicy({ team, linksAdmit }: { team: string; linksAdmit: LinksAdmit }) {
  const ways = useSignInWays();
  const change = useChange((client, wanted: LinksAdmit) => client.setTeam({ team, linksAdmit: wanted }));
  const hasProvider = (ways.data?.providers ?? []).length > 0;
  const shown = change.isPending ? change.variables : linksAdmit;
  return (
    <div className="stack">
      <Check
        label="A link lets in people who are new here"
        description={
          hasProvider
            ? "Not on this server: who is new signs in through your organisation’s provider."
            : "The first person who opens it joins under a name that they give. Without it a link is only for people who are here already. Links made before follow it too."
        }
        checked={!hasProvider && shown === "newcomers"}
        disabled={hasProvider || change.isPending}
        onChange={(isChecked) => change.mutate(isChecked ? "newcomers" : "known")}
      />
      <Fault error={change.error} />
    </div>
  );
}
