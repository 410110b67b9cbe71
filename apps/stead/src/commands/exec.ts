import type { Act } from '../cli/define.ts'
import { sitAt } from '../client/at-terminal.ts'
import { given, pairs } from '../client/values.ts'
import { StartError } from '../exit-codes.ts'

interface ExecFlags {
  readonly stdin?: boolean
  readonly tty?: boolean
  readonly service?: string
  readonly env?: readonly string[]
  readonly user?: string
  readonly directory?: string
}

/** `stead exec`: runs a command inside, and ends with its code. */
export const exec: Act<ExecFlags> = async ({ project, isInteractive }, { args, flags }) => {
  const [name = '', ...command] = args
  if (command.length === 0) throw new StartError('usage', 'say which command: `stead exec <name> -- sh`')
  const isSaid = flags.stdin !== undefined || flags.tty !== undefined
  const tty = flags.tty ?? (!isSaid && isInteractive)
  const hasInput = flags.stdin ?? (!isSaid && isInteractive)
  if (tty && !process.stdin.isTTY) throw new StartError('usage', '--tty needs a terminal, and this is none')
  const { service, user, directory } = flags
  const { columns = 80, rows = 24 } = process.stdout
  const terminal = await project.instances.exec(name, {
    ...{ command, tty, stdin: hasInput, env: pairs('--env', flags.env) },
    ...(tty && { columns, rows }),
    ...given({ service, user, directory }),
  })
  await sitAt(terminal, { hasInput, isRaw: tty })
  const exit = await terminal.exited
  process.exitCode = exit?.code ?? 0
}
