import type { Account, Balance, Ledger } from "@dosimeter/client";
import { blockWord } from "@dosimeter/core";
import { gaugeDial, gaugeTexts, moreText } from "@dosimeter/plot";
import { dialOf } from "../charts.ts";
import { Amount } from "./Amount.tsx";
import { SceneView } from "./SceneView.tsx";
import "./gauge.css";

const widths = { small: 44, large: 176 } as const;

interface GaugeProps {
  title: string;
  balance: Balance;
  free: string;
  more?: Account["more"];
  size?: keyof typeof widths;
  /** What of it programs outside declared. */
  outside?: Ledger["outside"];
  blocks?: Ledger["blocks"];
}

/**
 * The dial of a budget. Spent is gone for good, promised was given to budgets below and is not spent there, free is the rest: together they
 * are the budget. `small` has what is free next to it, for a line or a row; `large` has it inside. `free` is the ε that was not given to an
 * account below; `more` says how many more like the last charge fit. With blocks it is the fullest one: others have more.
 */
export function Gauge({ title, balance, free, more = null, size = "small", outside, blocks }: GaugeProps) {
  const block = blocks === undefined ? null : blockWord(blocks);
  const where = block === null ? "" : ` in the fullest ${block}`;
  const spec = dialOf(`${title}${where}`, balance, { free, more, outside });
  const { scene, summary } = gaugeDial(spec, { width: widths[size] });
  const texts = gaugeTexts(spec);
  const isSplit = spec.promised !== "0";
  const unit = spec.unit === "ε" ? "ε" : "μ²";
  return (
    <div className="gauge" data-size={size}>
      <SceneView scene={scene} label={`${spec.title}. ${summary}`} />
      <p className="gauge-words">
        {size === "large" ? null : (
          <span className="gauge-left">
            <strong>
              <Amount unit={unit} isRoom of={spec.free} as={texts.free} />
            </strong>{" "}
            of <Amount isRoom of={spec.total} as={texts.total} /> free{where}
          </span>
        )}
        {size === "large" && block !== null ? <span className="soft small">free{where}</span> : null}
        {more === null ? null : (
          <span className="gauge-more">
            {block === null ? moreText(more) : `${moreText(more)}, in the same ${block}s`}
          </span>
        )}
        {size === "small" && !isSplit ? null : (
          <span className="soft small">
            <Amount unit={unit} of={spec.spent} as={texts.spent} /> spent
            {size === "small" || spec.declared === undefined || Number(spec.declared) === 0 ? null : (
              <>
                , <Amount unit={unit} of={spec.declared} /> of it outside
              </>
            )}
            {isSplit ? (
              <>
                {" "}
                · <Amount unit={unit} of={spec.promised} as={texts.promised} /> promised
              </>
            ) : null}
          </span>
        )}
      </p>
    </div>
  );
}

/** A small bar of a share in [0, 1]. */
export function Meter({ label, used }: { label: string; used: number }) {
  const percent = Math.round(used * 1000) / 10;
  return (
    <div className="meter" role="img" aria-label={`${label}: ${percent} %`}>
      <span className="meter-spent" style={{ width: `${percent}%` }} />
    </div>
  );
}

export const percentText = (share: number): string => `${Math.round(share * 1000) / 10} %`;
