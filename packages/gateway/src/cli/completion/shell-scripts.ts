/** What each shell runs. All it knows, it asks the program for, so that it need not be made anew with each version. */
export const shellScripts: { readonly [shell: string]: string } = {
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
