import type { Command, Option } from 'commander'
import { kinds } from '../kinds.ts'
import { formats } from '../output.ts'

/** What may stand somewhere: some words, names of instances (which the server is asked for), a file, or anything. */
export type Choice = readonly string[] | 'instances' | 'files' | 'anything'

export interface Flag {
  /** `--file`, and `-f` where there is one. */
  readonly names: readonly string[]
  readonly help: string
  /** What follows it; undefined for a switch. */
  readonly value: Choice | undefined
}

/** A command, and what can be typed after it. */
export interface Word {
  readonly name: string
  readonly help: string
  readonly flags: readonly Flag[]
  readonly next: Choice
}

export const shellNames = ['bash', 'zsh', 'fish'] as const

/** Where what follows is not the name of an instance. */
const fixed: Readonly<Record<string, Choice>> = {
  get: kinds.map(({ plural }) => plural),
  create: kinds.map(({ kind }) => kind),
  watch: kinds.map(({ kind }) => kind),
  contexts: ['use', 'remove'],
  tokens: ['create', 'revoke'],
  completion: shellNames,
  run: 'anything',
  backup: 'files',
  restore: 'files',
}

/** The names of arguments that are names of instances. */
const ofInstances = ['name', 'names', 'thing', 'things']

export function wordOf(command: Command): Word {
  const inside = command.commands.flatMap(each => each.options)
  const takesInstances = command.registeredArguments.some(argument => ofInstances.includes(argument.name()))
  const subcommands = command.commands.map(each => each.name())
  return {
    name: command.name(),
    help: command.description(),
    flags: [...command.options, ...inside].map(flagOf),
    next: fixed[command.name()] ?? (subcommands.length > 0 ? subcommands : takesInstances ? 'instances' : 'anything'),
  }
}

const flagOf = ({ long, short, description, flags, required }: Option): Flag => ({
  names: [long, short].filter(name => name !== undefined && name !== null),
  help: description,
  value: required ? choiceOf(flags) : undefined,
})

function choiceOf(flags: string): Choice {
  if (/<format>/.test(flags)) return formats
  return /<(file|directory)/.test(flags) ? 'files' : 'anything'
}

/** How a shell asks for the names of instances. Quiet: without a server there are none to offer. */
export const askNames = 'stead ps -o name 2>/dev/null'
