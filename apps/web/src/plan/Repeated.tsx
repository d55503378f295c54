import { Button } from "@mantine/core";
import { useState } from "react";
import { Amount } from "../parts/Amount.tsx";
import { Card, Facts } from "../parts/Page.tsx";

/** An earlier release, planned again on the present declaration, with its old and new cost. */
export function Repeated({
  given,
  version,
  cost,
  onOpen,
}: {
  given: { readonly release: string; readonly epsilon: string | null };
  version: number;
  cost: string;
  onOpen: () => string | undefined;
}) {
  const [isOpen, setOpen] = useState(false);
  const [fault, setFault] = useState<string>();
  return (
    <Card title="The same plan again">
      {isOpen ? (
        <Facts
          of={{
            "Paid then": given.epsilon === null ? "–" : <Amount unit="ε" of={given.epsilon} />,
            "Costs now": <Amount unit="ε" of={cost} />,
            "Version of the data": String(version),
          }}
        />
      ) : (
        <>
          <p className="soft small flush-top">
            Opens the plan of an earlier release on version {version} of the data. It is paid again and draws new noise.
          </p>
          <Button
            variant="default"
            onClick={() => {
              const refused = onOpen();
              setFault(refused);
              setOpen(refused === undefined);
            }}
          >
            Open the earlier plan
          </Button>
        </>
      )}
      {fault === undefined ? null : <p className="fault">{fault}</p>}
    </Card>
  );
}
