import { Dialog } from "../parts/Dialog.tsx";
import { glossary } from "./glossary.ts";
import { shortcuts } from "./shortcuts.ts";

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
