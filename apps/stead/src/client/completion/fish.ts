import { askNames, type Choice, type Flag, type Word } from './words.ts'

export const fish = (words: readonly Word[]): string =>
  ['# fish completion for stead', ...words.flatMap(linesOf)].join('\n')

function linesOf({ name, help, flags, next }: Word): readonly string[] {
  const here = `complete -c stead -n '__fish_seen_subcommand_from ${name}'`
  return [
    `complete -c stead -n __fish_use_subcommand -f -a ${name} -d ${quoted(help)}`,
    ...flags.map(flag => `${here} ${flagWords(flag)} -d ${quoted(flag.help)}`),
    ...(next === 'files' ? [] : [`${here} -f${offered(next)}`]),
  ]
}

function flagWords({ names, value }: Flag): string {
  const named = names.map(name => (name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`))
  if (value === undefined) return named.join(' ')
  // -r: something must follow; -x: and that is no file.
  return [...named, value === 'files' ? '-r' : `-x${offered(value)}`].join(' ')
}

function offered(choice: Choice): string {
  if (choice === 'instances') return ` -a ${quoted(`(${askNames})`)}`
  return typeof choice === 'string' ? '' : ` -a ${quoted(choice.join(' '))}`
}

const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
