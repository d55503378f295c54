import type { Line } from "./tree.ts";

type Script = (lines: readonly Line[]) => string;

const quoted = (texts: readonly string[]) => texts.map((text) => `'${text}'`);

/** The arms of a `case` of bash and zsh: the same test of the words so far in both. */
function arms(lines: readonly Line[]) {
  const commands = quoted(lines.map(({ line }) => line).filter(Boolean)).join(" | ");
  const values = lines.flatMap(({ line, values: all }) =>
    all.map(({ flag, of }) => `    '${line} ${flag}') list='${of.join(" ")}' ;;`),
  );
  const words = lines.map(({ line, words: all }) => `      '${line}') list='${all.join(" ")}' ;;`);
  return `    next="\${line:+$line }$word"
    case "$next" in
      ${commands}) line="$next" ;;
    esac
  done
  case "$line $before" in
${values.join("\n")}
    *) case "$line" in
${words.join("\n")}
    esac ;;
  esac`;
}

const bash: Script = (lines) => `# dosimeter completion bash > /etc/bash_completion.d/dosimeter
_dosimeter() {
  local word next line="" list="" before="\${COMP_WORDS[COMP_CWORD - 1]}"
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD - 1}"; do
${arms(lines)}
  COMPREPLY=($(compgen -W "$list" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _dosimeter dosimeter
`;

const zsh: Script = (lines) => `#compdef dosimeter
# dosimeter completion zsh > "\${fpath[1]}/_dosimeter"
_dosimeter() {
  local word next line="" list="" before="\${words[CURRENT - 1]}"
  for word in "\${(@)words[2,CURRENT - 1]}"; do
${arms(lines)}
  if [[ -n "$list" ]]; then compadd -- \${=list}; else _files; fi
}
if [[ "\${funcstack[1]}" == _dosimeter ]]; then _dosimeter "$@"; else compdef _dosimeter dosimeter; fi
`;

const fish: Script = (lines) => `# dosimeter completion fish > ~/.config/fish/completions/dosimeter.fish
function __dosimeter_words
  set -l typed (commandline -opc)
  set -l line ''
  for word in $typed[2..]
    set -l next (string trim -- "$line $word")
    switch $next
      case ${quoted(lines.map(({ line }) => line).filter(Boolean)).join(" ")}
        set line $next
    end
  end
  switch "$line $typed[-1]"
${lines
  .flatMap(({ line, values }) =>
    values.map(({ flag, of }) => {
      const give = of.length > 0 ? `printf '%s\\n' ${of.join(" ")}` : "__fish_complete_path (commandline -ct)";
      return `    case '${line} ${flag}'\n      ${give}\n      return`;
    }),
  )
  .join("\n")}
  end
  switch $line
${lines.map(({ line, words }) => `    case '${line}'\n      printf '%s\\n' ${words.join(" ")}`).join("\n")}
  end
end
complete -c dosimeter -f -a '(__dosimeter_words)'
`;

/** The scripts that tell a shell which words a line may go on with. */
export const scripts = { bash, zsh, fish } as const;
