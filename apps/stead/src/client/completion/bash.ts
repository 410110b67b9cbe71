import { askNames, type Choice, type Flag, type Word } from './words.ts'

export const bash = (words: readonly Word[]): string => `# bash completion for stead
_stead() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" flags="" next=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${words.map(({ name }) => name).join(' ')} help" -- "$current"))
    return
  fi
  case "\${COMP_WORDS[1]}" in
${words.map(caseOf).join('\n')}
  esac
  case "$current" in
    -*) COMPREPLY=($(compgen -W "$flags --help" -- "$current")) ;;
    *) COMPREPLY=($(compgen -W "$next" -- "$current")) ;;
  esac
}
# Where there is nothing to offer, files are.
complete -o default -F _stead stead
`

function caseOf({ name, flags, next }: Word): string {
  const values = flags.filter(({ value }) => value !== undefined).map(valueCase)
  const after = values.length > 0 ? `\n      case "$previous" in ${values.join(' ')} esac` : ''
  return `    ${name})\n      flags="${flags.flatMap(({ names }) => names).join(' ')}"; next="${listed(next)}"${after} ;;`
}

/** After a flag comes its value: what it can be is offered, else files. */
const valueCase = ({ names, value }: Flag): string =>
  typeof value === 'string' ? `${names.join('|')}) return ;;` : `${names.join('|')}) next="${listed(value!)}" ;;`

const listed = (choice: Choice): string =>
  choice === 'instances' ? `$(${askNames})` : typeof choice === 'string' ? '' : choice.join(' ')
