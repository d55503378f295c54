import type { Agent, Output } from "@dosimeter/client";
import { Button } from "@mantine/core";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { useChange } from "../api/connection.ts";
import { useAgents, useMcpClient } from "../api/people.ts";
import { Form } from "../parts/Form.tsx";
import { Choice } from "../parts/fields.tsx";
import { Notice } from "../parts/Notice.tsx";
import { Card, Facts, Page } from "../parts/Page.tsx";
import { Pending } from "../parts/Pending.tsx";
import { useInFront } from "../parts/use-in-front.ts";

const route = getRouteApi("/connect");

const rights = {
  read: "see what that agent may see",
  release: "quote, spend from that agent’s budgets, ask for more",
} as const;

type Program = Output<"showMcpClient">;

/** Where an MCP client sends a person who is to let it in, as one of their AI agents and never as themselves. */
export function LetIn() {
  const { asked = "" } = route.useSearch();
  const program = useMcpClient(asked);
  const agents = useAgents();
  return (
    <Page title="Let a program in" lead="As one of the AI agents that act for you, within the limits of that agent.">
      <Card>
        <Pending of={program}>
          {(program) => (
            <Pending of={agents}>
              {(all) => (
                <Asking asked={asked} program={program} agents={all.filter(({ removedAt }) => removedAt === null)} />
              )}
            </Pending>
          )}
        </Pending>
        {program.error ? <p>Nothing was let in. Begin again in the program that sent you here.</p> : null}
      </Card>
    </Page>
  );
}

function Asking({ asked, program, agents }: { asked: string; program: Program; agents: readonly Agent[] }) {
  const { name, returnsTo, isHere, scopes: held, refused } = program;
  const [agent, setAgent] = useState(agents[0]?.id ?? "");
  const [days, setDays] = useState("30");
  const isInFront = useInFront();
  const letIn = useChange((client, _: undefined) => client.letMcpClientIn({ agent, asked, days: Number(days) }));
  const refuse = (
    <Button variant="default" component="a" href={refused}>
      Refuse
    </Button>
  );
  return (
    <div className="stack narrow">
      <p className="flush">
        A program that calls itself <strong>{<bdi>{name}</bdi>}</strong> asks to be let in. Anyone can give a program
        this name: go on only if you began this yourself, a moment ago.
      </p>
      <Facts
        of={{
          "Its token goes to": (
            <>
              <span className="code anywhere">{returnsTo}</span>
              {isHere ? ", a program on this computer" : ""}
            </>
          ),
          "It may": held.map((scope) => rights[scope]).join("; "),
          "It may never": "act as you, take more than the agent may, or confirm what waits for your click",
        }}
      />
      {agents.length === 0 ? (
        <>
          <Notice tone="warn" title="No AI agent acts for you">
            <p>
              An admin of the platform makes one under People, or with{" "}
              <span className="code anywhere">dosimeter person create "My agent" --kind agent --for "My name"</span>.
              Then begin again in the program.
            </p>
          </Notice>
          <div>{refuse}</div>
        </>
      ) : (
        <Form
          className="stack gap-12"
          action="Let it in"
          beside={refuse}
          change={letIn}
          isBusy={letIn.isPending || letIn.isSuccess}
          onSubmit={() => {
            if (isInFront()) letIn.mutate(undefined, { onSuccess: ({ url }) => location.assign(url) });
          }}
        >
          <Choice
            label="It acts as"
            value={agent}
            onChange={setAgent}
            data={agents.map(({ id, name }) => ({ value: id, label: name }))}
          />
          <Choice
            label="For"
            description="You can end it earlier, under Settings."
            value={days}
            onChange={setDays}
            data={{ 1: "a day", 7: "a week", 30: "30 days", 90: "90 days" }}
          />
        </Form>
      )}
    </div>
  );
}
