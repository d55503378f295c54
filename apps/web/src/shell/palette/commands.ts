import { useMantineColorScheme } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useDataset, useDatasets } from "../../api/datasets.ts";
import { useTeams } from "../../api/people.ts";
import { useSearch } from "../../api/service.ts";
import { useMe, useSignOut } from "../../api/session.ts";
import { tabsOf } from "../../dataset/tabs.ts";
import { explorePages } from "../../explore/pages.ts";
import { findPassages, type PassageIndex } from "../../help/passages.ts";
import { mode } from "../../mode.ts";
import { useAskable } from "../../plan/ask/use-askable.ts";
import { useGrammar } from "../../plan/ask/use-grammar.ts";
import { DOCS, pagesFor } from "../pages.ts";

/** The groups of lines, from top to bottom. */
export const groups = ["Ask", "Do", "Go to", "Found", "Docs", "Search"] as const;
type Group = (typeof groups)[number];

/** A line of the palette: a page to go to, something to do, or a thing that the server found. */
export interface Command {
  readonly group: Group;
  /** Its own in its group: the line stays the same line while others come and go. */
  readonly key: string;
  readonly title: string;
  readonly hint?: string;
  readonly run: () => void;
}

/** The commands whose title or hint has every word of the text; what the server finds comes last. */
export function useCommands(text: string, found: string, onKeys: () => void): readonly Command[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const every = [...useActions(onKeys), ...usePages()];
  const fits = ({ title, hint = "" }: Command) =>
    words.every((word) => `${title} ${hint}`.toLowerCase().includes(word));
  return [...useQuestion(text), ...every.filter(fits), ...useFound(found), ...useAnswers(text)];
}

/** A text that says something of the dataset that was asked last is a question about it, and its first line; any other one is for the docs. */
function useQuestion(text: string): readonly Command[] {
  const navigate = useNavigate();
  const me = useMe();
  const grammar = useGrammar(text.trim().includes(" "));
  const datasets = useDatasets(); // those of the lines below
  const payable = (datasets.data?.pages ?? []).flatMap(({ items }) =>
    items.flatMap(({ id, name, myAccounts: [account] }) => (account === undefined ? [] : [{ id, name, account }])),
  );
  const [asked] = useAskable(payable);
  const isAsked = me.data !== undefined && asked !== undefined && grammar?.looksAsked(text) === true;
  const dataset = useDataset(asked?.id ?? "", isAsked);
  if (!isAsked) return [];
  const declaration = dataset.data === undefined ? null : grammar.declarationOf(dataset.data);
  const read = declaration === null ? null : grammar.understand(text, declaration);
  if (declaration === null || read === null) return [];
  const isWhole = read.missed.length === 0 && read.plan === null && read.rows.length > 0;
  const isAbout =
    (read.plan ?? read.error) !== null || read.parts.some(({ column, groupBy, where }) => column ?? groupBy ?? where);
  if (!isWhole && !isAbout) return [];
  const said = isWhole ? grammar.roughText(read.rows, declaration) : null;
  const to = { to: "/datasets/$dataset", params: { dataset: asked.id }, search: { tab: "overview" } } as const;
  const run = () => void navigate({ ...to, state: { ask: { text, at: Date.now() } } });
  return [{ group: "Ask", key: asked.id, title: `Ask: ${said ?? text.trim()}`, hint: asked.name, run }];
}

const MIN_ASKED = 3;

/** Where the documentation answers. Its index is loaded when something is typed. */
function useAnswers(text: string): readonly Command[] {
  const isAsked = text.trim().length >= MIN_ASKED;
  const { data: index } = useQuery({
    queryKey: ["passages"],
    queryFn: async (): Promise<PassageIndex> => (await fetch(inDocs("passages.json"))).json(),
    enabled: isAsked,
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (!isAsked || index === undefined) return [];
  return findPassages(index, text).map(({ place, title, says }) => {
    const run = () => location.assign(inDocs(place));
    return { group: "Docs", key: place, title, hint: says, run };
  });
}

const inDocs = (place: string): URL => new URL(`docs/${place}`, document.baseURI);

function useActions(onKeys: () => void): readonly Command[] {
  const navigate = useNavigate();
  const me = useMe();
  const datasets = useDatasets();
  const signOut = useSignOut();
  const { setColorScheme } = useMantineColorScheme();
  const act = (title: string, run: () => void, key = title): Command => ({ group: "Do", key, title, run });
  const all = (datasets.data?.pages ?? []).flatMap(({ items }) => items);
  const grants = all
    .filter(({ myRoles, ledger }) => myRoles.includes("datasetAdmin") && ledger !== null)
    .map(({ id, name }) =>
      act(
        `Give budget to … on ${name}`,
        () =>
          void navigate({
            to: "/datasets/$dataset",
            params: { dataset: id },
            search: { tab: "budget", give: "quota" },
          }),
        `give ${id}`,
      ),
    );
  const plans = all
    .filter(({ myAccounts }) => myAccounts.length > 0)
    .map(({ id, name, myAccounts: [account, another] }) =>
      act(
        `New plan on ${name}`,
        () => {
          const search = account !== undefined && another === undefined ? { account } : {};
          void navigate({ to: "/datasets/$dataset/plan", params: { dataset: id }, search });
        },
        `plan ${id}`,
      ),
    );
  const teams = useTeams(me.data !== undefined);
  const invitations = (teams.data ?? [])
    .filter(({ myRole, closedAt }) => myRole === "teamAdmin" && closedAt === null)
    .map(({ id, name }) =>
      act(
        `Invite someone to ${name}`,
        () => void navigate({ to: "/teams/$team", params: { team: id } }),
        `invite ${id}`,
      ),
    );
  const reports = all
    .filter(({ ledger, myAccounts }) => ledger?.blocks !== undefined && myAccounts.length > 0)
    .map(({ id, name }) =>
      act(
        `Schedule a report on ${name}`,
        () => void navigate({ to: "/datasets/$dataset/reports", params: { dataset: id } }),
        `schedule ${id}`,
      ),
    );
  const own =
    me.data === undefined
      ? [...(mode === "server" ? [act("Sign in", () => void navigate({ to: "/sign-in" }))] : [])]
      : [
          ...plans,
          ...grants,
          ...invitations,
          ...reports,
          act("Export answers to Excel, CSV or PDF", () => void navigate({ to: "/releases" })),
          act("Change my password", () => void navigate({ to: "/settings" })),
          act("New dataset", () => void navigate({ to: "/datasets/new" })),
          act("Ask for budget", () => void navigate({ to: "/requests/new" })),
          act("Sign out", () => void signOut.mutateAsync(undefined).then(() => navigate({ to: "/sign-in" }))),
        ];
  return [
    ...own,
    act("Dark mode", () => setColorScheme("dark")),
    act("Light mode", () => setColorScheme("light")),
    act("Light or dark as the system", () => setColorScheme("auto")),
    act("Show all keys", onKeys),
  ];
}

function usePages(): readonly Command[] {
  const navigate = useNavigate();
  const me = useMe();
  const datasets = useDatasets();
  const parts = (datasets.data?.pages ?? []).flatMap(({ items }) =>
    items.flatMap((dataset) =>
      tabsOf(dataset).map(
        ([tab, { label }]): Command => ({
          group: "Go to",
          key: `${dataset.id} ${tab}`,
          title: `${label} of ${dataset.name}`,
          hint: "dataset",
          run: () => void navigate({ to: "/datasets/$dataset", params: { dataset: dataset.id }, search: { tab } }),
        }),
      ),
    ),
  );
  const go = (to: string, title: string, hint = "page"): Command => ({
    group: "Go to",
    key: to,
    title,
    hint,
    run: () => void navigate({ to }),
  });
  return [
    ...pagesFor(me.data).map(({ to, title }) => go(to, title)),
    {
      group: "Go to",
      key: DOCS,
      title: "Docs",
      hint: "page",
      run: () => location.assign(new URL(DOCS, document.baseURI)),
    },
    ...explorePages.map(({ path, title }) => go(`/explore/${path}`, title, "Explore, without data")),
    ...parts,
  ];
}

function useFound(text: string): readonly Command[] {
  const navigate = useNavigate();
  const { data: me } = useMe();
  const found = useSearch(me === undefined ? "" : text);
  if (text === "" || me === undefined) return [];
  const items = (found.data?.items ?? []).map(
    ({ id, kind, name, hint, path }): Command => ({
      group: "Found",
      key: `${kind} ${id} ${name}`,
      title: name,
      hint,
      run: () => void navigate({ to: path }),
    }),
  );
  const search = () => void navigate({ to: "/search", search: { text } });
  return [...items, { group: "Search", key: "", title: `Search for “${text}”`, hint: "search page", run: search }];
}
