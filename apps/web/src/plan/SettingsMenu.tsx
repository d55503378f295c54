import { Button, Popover } from "@mantine/core";
import { IconSettings } from "@tabler/icons-react";
import { type ReactNode, useRef, useState } from "react";
import { CardPlace } from "./HelpCard.tsx";
import { PlanSettings } from "./PlanSettings.tsx";
import type { Planner } from "./use-planner.ts";

/** The settings of the plan, below their button; open at first. */
export function SettingsMenu({ planner, children }: { planner: Planner; children: ReactNode }) {
  const [isOpen, setOpen] = useState(true);
  const [place, setPlace] = useState<HTMLElement | null>(null);
  const button = useRef<HTMLButtonElement>(null);
  return (
    <Popover
      opened={isOpen}
      onChange={setOpen}
      onClose={() => button.current?.focus()}
      width="min(560px, calc(100vw - 32px))"
      position="bottom-end"
      shadow="md"
      trapFocus
      withinPortal={false}
    >
      <Popover.Target>
        <Button
          ref={button}
          variant="default"
          leftSection={<IconSettings size={16} aria-hidden />}
          onClick={() => setOpen((before) => !before)}
        >
          Settings
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label="Settings of the plan">
        <CardPlace value={place}>
          <PlanSettings planner={planner}>{children}</PlanSettings>
        </CardPlace>
        <div ref={setPlace} />
      </Popover.Dropdown>
    </Popover>
  );
}
