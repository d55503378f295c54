import { Modal } from "@mantine/core";
import { shortcuts } from "./shortcuts.ts";

/** The list of keys. */
export function Shortcuts({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title="Keys of this page"
      size="lg"
      closeButtonProps={{ "aria-label": "Close" }}
      returnFocus
    >
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
    </Modal>
  );
}
