import type { Ledger } from "@dosimeter/client";
import { Amount } from "../parts/Amount.tsx";
import { DataTable } from "../parts/DataTable.tsx";

/** The programs outside that the guarantee relies on, and who vouches for each; nothing where there is none. */
export function Vouched({ outside: { programs, charges, epsilon, delta, mu2 } }: Pick<Ledger, "outside">) {
  if (programs.length === 0) return null;
  return (
    <>
      <p>
        The guarantee holds provided that {programs.length === 1 ? "this program" : "these programs"} did what was
        declared. Their results may be cited; nothing here is derived from them. In{" "}
        {charges === 1 ? "one charge" : `${charges} charges`} they took ε <Amount of={epsilon} />, δ{" "}
        <Amount of={delta} />, μ² <Amount of={mu2} />.
      </p>
      <DataTable
        caption="Programs outside, and who vouches for them"
        isCaptionHidden
        isStacking
        rows={programs}
        keyOf={({ name, person }, index) => `${index} ${person} ${name}`}
        columns={[
          { name: "Program", isHead: true, cell: ({ name }) => name },
          { name: "Who vouches", cell: ({ personName }) => personName },
          { name: "With", cell: ({ tool }) => tool ?? <span className="soft">not said</span> },
          { name: "Charges", isNumber: true, cell: ({ charges: own }) => String(own) },
          { name: "Published before", cell: ({ published }) => published ?? <span className="soft">no</span> },
        ]}
      />
    </>
  );
}
