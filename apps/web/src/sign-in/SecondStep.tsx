import { PrivacyError } from "@dosimeter/core";
import { Button } from "@mantine/core";
import { useChange } from "../api/connection.ts";
import { Fault } from "../parts/Pending.tsx";
import { AppSecret, CodeForm } from "../second-factor/codes.tsx";

type Need = "code" | "start";

/** What a right password still needs: a code, or an app that is set up first. Null where it is no such refusal. */
export function needOf(error: unknown): Need | null {
  if (!(error instanceof PrivacyError && error.code === "SECOND_FACTOR")) return null;
  return error.details.need === "start" ? "start" : "code";
}

interface Given {
  readonly email: string;
  readonly password: string;
}

export function SecondStep({
  step: { given, need },
  isBusy,
  onEnter,
  onBack,
}: {
  step: { readonly given: Given; readonly need: Need };
  isBusy: boolean;
  onEnter: (secret: Given & { readonly code: string }) => void;
  onBack: () => void;
}) {
  const { email, password } = given;
  const start = useChange((client) => client.startSecondFactor({ email, password }));
  const form = <CodeForm action="Sign in" isBusy={isBusy} onCode={(code) => onEnter({ email, password, code })} />;
  return (
    <div className="stack gap-16">
      {need === "code" ? (
        form
      ) : start.data === undefined ? (
        <>
          <p className="flush">
            Your password alone is not enough here. Set up an authenticator app once; it shows a code for each sign-in.
          </p>
          <Fault error={start.error} />
          <Button size="md" loading={start.isPending} onClick={() => start.mutate(undefined)}>
            Set up an authenticator app
          </Button>
        </>
      ) : (
        <>
          <AppSecret of={start.data} />
          {form}
        </>
      )}
      <Button variant="default" onClick={onBack}>
        Back
      </Button>
    </div>
  );
}
