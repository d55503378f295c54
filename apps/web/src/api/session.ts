import type { Input, Me, Visit } from "@dosimeter/client";
import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { client, isServed, queryClient } from "./connection.ts";
import { copiesOf, dropCopy, sendAll, withTab } from "./copies.ts";

/** A field takes its text when it is left: before the sign-in stands in its place. */
function leaveField(): void {
  if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
}

export const sessionQuery = queryOptions({
  queryKey: ["session"],
  queryFn: async () => {
    const visit = await client.showSession();
    if (!visit.me && queryClient.getQueryData<Visit>(["session"])?.me) leaveField();
    return visit;
  },
  enabled: isServed,
  staleTime: 60_000,
});

/** Who is signed in, and the ways in that are open. */
export const useSession = () => useQuery(sessionQuery);

const meOf = ({ me }: Visit): Me | undefined => me ?? undefined;

/** Who is signed in; no data where no one is. */
export const useMe = () => useQuery({ ...sessionQuery, select: meOf });

/** What open pages have not sent yet is sent first. After a change of person the page drops all data and loads again what it shows. */
export function useChangePerson<Given, Result>(change: (given: Given) => Promise<Result>) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (given: Given) => {
      await sendAll();
      return change(given);
    },
    onSuccess: () => queries.resetQueries(),
  });
}

export const useSignIn = () => useChangePerson((secret: Input<"signIn">) => client.signIn(secret));

export const useCreateFirstAdmin = () =>
  useChangePerson((given: Input<"createFirstAdmin">) => client.createFirstAdmin(given));

export const useResetPassword = () => useChangePerson((given: Input<"resetPassword">) => client.resetPassword(given));

export const useContinueAs = () => useChangePerson((person: string) => client.continueAs({ person }));

/** Nothing of the person stays in this browser. */
export function useSignOut() {
  const queries = useQueryClient();
  return useChangePerson(async () => {
    const person = queries.getQueryData<Visit>(sessionQuery.queryKey)?.me?.person.id;
    const out = await client.signOut();
    for (const copy of copiesOf(person ?? "")) dropCopy(copy);
    withTab((storage) => storage.clear());
    return out;
  });
}

export const useViewAs = () => useChangePerson((person: string) => client.viewAs({ person }));

export const useSignInWays = () =>
  useQuery({ queryKey: ["ways"], queryFn: () => client.signInWays(), enabled: isServed, staleTime: Infinity });
