import { type Command, Option } from 'commander'
import type { BackupFlags } from '../commands/backup.ts'
import { type Flags, flagOf, type Setting, settingNames, settings, variableOf } from '../configuration/index.ts'
import { versionLine } from '../version.ts'
import { showExamples } from './define.ts'

/** What runs a control plane, and what its operator does on the machine itself. */
export function addServerCommands(program: Command): void {
  const serve = program.command('serve').description('run the control plane')
  for (const name of settingNames) serve.addOption(optionFor(flagOf(name), variableOf(name), settings[name]))
  showExamples(serve, ['stead serve', 'stead serve --listen 127.0.0.1:8000 --data /var/lib/stead'])
  serve.action(async (flags: Flags) => {
    const { serveCommand } = await import('../commands/serve.ts')
    await serveCommand(flags)
  })

  const backup = offlineCommand(program, 'backup <file>', 'copy the store to a file, also while Stead runs')
  showExamples(backup, ['stead backup /var/backups/stead-monday'])
  backup.option('--json', 'say what was written as JSON').action(async (file: string, flags: BackupFlags) => {
    const { backupCommand } = await import('../commands/backup.ts')
    await backupCommand(file, flags)
  })

  const restore = offlineCommand(program, 'restore [file]', 'make an empty data directory the store that was backed up')
  showExamples(restore, ['stead restore /var/backups/stead-monday --data /var/lib/stead-restored'])
  restore.action(async (file: string | undefined, flags: Flags) => {
    const { restoreCommand } = await import('../commands/restore.ts')
    await restoreCommand(file, flags)
  })

  const resume = offlineCommand(program, 'resume', 'let a restored or copied store act again')
  showExamples(resume, ['stead resume'])
  resume.action(async (flags: Flags) => {
    const { resumeCommand } = await import('../commands/resume.ts')
    await resumeCommand(flags)
  })

  showExamples(program.command('doctor'), ['stead doctor', 'stead doctor --json'])
    .description('say what this machine can run, how well it is isolated, and what would make it better')
    .option('--json', 'say it as JSON')
    .action(async (flags: { json?: boolean }) => {
      const { doctorCommand } = await import('../commands/doctor.ts')
      await doctorCommand(flags)
    })

  const admin = program.command('admin').description('what only the operator of this machine may do')
  const resetToken = offlineCommand(admin, 'reset-token', 'replace the admin token, and end the old one')
  showExamples(resetToken, ['stead admin reset-token'])
  resetToken.action(async (flags: Flags) => {
    const { resetTokenCommand } = await import('../commands/reset-token.ts')
    await resetTokenCommand(flags)
  })

  showExamples(program.command('version'), ['stead version'])
    .description('say which version this is')
    .action(() => console.log(versionLine(process.env)))
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
