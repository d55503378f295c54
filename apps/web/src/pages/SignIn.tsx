import { Button, PasswordInput } from "@mantine/core";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { useHealth, useSignIn } from "../api.ts";
import { Notice } from "../parts/Notice.tsx";
import { Fault } from "../parts/Pending.tsx";
import { Mark } from "../shell/Mark.tsx";

const route = getRouteApi("/sign-in");

/** Signs in by a one-time link (its secret stands behind the #, where no server logs it) or by a token. */
export function SignIn() {
  const search = route.useSearch();
  const navigate = useNavigate();
  const health = useHealth();
  const signIn = useSignIn();
  const [token, setToken] = useState("");
  const isUsed = useRef(false);
  const { mutateAsync } = signIn;

  useEffect(() => {
    document.title = "Sign in · Dosimeter";
  }, []);

  // The promise outlives this page: a callback of the mutation would be lost if the page were drawn anew meanwhile.
  const enter = (secret: { readonly link: string } | { readonly token: string }) => {
    mutateAsync(secret).then(
      () => navigate({ to: search.next ?? "/", replace: true }),
      () => undefined, // shown from `signIn.error`
    );
  };

  // A link works once: React runs effects twice in development, the link must be sent once.
  useEffect(() => {
    const secret = search.link ?? decodeURIComponent(location.hash.replace(/^#/, ""));
    if (secret === "" || isUsed.current) return;
    isUsed.current = true;
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
          No account? <Link to="/explore">Explore the mathematics</Link>: it needs none.
        </p>
      </section>
      <main id="page" className="sign-in-form" tabIndex={-1}>
        <div>
          <div>
            <h1>Sign in</h1>
            <p className="soft" style={{ margin: "8px 0 0" }}>
              Open the sign-in link you were given, or paste a token.
            </p>
          </div>
          {signIn.error ? <Fault error={signIn.error} /> : null}
          {health.data?.demo ? (
            <Notice tone="good" title="This is a demo">
              <p>
                The terminal that runs Dosimeter printed one sign-in link per demo person. For new ones run{" "}
                <span className="code unbroken">dosimeter demo links</span>.
              </p>
            </Notice>
          ) : null}
          <form
            onSubmit={(event) => {
              event.preventDefault();
              if (token.trim() !== "") enter({ token: token.trim() });
            }}
            className="stack"
            style={{ gap: 14 }}
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
              Sign in
            </Button>
          </form>
        </div>
      </main>
    </div>
  );
}
