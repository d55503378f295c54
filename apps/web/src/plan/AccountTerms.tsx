import type { Account } from "@dosimeter/client";
import { NativeSelect, TextInput } from "@mantine/core";
import { accountDelta } from "./account-terms.ts";
import { HelpCard } from "./HelpCard.tsx";

/** The account that pays, and its δ, to be read: a plan on a dataset does not choose one. */
export function AccountTerms({
  account,
  payers,
  onPayer,
}: {
  account: Account;
  payers: readonly Account[];
  onPayer: (account: string) => void;
}) {
  return (
    <>
      <TextInput
        label={
          <span className="worded">
            δ, from the account <HelpCard term="delta" />
          </span>
        }
        aria-label="δ, from the account"
        readOnly
        value={accountDelta(account)}
      />
      {payers.length > 1 ? (
        <NativeSelect
          label="Paid by"
          value={account.id}
          onChange={(event) => onPayer(event.currentTarget.value)}
          data={payers.map((payer) => ({ value: payer.id, label: payer.path.join(" › ") }))}
        />
      ) : null}
    </>
  );
}
