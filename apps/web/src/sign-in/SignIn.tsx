import type { Input, Visit } from "@dosimeter/client";
import { Button } from "@mantine/core";
import { getRouteApi, useNavigate, useRouterState } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { useContinueAs, useSession, useSignIn, useSignInWays } from "../api/session.ts";
import { Form } from "../parts/Form.tsx";
import { Notice } from "../parts/Notice.tsx";
import { Fault } from "../parts/Pending.tsx";
import { RecoveryCodes } from "../second-factor/codes.tsx";
import { ByPassword, NewPassword } from "./ByPassword.tsx";
import { DemoEnded, Doorway } from "./Doorway.tsx";
import { SecretField } from "./Fields.tsx";
import { needOf, SecondStep } from "./SecondStep.tsx";

/** One button for each person of the demo; offered only to a browser on the server's own machine. */
export function Faces({ people, onIn }: { people: Visit["demoPeople"]; onIn: () => Promise<void> }) {
  const go = useContinueAs();
  return (
    <section className="stack gap-12" aria-label="People of the demo">
      {people.map(({ id, name, description }) => (
        <button
          key={id}
          type="button"
          className="face"
          disabled={go.isPending}
          onClick={() => {
            go.mutateAsync(id).then(onIn, () => undefined); // shown from `go.error`
          }}
        >
          <strong>Continue as {name}</strong>
          <span className="soft small">{description}</span>
        </button>
      ))}
      <Fault error={go.error} />
    </section>
  );
}

const route = getRouteApi("/sign-in");

/** What is behind the # of the address, which no server logs: the secret of a link, which signs in or sets a new password. */
export function SignIn() {
  // Also when the link is opened in a tab that shows this page already: only what is behind the # changes then.
  const hash = useRouterState({ select: (state) => state.location.hash });
  return hash.startsWith("dsp_") ? <NewPassword key={hash} link={hash} /> : <Ways hash={hash} />;
}

/** Signs in by a one-time link, a password or a token, and leads to providers. */
function Ways({ hash }: { hash: string }) {
  const search = route.useSearch();
  const navigate = useNavigate();
  const session = useSession();
  const signIn = useSignIn();
  const ways = useSignInWays();
  const isUsed = useRef("");
  const { mutateAsync } = signIn;
  const [step, setStep] = useState<Parameters<typeof SecondStep>[0]["step"] | null>(null);
  const [recovery, setRecovery] = useState<readonly string[] | null>(null);

  const goOn = () => navigate({ href: pathOf(search.next), replace: true });

  // A promise, because a callback of the mutation would be lost if the page were drawn again in the meantime.
  const enter = (secret: Input<"signIn">) => {
    mutateAsync(secret).then(
      ({ recoveryCodes }) => (recoveryCodes === undefined ? goOn() : setRecovery(recoveryCodes)),
      (error) => {
        const need = needOf(error); // all else is shown from `signIn.error`
        if (need !== null && "email" in secret && !("invitation" in secret)) setStep({ given: secret, need });
      },
    );
  };

  // A link works once: React runs effects twice in development, the link must be sent once.
  useEffect(() => {
    const secret = search.link ?? decodeURIComponent(hash.replace(/^#/, ""));
    if (secret === "" || isUsed.current === secret) return;
    isUsed.current = secret;
    enter({ link: secret });
  });

  const faces = session.data?.demoPeople ?? [];
  const isDemo = session.data?.demo === "on";
  const hasPasswords = ways.data?.password ?? true;
  const others = (
    <>
      {hasPasswords ? (
        <ByPassword isBusy={signIn.isPending} sendsMail={ways.data?.mail ?? false} onEnter={enter} />
      ) : null}
      <details>
        <summary>Sign in with a token</summary>
        <ByToken isBusy={signIn.isPending} onEnter={enter} />
      </details>
    </>
  );
  if (recovery !== null)
    return (
      <Doorway title="Keep your recovery codes" lead="You are signed in, and your second factor is set up.">
        <RecoveryCodes codes={recovery} />
        <Button size="md" onClick={() => void goOn()}>
          I have kept them
        </Button>
      </Doorway>
    );
  if (step !== null)
    return (
      <Doorway title="Your second factor" lead={`For ${step.given.email}.`}>
        {signIn.error && needOf(signIn.error) === null ? <Fault error={signIn.error} /> : null}
        <SecondStep step={step} isBusy={signIn.isPending} onEnter={enter} onBack={() => setStep(null)} />
      </Doorway>
    );
  return (
    <Doorway title="Sign in" lead={leadOf(faces.length > 0, hasPasswords)}>
      {search.problem === undefined ? null : (
        <Notice tone="danger" title="You were not signed in" isAlert>
          <p>{search.problem}</p>
        </Notice>
      )}
      {search.ended === undefined ? null : (
        <Notice tone="warn" title="Your session has ended" isAlert>
          <p>What you typed is kept. Sign in to go on where you were.</p>
        </Notice>
      )}
      <DemoEnded />
      {signIn.error && needOf(signIn.error) === null ? <Fault error={signIn.error} /> : null}
      {(ways.data?.providers ?? []).map(({ id, name, url }) => (
        <Button
          key={id}
          component="a"
          size="md"
          variant="default"
          href={search.next === undefined ? url : `${url}?next=${encodeURIComponent(search.next)}`}
        >
          Sign in with {name}
        </Button>
      ))}
      {faces.length > 0 ? (
        <>
          <Faces people={faces} onIn={goOn} />
          <details>
            <summary>Sign in with a password or a token</summary>
            <div className="stack below-16">{others}</div>
          </details>
        </>
      ) : (
        <>
          {others}
          {isDemo ? (
            <Notice tone="good" title="This is a demo">
              <p>
                The terminal that runs Dosimeter printed one sign-in link per demo person. For new ones run{" "}
                <span className="code unbroken">dosimeter demo links</span>.
              </p>
            </Notice>
          ) : (
            <p className="soft small flush">
              No way in, or a lost password? An admin of the platform adds you and hands you a link, or a team’s admin
              invites you.
            </p>
          )}
        </>
      )}
    </Doorway>
  );
}

function leadOf(hasFaces: boolean, hasPasswords: boolean): string {
  if (hasFaces) return "This is a demo on your own machine.";
  return hasPasswords ? "With a password, a sign-in link, or a token." : "As in your organisation.";
}

function ByToken({ isBusy, onEnter }: { isBusy: boolean; onEnter: (secret: Input<"signIn">) => void }) {
  const [token, setToken] = useState("");
  return (
    <Form
      className="stack gap-12 below-12"
      action="Sign in with the token"
      isRow
      isReady={token.trim() !== ""}
      isBusy={isBusy}
      size="md"
      onSubmit={() => onEnter({ token: token.trim() })}
    >
      <SecretField
        label="Token"
        description="It is sent once, for a session of this browser, and not kept by the page."
        autoComplete="off"
        value={token}
        onChange={setToken}
      />
    </Form>
  );
}

/** Accepts only a path of this site, so that `next` cannot lead to another one. */
const pathOf = (next = "/"): string => (/^\/(?![/\\])/.test(next) ? next : "/");
