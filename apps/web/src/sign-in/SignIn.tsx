import type { Input } from "@dosimeter/client";
import { Button, PasswordInput, TextInput } from "@mantine/core";
import { getRouteApi, Link, useNavigate, useRouterState } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { useChange } from "../api/change.ts";
import { useHealth } from "../api/service.ts";
import { useSignIn, useSignInWays } from "../api/session.ts";
import { Notice } from "../parts/Notice.tsx";
import { Fault } from "../parts/Pending.tsx";
import { Mark } from "../shell/Mark.tsx";
import "./sign-in.css";

const route = getRouteApi("/sign-in");

/** Signs in by a one-time link (its secret is in the fragment of the address, which no server logs) or by a token. */
export function SignIn() {
  const search = route.useSearch();
  const navigate = useNavigate();
  const health = useHealth();
  const signIn = useSignIn();
  const ways = useSignInWays();
  // Also when the link is opened in a tab that shows this page already: only what is behind the # changes then.
  const hash = useRouterState({ select: (state) => state.location.hash });
  const [token, setToken] = useState("");
  const isUsed = useRef("");
  const { mutateAsync } = signIn;

  useEffect(() => {
    document.title = "Sign in · Dosimeter";
  }, []);

  // A promise, because a callback of the mutation would be lost if the page were drawn again in the meantime.
  const enter = (secret: Input<"signIn">) => {
    mutateAsync(secret).then(
      () => navigate({ href: pathOf(search.next), replace: true }),
      () => undefined, // shown from `signIn.error`
    );
  };

  // A link works once: React runs effects twice in development, the link must be sent once.
  useEffect(() => {
    const secret = search.link ?? decodeURIComponent(hash.replace(/^#/, ""));
    if (secret === "" || isUsed.current === secret) return;
    isUsed.current = secret;
    enter({ link: secret });
  });

  return (
    <div className="sign-in">
      <section className="sign-in-story" aria-label="About Dosimeter">
        <div className="brand" style={{ padding: 0 }}>
          <Mark size={36} /> Dosimeter
        </div>
        <blockquote>
          A dataset has one lifetime budget of privacy. Dosimeter measures every dose, and never lets it be exceeded.
        </blockquote>
        <p className="small">
          No way in? An admin of the platform adds you and hands you a sign-in link, or a team’s admin invites you.
        </p>
        <p className="small">
          No account? <Link to="/explore">Explore the mathematics</Link>: it needs none.
        </p>
      </section>
      <main id="page" className="sign-in-form" tabIndex={-1}>
        <div>
          <div>
            <h1>Sign in</h1>
            <p className="soft" style={{ margin: "8px 0 0" }}>
              With a password, a sign-in link, or a token.
            </p>
          </div>
          {search.problem === undefined ? null : (
            <Notice tone="danger" title="You were not signed in" isAlert>
              <p>{search.problem}</p>
            </Notice>
          )}
          {signIn.error ? <Fault error={signIn.error} /> : null}
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
          <ByPassword isBusy={signIn.isPending} sendsMail={ways.data?.mail ?? false} onEnter={enter} />
          {health.data?.demo ? (
            <Notice tone="good" title="This is a demo">
              <p>
                The terminal that runs Dosimeter printed one sign-in link per demo person. For new ones run{" "}
                <span className="code unbroken">dosimeter demo links</span>.
              </p>
            </Notice>
          ) : null}
          <details>
            <summary>Sign in with a token</summary>
            <form
              onSubmit={(event) => {
                event.preventDefault();
                if (token.trim() !== "") enter({ token: token.trim() });
              }}
              className="stack"
              style={{ gap: 14, marginTop: 12 }}
            >
              <PasswordInput
                label="Token"
                description="It is sent once, for a session of this browser, and not kept by the page."
                value={token}
                onChange={(event) => setToken(event.currentTarget.value)}
                autoComplete="off"
                spellCheck={false}
                size="md"
                visibilityToggleButtonProps={{ "aria-label": "Show the token" }}
              />
              <Button type="submit" size="md" loading={signIn.isPending} disabled={token.trim() === ""}>
                Sign in with the token
              </Button>
            </form>
          </details>
        </div>
      </main>
    </div>
  );
}

/** Accepts only a path of this site, so that `next` cannot lead to another one. */
const pathOf = (next = "/"): string => (/^\/(?![/\\])/.test(next) ? next : "/");

function ByPassword({
  isBusy,
  sendsMail,
  onEnter,
}: {
  isBusy: boolean;
  sendsMail: boolean;
  onEnter: (secret: Input<"signIn">) => void;
}) {
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const mail = useChange((client) => client.requestSignInLink({ email: email.trim() }));
  const hasEmail = /^[^\s@]+@[^\s@]+$/.test(email.trim());
  return (
    <form
      className="stack"
      style={{ gap: 14 }}
      onSubmit={(event) => {
        event.preventDefault();
        if (hasEmail && password !== "") onEnter({ email: email.trim(), password });
      }}
    >
      <TextInput
        label="E-mail"
        type="email"
        autoComplete="username"
        size="md"
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
      />
      <PasswordInput
        label="Password"
        autoComplete="current-password"
        size="md"
        value={password}
        onChange={(event) => setPassword(event.currentTarget.value)}
        visibilityToggleButtonProps={{ "aria-label": "Show the password" }}
      />
      <Button type="submit" size="md" loading={isBusy} disabled={!hasEmail || password === ""}>
        Sign in
      </Button>
      {sendsMail ? (
        <Button variant="default" disabled={!hasEmail} loading={mail.isPending} onClick={() => mail.mutate(undefined)}>
          Mail me a sign-in link instead
        </Button>
      ) : null}
      {mail.isSuccess ? (
        <p role="status" style={{ margin: 0 }}>
          If this address belongs to a person here, a link was sent to it.
        </p>
      ) : null}
      {mail.error === null ? null : <Fault error={mail.error} />}
    </form>
  );
}
