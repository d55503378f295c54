import type { Account } from "@dosimeter/client";
import { Button, Modal, Radio, TextInput } from "@mantine/core";
import { useState } from "react";
import { useAccount, useChange } from "../api.ts";
import { Amount } from "../parts/Amount.tsx";
import { isAmount } from "../parts/amount-text.ts";
import { Fault } from "../parts/Pending.tsx";

const choices = {
  allocate: "Give it more",
  withdraw: "Take some back",
  freeze: "Freeze: refuse new charges for now",
  unfreeze: "Unfreeze: allow charges again",
  close: "Close for good: what is free goes back, what was spent stays spent",
} as const;
type Choice = keyof typeof choices;

/** Moves quota between an account and what funds it, or stops the account. Nothing here lowers what was spent. */
export function EditAccount({
  account,
  ledgerFree,
  onClose,
}: {
  account: Account;
  ledgerFree: string;
  onClose: () => void;
}) {
  const [choice, setChoice] = useState<Choice>(account.status === "frozen" ? "unfreeze" : "allocate");
  const [epsilon, setEpsilon] = useState("");
  const parent = useAccount(account.parent);
  const parentFree = account.parent === null ? ledgerFree : parent.data?.free.epsilon;
  const edit = useChange((client): Promise<unknown> => {
    const moved = { account: account.id, epsilon: epsilon.trim() };
    if (choice === "allocate") return client.allocateQuota(moved);
    if (choice === "withdraw") return client.withdrawQuota(moved);
    if (choice === "freeze") return client.freezeAccount({ account: account.id });
    if (choice === "unfreeze") return client.unfreezeAccount({ account: account.id });
    return client.closeAccount({ account: account.id });
  });
  const moves = choice === "allocate" || choice === "withdraw";
  const isReady = !moves || isAmount(epsilon);
  const offered = (Object.keys(choices) as Choice[]).filter(
    (one) => one !== (account.status === "frozen" ? "freeze" : "unfreeze"),
  );
  return (
    <Modal
      opened
      onClose={onClose}
      title={`Quota of ${account.path.join(" › ")}`}
      size="lg"
      closeButtonProps={{ "aria-label": "Close" }}
      returnFocus
    >
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (isReady) edit.mutate(undefined, { onSuccess: onClose });
        }}
      >
        <p style={{ margin: 0 }}>
          It has <Amount unit="ε" of={account.quota.epsilon} />, of which <Amount unit="ε" of={account.free.epsilon} />{" "}
          is free. What funds it has <Amount unit="ε" of={parentFree} /> free.
        </p>
        <Radio.Group label="What to do" value={choice} onChange={(value) => setChoice(value as Choice)}>
          <div style={{ display: "grid", gap: 8, marginTop: 6 }}>
            {offered.map((one) => (
              <Radio key={one} value={one} label={choices[one]} />
            ))}
          </div>
        </Radio.Group>
        {moves ? (
          <TextInput
            label="ε"
            description="δ goes with it in proportion."
            inputMode="decimal"
            value={epsilon}
            onChange={(event) => setEpsilon(event.currentTarget.value)}
            error={epsilon.trim() === "" || isAmount(epsilon) ? undefined : "Must be a number above 0."}
          />
        ) : null}
        {edit.error === null ? null : <Fault error={edit.error} />}
        <div className="page-actions" style={{ justifyContent: "flex-end" }}>
          <Button variant="default" onClick={onClose} disabled={edit.isPending}>
            Back
          </Button>
          <Button
            type="submit"
            disabled={!isReady}
            loading={edit.isPending}
            {...(choice === "close" ? { color: "red" } : {})}
          >
            {verbs[choice]}
          </Button>
        </div>
      </form>
    </Modal>
  );
}

const verbs: Readonly<Record<Choice, string>> = {
  allocate: "Give",
  withdraw: "Take back",
  freeze: "Freeze",
  unfreeze: "Unfreeze",
  close: "Close the account",
};
