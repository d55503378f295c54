import type { Account } from "@dosimeter/client";
import { TextInput } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { Choice } from "../parts/fields.tsx";
import { budgetChoices } from "../parts/words.ts";
import { accountDelta, NO_SECRET_SAMPLE } from "./account-terms.ts";
import { HelpCard } from "./HelpCard.tsx";

/** The account that pays, and its δ, to be read: a plan on a dataset does not choose one. */
export function AccountTerms({
  account,
  payers,
  hasReading,
  onPayer,
}: {
  account: Account;
  payers: readonly Account[];
  /** Whether the page reads what the ledger promises to a population that its table is a sample of. */
  hasReading: boolean;
  onPayer: (account: string) => void;
}) {
  return (
    <>
      <TextInput
        label={
          <span className="worded">
            δ, from the budget <HelpCard term="delta" />
          </span>
        }
        aria-label="δ, from the budget"
        readOnly
        value={accountDelta(account)}
      />
      {payers.length > 1 ? (
        <Choice label="Paid by" value={account.id} onChange={onPayer} data={budgetChoices(payers)} />
      ) : null}
      <details className="small plan-budget-whole">
        <summary>Secrecy of the sample</summary>
        <p className="soft">
          {NO_SECRET_SAMPLE} {hasReading ? "What it means to that population is read below the plan. " : null}
          <Link to="/explore/plan">Try both in Explore › Plan</Link>
        </p>
      </details>
    </>
  );
}
