import type { Act } from '../cli/define.ts'
import { sitAt } from '../client/at-terminal.ts'
import { StartError } from '../exit-codes.ts'

/** Ctrl-], as telnet and virsh have it. */
const leave = 0x1d

/** What was shown before, so that one sees where one is. */
const scrollbackBytes = 65_536

/** `stead console`: the console of a machine, or the last of what it has shown. */
export const console: Act<{ output?: boolean }> = async ({ project, stead, out, isInteractive }, { args, flags }) => {
  const [name = ''] = args
  if (flags.output) {
    const path = { project: project.name, instance: name }
    return out.text(await stead.call('GET /v1/projects/{project}/instances/{instance}/console/output', { path }))
  }
  if (!isInteractive) throw new StartError('usage', 'a console needs a terminal; --output prints what it has shown')
  const terminal = await project.instances.console(name, { scrollbackBytes })
  out.note(`at the console of ${name}; Ctrl-] leaves it`)
  await sitAt(terminal, { hasInput: true, isRaw: true, leavesBy: leave })
  await terminal.exited
  out.note(`\r\nleft the console of ${name}; the machine goes on`)
}
