import type { Input } from "@dosimeter/client";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { client, isServed } from "./connection.ts";

export const useMe = () =>
  useQuery({ queryKey: ["me"], queryFn: () => client.me(), enabled: isServed, staleTime: 60_000 });

/** After a change of person the page drops all data and loads again what it shows. */
function useChangePerson<Given, Result>(mutationFn: (given: Given) => Promise<Result>) {
  const queries = useQueryClient();
  return useMutation({ mutationFn, onSuccess: () => queries.resetQueries() });
}

export const useSignIn = () => useChangePerson((secret: Input<"signIn">) => client.signIn(secret));

export const useSignOut = () => useChangePerson(() => client.signOut());

export const useViewAs = () => useChangePerson((person: string) => client.viewAs({ person }));

export const useSignInWays = () =>
  useQuery({ queryKey: ["ways"], queryFn: () => client.signInWays(), enabled: isServed, staleTime: Infinity });
