import type { Account, Balance, Ledger } from "@dosimeter/client";
import { gaugeDial, moreText } from "@dosimeter/plot";
import { dialOf } from "../charts.ts";
import { lessOf } from "../sums.ts";
import { Amount } from "./Amount.tsx";
import { SceneView } from "./SceneView.tsx";
import "./gauge.css";

const widths = { small: 44, large: 176 } as const;

/**
 * The dial of a budget: spent, promised and free. `small` has what is left next to it, for a line or a row; `large` has it inside.
 * `free` is the ε that was not given to an account below; `more` says how many more like the last charge fit.
 */
export function Gauge({
  title,
  balance,
  free,
  more = null,
  size = "small",
  counts = "free",
  outside,
}: {
  title: string;
  balance: Balance;
  free: string | null;
  more?: Account["more"];
  size?: keyof typeof widths;
  /** The amount next to a small dial: what was given to no one, or all that is not spent. */
  counts?: "free" | "left";
  /** What of it programs outside declared. */
  outside?: Ledger["outside"];
}) {
  const spec = dialOf(title, balance, { free, more, outside });
  const { scene, summary } = gaugeDial(spec, { width: widths[size] });
  const isSplit = spec.promised !== "0";
  const unit = spec.unit === "ε" ? "ε" : "μ²";
  return (
    <div className="gauge" data-size={size}>
      <SceneView scene={scene} label={`${title}. ${summary}`} />
      <p className="gauge-words">
        {size === "large" ? null : (
          <span className="gauge-left">
            <strong>
              <Amount unit={unit} isRoom of={counts === "free" ? spec.free : lessOf(spec.total, spec.spent)} />
            </strong>{" "}
            of <Amount isRoom of={spec.total} /> {isSplit && counts === "free" ? "free" : "left"}
          </span>
        )}
        {more === null ? null : <span className="gauge-more">{moreText(more)}</span>}
        {size === "small" && (!isSplit || counts === "left") ? null : (
          <span className="soft small">
            <Amount unit={unit} of={spec.spent} /> spent
            {isSplit ? (
              <>
                {" "}
                · <Amount unit={unit} of={spec.promised} /> promised
              </>
            ) : null}
          </span>
        )}
      </p>
    </div>
  );
}
