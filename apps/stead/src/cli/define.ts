import { type Command, Option } from 'commander'
import type { ClientFlags } from '../client/connect.ts'
import type { Session } from '../client/session.ts'

export interface Given<Flags> {
  readonly args: readonly string[]
  readonly flags: Flags & ClientFlags
}

/** What a command does once a Stead is found. */
export type Act<Flags> = (session: Session, given: Given<Flags>) => Promise<void>

export interface Definition<Flags> {
  /** With its arguments: `wait <name>`. */
  readonly usage: string
  readonly summary: string
  /** Shown by `--help`, and run by a test. */
  readonly examples: readonly string[]
  /** Flag and meaning. */
  readonly options?: readonly (readonly [flag: string, help: string])[]
  /** Loads what it does: most runs need one command of all. */
  readonly load: () => Promise<Act<Flags>>
}

const examples = new WeakMap<Command, readonly string[]>()

/** What the help of a command shows to be typed. */
export const examplesOf = (command: Command): readonly string[] => examples.get(command) ?? []

export function showExamples(command: Command, lines: readonly string[]): Command {
  examples.set(command, lines)
  return command.addHelpText('after', `\nExamples:\n${lines.map(line => `  ${line}`).join('\n')}`)
}

/** Adds a command that speaks to a Stead. */
export function define<Flags>(parent: Command, definition: Definition<Flags>): Command {
  const { usage, summary, options = [], load } = definition
  const command = parent.command(usage).description(summary)
  for (const [flag, help] of options) {
    const option = new Option(flag, help)
    // Given again, it adds to what was given before.
    if (/<[^>]*…>/.test(flag)) option.argParser((value, before: string[] = []) => [...before, value])
    command.addOption(option)
  }
  for (const [flag, help] of clientOptions) command.option(flag, help)
  showExamples(command, definition.examples)
  return command.action(async () => {
    const flags = command.opts<Flags & ClientFlags>()
    const act = await load()
    const { openSession } = await import('../client/session.ts')
    await act(await openSession(flags), { args: command.args, flags })
  })
}

const clientOptions = [
  ['-p, --project <project>', 'the project, by id or as organization/name (env: STEAD_PROJECT)'],
  ['--context <name>', 'the login to use (env: STEAD_CONTEXT)'],
  ['--url <url>', 'the Stead to speak to (env: STEAD_URL, with STEAD_TOKEN)'],
  ['--json', 'say it as JSON'],
] as const
