import { PrivacyError } from "@dosimeter/core";
import { Button } from "@mantine/core";
import { useNavigate, useRouterState } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { useCreateFirstAdmin, useSession } from "../api/session.ts";
import { ButtonLink } from "../parts/buttons.tsx";
import { TextField } from "../parts/fields.tsx";
import { Notice } from "../parts/Notice.tsx";
import { Fault, Loading } from "../parts/Pending.tsx";
import { Doorway } from "./Doorway.tsx";
import { EmailField, emailFault, PASSWORD_RULE, passwordFault, SecretField } from "./Fields.tsx";

/** Makes the first admin with the code that the terminal printed: from the link, behind the #, which no server logs, or typed. */
export function FirstAdmin() {
  const session = useSession();
  const create = useCreateFirstAdmin();
  // The link may be pasted into the tab that shows this page: then only the part behind the # changes.
  const given = useRouterState({ select: (state) => state.location.hash });
  return (
    <Doorway title="Create the first admin" lead="You will add people, declare datasets and set their budgets.">
      {session.error ? <Fault error={session.error} retry={() => void session.refetch()} /> : null}
      {session.isLoading ? <Loading /> : null}
      {session.data === undefined || create.isSuccess ? null : session.data.firstAdmin ? (
        <Form key={given} given={given} create={create} />
      ) : (
        <Notice tone="plain" title="This link no longer works">
          <p>
            This platform has an admin already, or the link is older than a day: a restart of the server prints another.
            {session.data.me === null ? " Sign in, or ask an admin to add you." : ""}
          </p>
          <ButtonLink to={session.data.me === null ? "/sign-in" : "/"} size="sm">
            {session.data.me === null ? "Sign in" : "Go home"}
          </ButtonLink>
        </Notice>
      )}
    </Doorway>
  );
}

function Form({ given, create }: { given: string; create: ReturnType<typeof useCreateFirstAdmin> }) {
  const navigate = useNavigate();
  const session = useSession();
  const { reset } = create;
  useEffect(reset, [reset]); // what was wrong with the code before is not wrong with this one
  const [code, setCode] = useState(given);
  const [name, setName] = useState("");
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const isWrong = create.error instanceof PrivacyError && create.error.code === "UNAUTHENTICATED";
  const [isTried, setTried] = useState(false);
  const faults = {
    code: code.trim() === "" ? "Type the code" : undefined,
    name: name.trim() === "" ? "Type your name" : undefined,
    email:
      email.trim() === "" && password !== "" ? "With a password, you need an address to sign in" : emailFault(email),
    password: passwordFault(password),
  };
  const shown = (field: keyof typeof faults): string | undefined => (isTried ? faults[field] : undefined);
  return (
    <form
      className="stack gap-12"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (Object.values(faults).some((fault) => fault !== undefined)) {
          const form = event.currentTarget;
          setTried(true);
          requestAnimationFrame(() => form.querySelector<HTMLElement>("[aria-invalid=true]")?.focus());
          return;
        }
        const optional = {
          ...(email.trim() !== "" ? { email: email.trim() } : {}),
          ...(password === "" ? {} : { password }),
        };
        create.mutateAsync({ code: code.trim(), name: name.trim(), ...optional }).then(
          () => navigate({ to: "/", replace: true }),
          () => void session.refetch(), // shown from `create.error`, or by the page when there is an admin now
        );
      }}
    >
      {given !== "" && !isWrong && code === given ? null : (
        <TextField
          label="Code"
          description="The terminal that runs Dosimeter printed it, and prints a new one at each start."
          error={isWrong ? "This is not the code that the terminal printed last" : shown("code")}
          placeholder="XXXX-XXXX-XXXX-XXXX"
          autoComplete="off"
          spellCheck={false}
          maxLength={200}
          size="md"
          value={code}
          onChange={setCode}
        />
      )}
      <TextField
        label="Your name"
        autoComplete="name"
        error={shown("name")}
        maxLength={200}
        size="md"
        value={name}
        onChange={setName}
      />
      <EmailField
        description="With a password, this is how you sign in next time."
        error={shown("email")}
        value={email}
        onChange={setEmail}
      />
      <SecretField
        error={shown("password")}
        faultOf={passwordFault}
        description={PASSWORD_RULE}
        autoComplete="new-password"
        value={password}
        onChange={setPassword}
      />
      <p className="soft small flush">
        Both may stay empty: <span className="code unbroken">dosimeter person link</span> in the terminal then lets you
        in again.
      </p>
      {create.error === null || isWrong ? null : <Fault error={create.error} />}
      <Button type="submit" size="md" loading={create.isPending}>
        Create the first admin
      </Button>
    </form>
  );
}
