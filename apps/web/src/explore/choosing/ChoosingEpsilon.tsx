import { Page } from "../../parts/Page.tsx";
import { Epsilon } from "../epsilon/Epsilon.tsx";
import { useFields } from "../risk/fields.tsx";
import { Chooser } from "./Chooser.tsx";
import { chooserFields } from "./chooser-state.ts";

/** Explore → Choosing ε: what an ε does, then the questions that narrow a range of it. */
export function ChoosingEpsilon() {
  const state = useFields(chooserFields);
  return (
    <Page
      title="Choosing ε"
      lead="A larger ε gives smaller errors and tells more about each person. Four steps and five factors narrow a range; no formula makes the choice."
      crumbs="Explore"
    >
      <div className="stack">
        <Chooser state={state} first={<Epsilon />} />
      </div>
    </Page>
  );
}
