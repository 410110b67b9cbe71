import { Command, CommanderError, Option } from 'commander'
import type { BackupFlags } from './commands/backup.ts'
import { type Flags, flagOf, type Setting, settingNames, settings, variableOf } from './configuration/index.ts'
import { exitCodes, explain } from './exit-codes.ts'
import { readVersion } from './version.ts'

/** Runs one command, tells people what went wrong if something did, and answers the exit code. */
export async function run(argv: readonly string[]): Promise<number> {
  try {
    await buildProgram().parseAsync(argv)
    return exitCodes.ok.code
  } catch (error) {
    // Commander has already said what is wrong, or shown the help that was asked for.
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok.code : exitCodes.usage.code
    const { code, text } = explain(error)
    console.error(text)
    return code
  }
}

/** The commands and their flags. What a command needs is loaded when it runs. */
function buildProgram(): Command {
  const program = new Command('stead').description('One control plane for every instance you run').exitOverride()

  const serve = program.command('serve').description('run the control plane')
  for (const name of settingNames) serve.addOption(optionFor(flagOf(name), variableOf(name), settings[name]))
  serve.action(async (flags: Flags) => {
    const { serveCommand } = await import('./commands/serve.ts')
    await serveCommand(flags)
  })

  const backup = offlineCommand(program, 'backup <file>', 'copy the store to a file, also while Stead runs')
  backup.option('--json', 'say what was written as JSON').action(async (file: string, flags: BackupFlags) => {
    const { backupCommand } = await import('./commands/backup.ts')
    await backupCommand(file, flags)
  })

  const restore = offlineCommand(program, 'restore [file]', 'make an empty data directory the store that was backed up')
  restore.action(async (file: string | undefined, flags: Flags) => {
    const { restoreCommand } = await import('./commands/restore.ts')
    await restoreCommand(file, flags)
  })

  const resume = offlineCommand(program, 'resume', 'let a restored or copied store act again')
  resume.action(async (flags: Flags) => {
    const { resumeCommand } = await import('./commands/resume.ts')
    await resumeCommand(flags)
  })

  program
    .command('doctor')
    .description('say what this machine can run, how well it is isolated, and what would make it better')
    .option('--json', 'say it as JSON')
    .action(async (flags: { json?: boolean }) => {
      const { doctorCommand } = await import('./commands/doctor.ts')
      await doctorCommand(flags)
    })

  const admin = program.command('admin').description('what only the operator of this machine may do')
  const resetToken = offlineCommand(admin, 'reset-token', 'replace the admin token, and end the old one')
  resetToken.action(async (flags: Flags) => {
    const { resetTokenCommand } = await import('./commands/reset-token.ts')
    await resetTokenCommand(flags)
  })

  program
    .command('version')
    .description('say which version this is')
    .action(() => {
      const { version, node, revision } = readVersion(process.env)
      console.log(`stead ${version} (${[`Node ${node}`, revision].filter(Boolean).join(', ')})`)
    })

  return program
}

/** A command that works on the data directory of this machine, whether or not Stead runs. */
function offlineCommand(program: Command, name: string, description: string): Command {
  const command = program.command(name).description(description)
  for (const setting of ['config', 'data', 'database', 'databaseSchema'] as const)
    command.addOption(optionFor(flagOf(setting), variableOf(setting), settings[setting]))
  return command
}

/** Defaults are only shown here: were they given to commander, a flag that was not named would hide a variable that was. */
function optionFor(flag: string, variable: string, { help, placeholder, default: fallback }: Setting): Option {
  const notes = [`env: ${variable}`, ...(placeholder && fallback ? [`default: ${fallback}`] : [])]
  return new Option(placeholder ? `${flag} <${placeholder}>` : flag, `${help} (${notes.join(', ')})`)
}
