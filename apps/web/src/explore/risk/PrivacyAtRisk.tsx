import { Button, Tabs } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { toClipboard } from "../../parts/browser.ts";
import { Page } from "../../parts/Page.tsx";
import { Compensation } from "./Compensation.tsx";
import { Composition } from "./Composition.tsx";
import { choiceField } from "./field.ts";
import { useFields } from "./fields.tsx";
import { SampledSensitivity } from "./SampledSensitivity.tsx";
import { WhatEpsilonMeans } from "./WhatEpsilonMeans.tsx";
import "./risk.css";

const panels = {
  meaning: { title: "What does ε mean?", Panel: WhatEpsilonMeans },
  sensitivity: { title: "Sampled sensitivity", Panel: SampledSensitivity },
  compensation: { title: "Compensation budget", Panel: Compensation },
  composition: { title: "Composition", Panel: Composition },
} as const;
type PanelName = keyof typeof panels;
const names = Object.keys(panels) as PanelName[];
const fields = { panel: choiceField(names, "meaning") };

/** Explore → Privacy at risk: every figure and equation of the paper, each with the correct value. */
export function PrivacyAtRisk() {
  const state = useFields(fields);
  const navigate = useNavigate();
  const shown = state.values?.panel ?? "meaning";
  return (
    <Page
      title="Privacy at risk"
      lead="ε in probabilities and in money: every number of the paper as it was published, with the correct value next to it."
      crumbs="Explore"
      actions={<CopyAddress />}
    >
      <Tabs
        value={shown}
        onChange={(name) =>
          void navigate({
            to: ".",
            // Each panel has settings of its own.
            search: (name === "meaning" || name === null ? {} : { panel: name }) as never,
            resetScroll: false,
          })
        }
        keepMounted={false}
      >
        <Tabs.List aria-label="Panels">
          {names.map((name) => (
            <Tabs.Tab key={name} value={name}>
              {panels[name].title}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {names.map((name) => {
          const { Panel } = panels[name];
          return (
            <Tabs.Panel key={name} value={name} pt="lg">
              <div className="stack">
                <Panel />
              </div>
            </Tabs.Panel>
          );
        })}
      </Tabs>
    </Page>
  );
}

function CopyAddress() {
  const [said, say] = useState("Copy the address of this view");
  return (
    <Button
      variant="default"
      size="sm"
      onClick={() =>
        void toClipboard(window.location.href).then((isCopied) =>
          say(isCopied ? "Copied" : "Copy it from the address bar"),
        )
      }
    >
      {said}
    </Button>
  );
}
