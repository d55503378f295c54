import { Dialog } from "../parts/Dialog.tsx";
import { glossary } from "./glossary.ts";

/** Every key of the plan, as the list on "?" shows them. */
export const shortcuts: readonly (readonly [keys: string, does: string])[] = [
  ["Arrows, Home, End", "move between cells"],
  ["Enter or F2", "edit a cell; Enter commits and goes down, Tab commits and goes right"],
  ["Escape", "take the edit back"],
  ["↑ ↓, Page Up, Page Down while editing", "error or share 5 % or 25 % up or down"],
  ["Space", "hold: free, share held, error held"],
  ["Delete, Ctrl+Delete", "clear a cell, remove the row"],
  ["Alt+↑, Alt+↓", "move the row: rows further down give up their share first"],
  ["Ctrl+D", "settings of the row above"],
  ["Ctrl+V", "paste rows from a spreadsheet: statistic, column and settings, separated by tabs"],
  ["Ctrl+Z, Ctrl+Shift+Z", "undo, redo"],
  ["F6", "next part of the page: budget, table, chosen row, quote"],
  ["Ctrl+Enter", "review and release"],
  ["?", "this list"],
];

/** The list of keys, and every word of the page with a worked number. */
export function Shortcuts({ onClose }: { onClose: () => void }) {
  return (
    <Dialog onClose={onClose} title="Keys and words" size="lg">
      <table className="data">
        <tbody>
          {shortcuts.map(([keys, does]) => (
            <tr key={keys}>
              <th scope="row">{keys}</th>
              <td>{does}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <h3>Words</h3>
      <dl className="words">
        {Object.entries(glossary).map(([key, { title, what, formula, worked }]) => (
          <div key={key}>
            <dt>{title}</dt>
            <dd>
              {what} <span className="soft">{formula}.</span> {worked}
            </dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
