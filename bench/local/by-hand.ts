import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'

/** What somebody would type who wants the same namespaces and the same view of the host. */
const isolation = [
  ...['--unshare-all', '--unshare-user', '--uid', '1000', '--gid', '1000', '--cap-drop', 'ALL', '--clearenv'],
  ...['--ro-bind', '/usr', '/usr', '--symlink', 'usr/bin', '/bin', '--symlink', 'usr/lib', '/lib'],
  ...['--symlink', 'usr/lib64', '/lib64', '--ro-bind', '/etc', '/etc', '--tmpfs', '/tmp', '--tmpfs', '/run'],
  ...['--proc', '/proc', '--dev', '/dev', '--setenv', 'PATH', '/usr/bin:/bin', '--die-with-parent', '--'],
]

/** Starts a command in bubblewrap, and resolves when it has printed its first byte. */
export async function startByHand(command: readonly string[]): Promise<ChildProcess> {
  const child = spawn('bwrap', [...isolation, ...command], { stdio: ['ignore', 'pipe', 'ignore'] })
  await Promise.race([once(child.stdout, 'data'), once(child, 'exit')])
  if (child.exitCode !== null) throw new Error(`bwrap ended with ${child.exitCode}`)
  return child
}

export async function end(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}
