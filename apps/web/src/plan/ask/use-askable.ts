import { useState } from "react";
import { withStorage } from "../../api/copies.ts";

/** A dataset that may be asked, and the account that pays. */
export interface Askable {
  readonly id: string;
  readonly name: string;
  readonly account: string;
}

const KEY = "dosimeter-ask";

/** The dataset that is asked: the one chosen last, or else the first. */
export function useAskable(datasets: readonly Askable[]): readonly [Askable | undefined, (id: string) => void] {
  const [remembered, setRemembered] = useState(() => withStorage((storage) => storage.getItem(KEY)));
  const remember = (id: string): void => {
    withStorage((storage) => storage.setItem(KEY, id));
    setRemembered(id);
  };
  return [datasets.find(({ id }) => id === remembered) ?? datasets[0], remember];
}
