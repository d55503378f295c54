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
