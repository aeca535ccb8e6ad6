import { type RunCommand, usageProblem } from '../command.js'
import { candidates } from './candidates.js'

export const run: RunCommand = async (input, terminal) => {
  const [shell = '', ...words] = input.operands
  if (shell === 'words') {
    for (const candidate of await candidates(words, input)) terminal.print(candidate)
    return undefined
  }
  const script = Object.hasOwn(shellScripts, shell) ? shellScripts[shell] : undefined
  if (script === undefined)
    throw usageProblem(`The shell "${shell}" is not supported. Supported shells: ${Object.keys(shellScripts).join(', ')}`)
  terminal.print(script)
}

/** The script for each shell. It asks this program for all words, so it needs no update with a new version. */
const shellScripts: { readonly [shell: string]: string } = {
  bash: `_toolwire() {
  local line="\${COMP_LINE:0:COMP_POINT}" current words
  read -r -a words <<< "$line"
  [[ "$line" == *[[:space:]] ]] && words+=("")
  current="\${words[\${#words[@]}-1]}"
  local IFS=$'\\n'
  COMPREPLY=($(compgen -W "$(toolwire completion words "\${words[@]:1}" 2>/dev/null)" -- "$current"))
  # A word ends at = for bash: what stands before it is there already.
  if [[ "$current" == *=* && "$COMP_WORDBREAKS" == *=* ]]; then
    COMPREPLY=("\${COMPREPLY[@]#"\${current%"\${current##*=}"}"}")
  fi
  [[ "\${COMPREPLY[0]}" == *= ]] && compopt -o nospace
}
complete -F _toolwire toolwire`,
  zsh: `#compdef toolwire
_toolwire() {
  local -a found
  found=("\${(@f)$(toolwire completion words "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  compadd -Q -S '' -- \${(M)found:#*=}
  compadd -- \${found:#*=}
}
compdef _toolwire toolwire`,
  fish: `complete -c toolwire -f -a '(set -l words (commandline -opc) (commandline -ct); toolwire completion words $words[2..-1] 2>/dev/null)'`,
}
