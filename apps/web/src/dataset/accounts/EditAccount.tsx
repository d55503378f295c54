import type { Account, Client } from "@dosimeter/client";
import { Radio } from "@mantine/core";
import { useState } from "react";
import { useChange } from "../../api/connection.ts";
import { useAccount } from "../../api/ledgers.ts";
import { Amount, formatCost } from "../../parts/Amount.tsx";
import { FormDialog } from "../../parts/Dialog.tsx";
import { Check, Choice, NumberField, TextField } from "../../parts/fields.tsx";
import {
  DELTA,
  deltaField,
  EPSILON,
  isTyped,
  isTypedOrEmpty,
  OPTIONAL_DELTA,
  plainOf,
} from "../../parts/number-text.ts";
import { budgetChoices } from "../../parts/words.ts";

const choices = {
  allocate: "Give it more",
  withdraw: "Take some back",
  recall: "Take back as much as is free, up to an amount",
  transfer: "Give some of it to another budget",
  settings: "Change its limits or end date",
  freeze: "Freeze: refuse new charges for now",
  unfreeze: "Unfreeze: allow charges again",
  close: "Close for good: what is free goes back, what was spent stays spent",
} as const;
type Change = keyof typeof choices;

const verbs: Readonly<Record<Change, string>> = {
  allocate: "Give",
  withdraw: "Take back",
  recall: "Take back",
  transfer: "Transfer",
  settings: "Save",
  freeze: "Freeze",
  unfreeze: "Unfreeze",
  close: "Close the budget",
};

/** The inputs; each choice reads its own part. */
interface Form {
  readonly epsilon: string;
  readonly delta: string;
  readonly to: string;
  readonly cascade: boolean;
  readonly expires: string;
  readonly queryEpsilon: string;
  readonly mode: Account["mode"];
}

interface EditAccountProps {
  account: Account;
  ledgerFree: string;
  /** The accounts that can receive a transfer. */
  accounts?: readonly Account[];
  onClose: () => void;
}

/** Moves quota between an account and others, limits it, or stops it. Nothing here lowers what was spent. */
export function EditAccount({ account, ledgerFree, accounts = [], onClose }: EditAccountProps) {
  const [choice, setChoice] = useState<Change>(account.status === "frozen" ? "unfreeze" : "allocate");
  const [form, setForm] = useState<Form>({
    epsilon: "",
    delta: "",
    to: "",
    cascade: true,
    expires: account.expiresAt?.slice(0, 10) ?? "",
    queryEpsilon: account.queryEpsilon ?? "",
    mode: account.mode,
  });
  const set = (change: Partial<Form>) => setForm({ ...form, ...change });
  const [shortfall, setShortfall] = useState<string | null>(null);
  const parent = useAccount(account.parent);
  const parentFree = account.parent === null ? ledgerFree : parent.data?.free.epsilon;
  const edit = useChange((client) => act(client, account.id, choice, form));
  const moves = choice === "allocate" || choice === "withdraw" || choice === "recall" || choice === "transfer";
  const others = accounts.filter(({ id, status }) => id !== account.id && status === "active");
  const isReady =
    (!moves || (isTyped(form.epsilon, EPSILON) && isTypedOrEmpty(form.delta, DELTA))) &&
    (choice !== "transfer" || form.to !== "") &&
    (choice !== "settings" || isTypedOrEmpty(form.queryEpsilon, EPSILON));
  const offered = (Object.keys(choices) as Change[]).filter(
    (one) => one !== (account.status === "frozen" ? "freeze" : "unfreeze") && (one !== "transfer" || others.length > 0),
  );
  const on = account.datasetNames.length === 0 ? "" : ` on ${account.datasetNames.join(" and ")}`;
  const submit = () =>
    edit.mutate(undefined, {
      onSuccess: (missing) => {
        if (missing === null) onClose();
        else setShortfall(missing);
      },
    });
  return (
    <FormDialog
      title={`Budget of ${account.path.join(" › ")}${on}`}
      size="lg"
      action={verbs[choice]}
      isReady={isReady}
      change={edit}
      isFinal={choice === "close"}
      keeps={{ of: `budget of ${account.id}` }}
      onSubmit={submit}
      onClose={onClose}
    >
      <p className="flush">
        It has <Amount unit="ε" isRoom of={account.quota.epsilon} />, of which{" "}
        <Amount unit="ε" isRoom of={account.free.epsilon} /> is free. What funds it has{" "}
        <Amount unit="ε" isRoom of={parentFree} /> free.
      </p>
      <Radio.Group label="What to do" value={choice} onChange={(value) => setChoice(value as Change)}>
        <div className="stack gap-8 below-8">
          {offered.map((one) => (
            <Radio key={one} value={one} label={choices[one]} />
          ))}
        </div>
      </Radio.Group>
      {choice === "transfer" ? (
        <Choice
          label="To"
          value={form.to}
          onChange={(chosen) => set({ to: chosen })}
          data={[{ value: "", label: "choose" }, ...budgetChoices(others)]}
        />
      ) : null}
      {moves ? (
        <div className="fields">
          <NumberField
            wish={EPSILON}
            label="ε"
            description="The amount."
            value={form.epsilon}
            onChange={(epsilon) => set({ epsilon })}
          />
          <NumberField {...OPTIONAL_DELTA} value={form.delta} onChange={(delta) => set({ delta })} />
        </div>
      ) : null}
      {choice === "recall" ? (
        <Check
          label="Also from the budgets below it, starting at the lowest"
          checked={form.cascade}
          onChange={(isChecked) => set({ cascade: isChecked })}
        />
      ) : null}
      {choice === "settings" ? <Settings form={form} set={set} /> : null}
      {shortfall === null ? null : (
        <p className="flush" role="status">
          ε {formatCost(shortfall)} could not be taken: it is spent, or promised below.
        </p>
      )}
    </FormDialog>
  );
}

function Settings({ form, set }: { form: Form; set: (change: Partial<Form>) => void }) {
  return (
    <>
      <Limits of={form} set={set} />
      <ModeChoice mode={form.mode} onChange={(mode) => set({ mode })} />
    </>
  );
}

/** The most one charge may take, and when the account closes by itself. */
export interface LimitsForm {
  readonly queryEpsilon: string;
  readonly expires: string;
}

export function Limits({ of, set }: { of: LimitsForm; set: (change: Partial<LimitsForm>) => void }) {
  const { queryEpsilon } = of;
  return (
    <>
      <NumberField
        wish={EPSILON}
        label="Limit for one charge, ε"
        description="Empty: no such limit. Under the tight rule, what one answer of this ε would take."
        value={queryEpsilon}
        onChange={(next) => set({ queryEpsilon: next })}
      />
      <TextField
        type="date"
        label="Closes automatically on"
        description="Empty: never. The free part then goes back; what was spent stays spent."
        value={of.expires}
        onChange={(typed) => set({ expires: typed })}
      />
    </>
  );
}

/** The end of the chosen day in this time zone. */
export const endOf = (day: string): string | null => (day === "" ? null : new Date(`${day}T23:59:59`).toISOString());

/** Whether accounts below may be promised more than there is. */
export function ModeChoice({ mode, onChange }: { mode: Account["mode"]; onChange: (mode: Account["mode"]) => void }) {
  return (
    <Radio.Group
      label="What it may give to budgets below it"
      value={mode}
      onChange={(value) => onChange(value as Account["mode"])}
    >
      <div className="stack gap-8 below-8">
        <Radio value="funded" label="At most what it has: others cannot use up what a budget was given" />
        <Radio value="overbooked" label="More than it has: those who spend first get it. The guarantee is the same." />
      </div>
    </Radio.Group>
  );
}

/** Makes the chosen change; returns what a recall could not take, or null. */
async function act(client: Client, account: string, choice: Change, form: Form): Promise<string | null> {
  const amount = { epsilon: plainOf(form.epsilon, EPSILON), ...deltaField(form.delta) };
  switch (choice) {
    case "allocate":
      await client.allocateQuota({ account, ...amount });
      return null;
    case "withdraw":
      await client.withdrawQuota({ account, ...amount });
      return null;
    case "recall": {
      const { shortfall } = await client.recallQuota({ account, ...amount, cascade: form.cascade });
      return shortfall.epsilon === "0" ? null : shortfall.epsilon;
    }
    case "transfer":
      await client.transferQuota({ account, to: form.to, ...amount });
      return null;
    case "settings": {
      const limit = plainOf(form.queryEpsilon, EPSILON);
      await client.setAccount({
        account,
        mode: form.mode,
        queryEpsilon: limit === "" ? null : limit,
        expiresAt: endOf(form.expires),
      });
      return null;
    }
    case "freeze":
      await client.freezeAccount({ account });
      return null;
    case "unfreeze":
      await client.unfreezeAccount({ account });
      return null;
    case "close":
      await client.closeAccount({ account });
      return null;
    default:
      return choice satisfies never;
  }
}
