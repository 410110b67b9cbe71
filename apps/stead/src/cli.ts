import { Command, CommanderError } from 'commander'
import { addAccessCommands } from './cli/access-commands.ts'
import { addInstanceCommands } from './cli/instance-commands.ts'
import { addServerCommands } from './cli/server-commands.ts'
import { addThingCommands } from './cli/thing-commands.ts'
import { endWithReader } from './end-with-reader.ts'
import { exitCodes, explain } from './exit-codes.ts'
import { versionLine } from './version.ts'

/** Runs one command, tells people what went wrong if something did, and answers the exit code. */
export async function run(argv: readonly string[]): Promise<number> {
  process.stdout.on('error', endWithReader)
  try {
    await buildProgram().parseAsync(argv)
    // A command that ran another program ends with that one's code.
    return Number(process.exitCode ?? exitCodes.ok.code)
  } catch (error) {
    // Commander has already said what is wrong, or shown the help that was asked for.
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok.code : exitCodes.usage.code
    const { code, text } = explain(error)
    console.error(text)
    return code
  }
}

/** The commands and their flags. What a command needs is loaded when it runs. */
export function buildProgram(): Command {
  const program = new Command('stead').description('One control plane for every instance you run').exitOverride()
  program.version(versionLine(process.env), '--version', 'say which version this is')
  program.commandsGroup('Instances:')
  addInstanceCommands(program)
  program.commandsGroup('Everything else in a project:')
  addThingCommands(program)
  program.commandsGroup('Who you are, and where:')
  addAccessCommands(program)
  program.commandsGroup('The control plane:')
  addServerCommands(program)
  return program
}
