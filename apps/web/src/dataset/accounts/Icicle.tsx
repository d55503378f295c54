import type { Account, Ledger } from "@dosimeter/client";
import { formatAmount, type IcicleCell, icicleCells, icicleChart } from "@dosimeter/plot";
import { Button } from "@mantine/core";
import { type KeyboardEvent, type PointerEvent, useRef, useState } from "react";
import { useChange } from "../../api/connection.ts";
import { Amount, formatRoom } from "../../parts/Amount.tsx";
import { Figure } from "../../parts/Figure.tsx";
import { Fault } from "../../parts/Pending.tsx";
import {
  after,
  type Boundary,
  boundariesOf,
  limitsOf,
  type Shift,
  shiftBy,
  shifted,
  stepOf,
  transferOf,
} from "./boundary.ts";
import { icicleOf } from "./tree.ts";

interface BoundaryHandleProps {
  of: Boundary;
  /** How far it has been moved so far. */
  shift: Shift | null;
  onShift: (shift: Shift | null) => void;
}

/** The boundary between two accounts: dragged, or moved with the arrow keys. Nothing is changed until it is confirmed. */
function BoundaryHandle({ of: boundary, shift, onShift }: BoundaryHandleProps) {
  const { left, right, x, y, height } = boundary;
  const held = useRef<{ readonly x: number; readonly units: bigint; readonly scale: number } | null>(null);
  const now = shift ?? shiftBy(boundary, 0n);
  const step = stepOf(boundary);
  const [least, most] = limitsOf(boundary);
  const move = (units: bigint) => onShift(shiftBy(boundary, units));
  const onKeyDown = (event: KeyboardEvent) => {
    const to: Readonly<Record<string, bigint>> = {
      ArrowLeft: now.units - step,
      ArrowDown: now.units - step,
      ArrowRight: now.units + step,
      ArrowUp: now.units + step,
      Home: least,
      End: most,
    };
    const units = to[event.key];
    if (units === undefined && event.key !== "Escape") return;
    event.preventDefault();
    if (units === undefined) onShift(null);
    else move(units);
  };
  const onPointerMove = (event: PointerEvent) => {
    const from = held.current;
    if (from === null) return;
    const steps = Math.round(((event.clientX - from.x) * from.scale * 1e12) / Number(step));
    move(from.units + BigInt(steps) * step);
  };
  const sides = after(now);
  const start = Number(left.quota.epsilon);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a rule separates, this one is moved and has a value
    <div
      role="separator"
      tabIndex={0}
      className="boundary"
      style={{ left: x - 6, top: y, height }}
      aria-orientation="vertical"
      aria-label={`Boundary between ${left.name} and ${right.name}`}
      aria-valuemin={start - Number(left.free.epsilon)}
      aria-valuemax={start + Number(right.free.epsilon)}
      aria-valuenow={Number(sides.left)}
      aria-valuetext={`${left.name} ε ${formatRoom(sides.left)}, ${right.name} ε ${formatRoom(sides.right)}`}
      onKeyDown={onKeyDown}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        held.current = { x: event.clientX, units: now.units, scale: boundary.scale };
      }}
      onPointerMove={onPointerMove}
      onPointerUp={() => {
        held.current = null;
      }}
      onPointerCancel={() => {
        held.current = null;
      }}
    />
  );
}

const CAPTION =
  "Each row shows what the row above gave out. The bar in a box shows how much of it was spent and how much was given on.";

interface IcicleProps {
  ledger: Ledger;
  accounts: readonly Account[];
  chosen: string | null;
  onChoose: (account: string) => void;
}

/** The tree as a picture whose cells are buttons: arrow keys move, Enter chooses. Boundaries of accounts that I give out can be dragged. */
export function Icicle({ ledger, accounts, chosen, onChoose }: IcicleProps) {
  const [shift, setShift] = useState<Shift | null>(null);
  const drawn = icicleOf(ledger, accounts);
  const spec = shifted(drawn, shift);
  const cells = useRef(new Map<string, HTMLButtonElement>());
  const walk = (event: KeyboardEvent, all: readonly IcicleCell[], cell: IcicleCell) => {
    const next = nextCell(event.key, all, cell);
    if (next === undefined) return;
    event.preventDefault();
    cells.current.get(next.id)?.focus();
  };
  const mayMove = boundariesOf(icicleCells(drawn, { width: 1000 }), accounts).length > 0;
  const isMoved = ({ left, right }: Pick<Shift, "left" | "right">) =>
    shift !== null && shift.left.id === left.id && shift.right.id === right.id;
  const picture = (
    <Figure
      chart={(size) => icicleChart(spec, size)}
      caption={mayMove ? `${CAPTION} Drag the line between two boxes to move budget from one to the other.` : CAPTION}
      overlay={(width) => {
        const all = icicleCells(spec, { width }).filter(({ depth }) => depth > 0);
        const cellButtons = all.map((cell, index) => (
          <button
            key={cell.id}
            type="button"
            className="icicle-cell"
            ref={(element) => {
              if (element === null) cells.current.delete(cell.id);
              else cells.current.set(cell.id, element);
            }}
            style={{ left: cell.x, top: cell.y, width: Math.max(10, cell.width - 2), height: cell.height }}
            aria-label={spentOf(cell)}
            title={spentOf(cell)}
            aria-pressed={cell.id === chosen}
            tabIndex={cell.id === chosen || (chosen === null && index === 0) ? 0 : -1}
            onClick={() => onChoose(cell.id)}
            onKeyDown={(event) => walk(event, all, cell)}
          />
        ));
        const movable = boundariesOf(all, accounts).filter((one) => shift === null || isMoved(one));
        return [
          ...cellButtons,
          ...movable.map((boundary) => (
            <BoundaryHandle
              key={`${boundary.left.id} ${boundary.right.id}`}
              of={boundary}
              shift={isMoved(boundary) ? shift : null}
              onShift={setShift}
            />
          )),
        ];
      }}
    />
  );
  return (
    <>
      {picture}
      {shift === null ? null : <Reallocate shift={shift} onDone={() => setShift(null)} />}
    </>
  );
}

/** A narrow box has no room for it, so it is on hover too. */
const spentOf = ({ node }: IcicleCell): string =>
  `${node.label}: ${formatAmount(node.spent, "up")} of ${formatAmount(node.total, "down")} spent`;

/** Left and right along a row, up and down the tree. */
function nextCell(key: string, all: readonly IcicleCell[], cell: IcicleCell): IcicleCell | undefined {
  const row = (depth: number) => all.filter((other) => other.depth === depth).toSorted((a, b) => a.x - b.x);
  const middle = cell.x + cell.width / 2;
  switch (key) {
    case "ArrowLeft":
      return row(cell.depth).findLast(({ x }) => x < cell.x);
    case "ArrowRight":
      return row(cell.depth).find(({ x }) => x > cell.x);
    case "ArrowUp":
      return row(cell.depth - 1).find(({ x, width }) => x <= middle && middle <= x + width);
    case "ArrowDown":
      return row(cell.depth + 1).find(({ x, width }) => x >= cell.x - 1 && x + width <= cell.x + cell.width + 1);
    default:
      return undefined;
  }
}

/** A moved boundary: both accounts before and after, and the one button that makes it so. */
function Reallocate({ shift, onDone }: { shift: Shift; onDone: () => void }) {
  const transfer = transferOf(shift);
  const move = useChange((client, { from, to, epsilon }: NonNullable<typeof transfer>) =>
    client.transferQuota({ account: from.id, to: to.id, epsilon }),
  );
  const sides = after(shift);
  const rows = [
    { account: shift.left, epsilon: sides.left },
    { account: shift.right, epsilon: sides.right },
  ];
  return (
    <section className="reallocate" aria-label="Moved boundary">
      <ul aria-live="polite">
        {rows.map(({ account, epsilon }) => (
          <li key={account.id}>
            {account.name}: <Amount unit="ε" isRoom of={account.quota.epsilon} /> →{" "}
            <strong>
              <Amount unit="ε" isRoom of={epsilon} />
            </strong>
          </li>
        ))}
      </ul>
      <div className="page-actions">
        <Button
          size="xs"
          disabled={transfer === null}
          loading={move.isPending}
          onClick={() => (transfer === null ? undefined : move.mutate(transfer, { onSuccess: onDone }))}
        >
          {transfer === null
            ? "Nothing moves"
            : `Move ε ${formatRoom(transfer.epsilon)} from ${transfer.from.name} to ${transfer.to.name}`}
        </Button>
        <Button size="xs" variant="default" onClick={onDone}>
          Put it back
        </Button>
      </div>
      <Fault error={move.error} />
    </section>
  );
}
