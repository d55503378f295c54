import type { Account } from "@dosimeter/client";
import { TextInput } from "@mantine/core";
import { accountDelta, NO_SECRET_SAMPLE } from "./account-terms.ts";
import { HelpCard } from "./HelpCard.tsx";

/** δ of the account that pays, to be read: a plan on a dataset does not choose one. */
export function AccountDelta({ account }: { account: Account }) {
  return (
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
  );
}

export const NoSecretSample = () => <p className="soft small">{NO_SECRET_SAMPLE}</p>;
