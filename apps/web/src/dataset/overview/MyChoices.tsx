import type { Dataset, Ledger } from "@dosimeter/client";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useRequests } from "../../api/ledgers.ts";

/** The reader's next steps, by role: each a link to where it is done. */
export function MyChoices({ ledger, dataset }: { ledger: Ledger; dataset: Dataset }) {
  const received = useRequests("received", ledger.mine.mayGrant);
  const waiting = (received.data ?? []).filter((one) => one.ledger === ledger.id && one.mine.mayDecide).length;
  const here = { to: "/datasets/$dataset", params: { dataset: dataset.id } } as const;
  const payers = dataset.accounts.filter(({ mine }) => mine.mayRelease);
  // Who audits a dataset and holds no account on it reads only.
  const isReader = dataset.myRoles.includes("auditor") && dataset.accounts.length === 0;
  const choices: readonly (readonly [name: string, step: ReactNode])[] = [
    ...payers.map(
      ({ id, path }) =>
        [
          `plan ${id}`,
          <Link key="link" to="/datasets/$dataset/plan" params={here.params} search={{ account: id }}>
            Plan statistics{payers.length > 1 ? ` from ${path.at(-1)}` : ""} and see how exact they would be
          </Link>,
        ] as const,
    ),
    ...(payers.length === 0
      ? []
      : ([
          [
            "charge",
            <Link key="link" to="/datasets/$dataset/charge" params={here.params}>
              Charge a program that runs elsewhere
            </Link>,
          ],
        ] as const)),
    [
      "reuse",
      <Link key="link" to="/datasets/$dataset/released" params={here.params}>
        Reuse an earlier answer for free
      </Link>,
    ],
    ...(ledger.mine.mayGrant
      ? ([
          [
            "grant",
            <Link key="link" {...here} search={{ tab: "budget" }}>
              Give budget to teams and people
            </Link>,
          ],
          [
            "decide",
            <Link key="link" to="/requests">
              {waiting === 0
                ? "See the requests for it"
                : `Decide ${waiting} waiting ${waiting === 1 ? "request" : "requests"}`}
            </Link>,
          ],
        ] as const)
      : isReader
        ? []
        : ([
            [
              "ask",
              <Link key="link" to="/requests/new" search={{ dataset: dataset.id }}>
                Ask for budget{payers.length === 0 ? ` on ${dataset.name}` : ""}
              </Link>,
            ],
          ] as const)),
    [
      "columns",
      <Link key="link" {...here} search={{ tab: "columns" }}>
        See its columns and their ranges
      </Link>,
    ],
    ...(ledger.mine.mayAudit
      ? ([
          [
            "check",
            <Link key="link" {...here} search={{ tab: "ledger" }}>
              Check the ledger line by line
            </Link>,
          ],
        ] as const)
      : []),
  ];
  return (
    <ul className="choices">
      {choices.map(([name, step]) => (
        <li key={name}>{step}</li>
      ))}
    </ul>
  );
}
