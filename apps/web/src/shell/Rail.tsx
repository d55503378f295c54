import { useMantineColorScheme } from "@mantine/core";
import { IconBook, IconLogin, IconLogout, IconSearch } from "@tabler/icons-react";
import { Link, useNavigate, useRouterState } from "@tanstack/react-router";
import { useEffect, useId } from "react";
import { useFreshWhenNotified, useNotifications } from "../api/service.ts";
import { useMe, useSession, useSignOut, useViewAs } from "../api/session.ts";
import { explorePages } from "../explore/pages.ts";
import { mode } from "../mode.ts";
import { Mark } from "../parts/Mark.tsx";
import { DOCS, pagesFor } from "./pages.ts";
import "../notifications/notifications.css";

interface ShellKeys {
  readonly onFind: () => void;
  readonly onPlan: () => void;
  readonly onKeys: () => void;
}

const TYPING = "input, textarea, select, [contenteditable], [role=grid], [role=textbox]";

/** What the key that finds is called on this machine. */
const FIND_KEYS = /Mac|iPhone|iPad/.test(navigator.platform) ? "⌘K" : "Ctrl K";

/** Keys that work on every page, unless the page has taken them: Ctrl+K anywhere, `N` and `?` outside fields and grids. */
export function useKeys({ onFind, onPlan, onKeys }: ShellKeys): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const { key, target } = event;
      const isFind = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && key.toLowerCase() === "k";
      const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey && !event.repeat;
      const isTyping = target instanceof Element && target.closest(TYPING) !== null;
      const run = isFind ? onFind : isPlain && !isTyping ? { n: onPlan, N: onPlan, "?": onKeys }[key] : undefined;
      if (run === undefined || event.defaultPrevented) return;
      event.preventDefault();
      if (document.querySelector("[role=dialog][aria-modal=true], dialog[open]") === null) run();
    };
    // After the page's own keys, which listen on the document.
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [onFind, onPlan, onKeys]);
}

/** The side bar: navigation, the person, and the theme. */
export function Rail({ onChosen, onFind }: { onChosen?: () => void; onFind: () => void }) {
  const me = useMe();
  const path = useRouterState({ select: (state) => state.location.pathname });
  const notifications = useNotifications();
  useFreshWhenNotified();
  const unread = notifications.data?.pages[0]?.unread ?? 0;
  const link = ({ to, title, Icon }: ReturnType<typeof pagesFor>[number], count = 0) => (
    <li key={to}>
      <Link
        to={to}
        className="rail-link"
        activeOptions={{ exact: true }}
        data-inside={to !== "/" && path.startsWith(`${to}/`) ? true : undefined}
        onClick={onChosen}
      >
        <Icon size={19} stroke={1.7} aria-hidden /> {title}
        {count > 0 ? (
          <span className="bell-count">
            {count > 99 ? "99+" : count}
            <span className="visually-hidden"> unread</span>
          </span>
        ) : null}
      </Link>
    </li>
  );
  const brand = (
    <Link to="/" className="brand" onClick={onChosen}>
      <Mark /> Dosimeter
    </Link>
  );
  // What it offers depends on who is there: nothing in it moves when that arrives.
  if (me.isLoading)
    return (
      <aside className="rail" aria-label="Dosimeter">
        {brand}
      </aside>
    );
  return (
    <aside className="rail" aria-label="Dosimeter">
      {brand}
      <div className="rail-search">
        <button type="button" className="rail-find" onClick={onFind}>
          <IconSearch size={17} stroke={1.7} aria-hidden /> Find or do <kbd>{FIND_KEYS}</kbd>
        </button>
      </div>
      <nav aria-label="Main">
        <ul>
          {pagesFor(me.data).map((page) => link(page, page.to === "/notifications" ? unread : 0))}
          {path.startsWith("/explore")
            ? explorePages.map((page) => (
                <li key={page.path}>
                  <Link to={`/explore/${page.path}`} className="rail-link rail-sub" onClick={onChosen}>
                    {page.title}
                  </Link>
                </li>
              ))
            : null}
          <li>
            <a className="rail-link" href={DOCS}>
              <IconBook size={19} stroke={1.7} aria-hidden /> Docs
            </a>
          </li>
        </ul>
      </nav>
      <div className="rail-foot">
        {mode === "server" ? <Person /> : null}
        <Scheme />
      </div>
    </aside>
  );
}

function Person() {
  const me = useMe();
  const viewAs = useViewAs();
  const signOut = useSignOut();
  const navigate = useNavigate();
  const id = useId();
  const session = useSession();
  if (me.data === undefined) {
    return (
      <>
        {session.data?.demo === "ended" ? (
          <p className="rail-said">
            The demo’s people can no longer sign in, because a real person was added. <Link to="/sign-in">Ways in</Link>
          </p>
        ) : null}
        <Link to="/sign-in" className="rail-button">
          <IconLogin size={18} aria-hidden /> Sign in
        </Link>
      </>
    );
  }
  const people = me.data.demoPeople ?? [];
  return (
    <>
      {people.length > 0 ? (
        <div>
          <label htmlFor={id} className="rail-label">
            Viewing as
          </label>
          <select
            id={id}
            value={me.data.person.id}
            disabled={viewAs.isPending}
            onChange={(event) => {
              viewAs.mutateAsync(event.currentTarget.value).then(
                () => navigate({ to: "/" }),
                () => undefined,
              );
            }}
          >
            {people.map((person) => (
              <option key={person.id} value={person.id}>
                {person.name}
              </option>
            ))}
          </select>
        </div>
      ) : (
        <div>
          <span className="rail-label">Signed in as</span>
          {me.data.person.name}
        </div>
      )}
      <button
        type="button"
        className="rail-button"
        disabled={signOut.isPending}
        onClick={() => {
          // Promises: a callback of the mutation is lost where the side bar goes with the person.
          signOut.mutateAsync(undefined).then(
            () => navigate({ to: "/sign-in" }),
            () => undefined,
          );
        }}
      >
        <IconLogout size={18} aria-hidden /> Sign out
      </button>
    </>
  );
}

const schemes = { light: "Light", dark: "Dark", auto: "Auto" } as const;

function Scheme() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const name = useId();
  return (
    <div>
      <span className="rail-label" id={name}>
        Appearance
      </span>
      <div className="scheme" role="radiogroup" aria-labelledby={name}>
        {(Object.keys(schemes) as (keyof typeof schemes)[]).map((scheme) => (
          <label key={scheme}>
            <input type="radio" name={name} checked={colorScheme === scheme} onChange={() => setColorScheme(scheme)} />
            {schemes[scheme]}
          </label>
        ))}
      </div>
    </div>
  );
}
