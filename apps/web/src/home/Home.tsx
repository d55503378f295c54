import { roleWords } from "@dosimeter/client";
import { Link } from "@tanstack/react-router";
import { useMyAccounts } from "../api/accounts.ts";
import { useRequests } from "../api/requests.ts";
import { useMe } from "../api/session.ts";
import { LatestAnswers } from "../latest/LatestAnswers.tsx";
import { ButtonLink } from "../parts/ButtonLink.tsx";
import { Card, Page } from "../parts/Page.tsx";
import { Empty, Together } from "../parts/Pending.tsx";
import { Auditing } from "./Auditing.tsx";
import { Kept } from "./Kept.tsx";
import { Spendable } from "./Spendable.tsx";
import { useKept } from "./use-kept.ts";
import { Waiting } from "./Waiting.tsx";
import "./home.css";

/** What I may spend, what I keep for others, what waits, and the latest answers. */
export function Home() {
  const me = useMe();
  const mine = useMyAccounts();
  const lists = [mine, useRequests("received"), useRequests("submitted")];
  const roles = me.data?.roles ?? [];
  const kept = roles.flatMap(({ role, object }) => (role === "datasetAdmin" && object.id !== null ? [object.id] : []));
  const keeping = useKept(kept);
  const held = mine.data?.pages.flatMap(({ items }) => items) ?? [];
  const payer = held.find((account) => account.mine.mayRelease);
  const isAuditing = roles.some(({ role }) => role === "auditor") && kept.length === 0 && held.length === 0;
  const [first] = payer?.datasets ?? [];
  return (
    <Page
      title={me.data === undefined ? "Home" : `Welcome, ${me.data.person.name}`}
      lead={roleText(roles)}
      actions={
        payer === undefined || first === undefined ? null : (
          <ButtonLink to="/datasets/$dataset/plan" params={{ dataset: first }} search={{ account: payer.id }}>
            New plan
          </ButtonLink>
        )
      }
    >
      {me.isPending ? null : (
        <Together of={[keeping, ...lists]}>
          <div className="stack">
            {keeping.budgets.length === 0 ? null : <Kept budgets={keeping.budgets} />}
            {isAuditing ? <Auditing /> : kept.length === 0 ? <Spendable /> : null}
            <Waiting />
            {kept.length === 0 || (keeping.budgets.length > 0 && held.length === 0) ? null : <Spendable />}
            <Card title="Latest answers" aside={<Link to="/releases">All releases</Link>}>
              <LatestAnswers
                empty={
                  <Empty title="Nothing has been released yet">
                    Releases are kept here permanently. Reading them again is free.
                  </Empty>
                }
              />
            </Card>
          </div>
        </Together>
      )}
    </Page>
  );
}

/** A role that is on no dataset and no team. */
const onPlatform: Partial<Record<keyof typeof roleWords, string>> = {
  platformAdmin: "admin of the platform",
  auditor: "auditor of the platform",
};

/** Names shown of one role; the others are only counted. */
const NAMED = 3;

function roleText(
  roles: readonly { readonly role: keyof typeof roleWords; readonly objectName: string | null }[],
): string | undefined {
  const parts = (Object.keys(roleWords) as (keyof typeof roleWords)[]).flatMap((role) => {
    const held = roles.filter((one) => one.role === role);
    if (held.length === 0) return [];
    const names = held.flatMap(({ objectName }) => (objectName === null ? [] : [objectName]));
    const whole = held.length > names.length ? [onPlatform[role] ?? roleWords[role]] : [];
    if (names.length === 0) return whole;
    const more = names.length > NAMED ? ` and ${names.length - NAMED} more` : "";
    return [...whole, `${roleWords[role]} of ${names.slice(0, NAMED).join(", ")}${more}`];
  });
  return parts.length === 0 ? undefined : `You are ${parts.join("; ")}.`;
}
