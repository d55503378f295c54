import { change } from "../audit/change.ts";
import { images } from "../audit/image.ts";
import type { Context } from "../context.ts";
import { putRow, rowWith } from "../stores/row.ts";
import type { Tx } from "../stores/store.ts";
import type { Tables } from "../stores/tables.ts";
import type { By, TeamId } from "../values/id.ts";
import { openTeamRow } from "./team.ts";

/** Whom a team's invitation links let in: people who are `known`, that is here already, or also `newcomers`, who say who they are. */
export type LinksAdmit = Tables["team_policy"]["links_admit"];

export const linksAdmitIn = async ({ db }: Pick<Tx, "db">, team: TeamId): Promise<LinksAdmit> =>
  (await rowWith(db, "team_policy", { team_id: team }))?.links_admit ?? "newcomers";

/** `newcomers` until an admin of the team allows less. An invitation that is mailed proves an address and does not depend on it. */
export const linksAdmit = ({ store }: Context, team: TeamId): Promise<LinksAdmit> =>
  linksAdmitIn({ db: store.read }, team);

/** Holds at once, for links made before too. CONFLICT when the team is closed. */
export function setLinksAdmit(
  context: Context,
  { team, linksAdmit: admit, by }: By & { readonly team: TeamId; readonly linksAdmit: LinksAdmit },
): Promise<LinksAdmit> {
  return change(context, async (tx, chain) => {
    await openTeamRow(tx, team);
    if ((await linksAdmitIn(tx, team)) === admit) return admit;
    const row = { team_id: team, links_admit: admit, changed_at: context.store.now(), changed_by: by };
    await putRow(tx.db, "team_policy", row, "team_id");
    chain.append({ actor: by, action: "team.policy", detail: { team, linksAdmit: admit }, ...images.team_policy(row) });
    return admit;
  });
}
