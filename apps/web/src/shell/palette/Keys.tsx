import { Dialog } from "../../parts/Dialog.tsx";

const keys: readonly (readonly [keys: string, does: string])[] = [
  ["Ctrl+K or ⌘K", "find a page, dataset, release, person or team, do something, or ask the docs"],
  ["N", "new plan"],
  ["?", "this list; on a plan, the keys of its table"],
  ["Arrows", "move in a table or a list"],
  ["Escape", "close what is open; the focus goes back"],
];

/** The keys that work on every page. */
export function Keys({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keys" onClose={onClose}>
      <table className="data">
        <tbody>
          {keys.map(([key, does]) => (
            <tr key={key}>
              <th scope="row">{key}</th>
              <td>{does}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Dialog>
  );
}
