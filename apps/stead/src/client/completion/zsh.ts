import { askNames, type Choice, type Flag, type Word } from './words.ts'

export const zsh = (words: readonly Word[]): string => `#compdef stead
_stead() {
  local -a commands
  commands=(
${words.map(({ name, help }) => `    ${quoted(`${name}:${help}`)}`).join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local command="$words[2]"
  shift words
  (( CURRENT-- ))
  case "$command" in
${words.map(caseOf).join('\n')}
  esac
}
# Found on fpath, this file is itself the function and is called to complete; sourced, it says what it is for.
if [ "$funcstack[1]" = _stead ]; then _stead "$@"; else compdef _stead stead; fi
`

const caseOf = ({ name, flags, next }: Word): string =>
  `    ${name}) _arguments ${flags.flatMap(specsOf).join(' ')} '--help[show how it is used]' "*:argument:${action(next)}" ;;`

/** Each flag may be said again: zsh would offer it once, and some add up. */
const specsOf = ({ names, help, value }: Flag): readonly string[] =>
  names.map(name => {
    const after = value === undefined ? '' : `:value:${action(value)}`
    return quoted(`*${name}[${help.replaceAll(/[[\]]/g, '')}]${after}`)
  })

function action(choice: Choice): string {
  if (choice === 'instances') return `($(${askNames}))`
  // Files, too, where it may be anything: with nothing at all to offer zsh lists a flag it knows, and does not write it.
  return typeof choice === 'string' ? '_files' : `(${choice.join(' ')})`
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
