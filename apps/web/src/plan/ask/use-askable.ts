import { useLocalStorage } from "@mantine/hooks";

/** A dataset that may be asked, and the account that pays. */
export interface Askable {
  readonly id: string;
  readonly name: string;
  readonly account: string;
}

/** The dataset that is asked: the one chosen last, or else the first. */
export function useAskable(datasets: readonly Askable[]): readonly [Askable | undefined, (id: string) => void] {
  const [remembered, remember] = useLocalStorage({
    key: "dosimeter-ask",
    defaultValue: "",
    getInitialValueInEffect: false,
  });
  return [datasets.find(({ id }) => id === remembered) ?? datasets[0], remember];
}
