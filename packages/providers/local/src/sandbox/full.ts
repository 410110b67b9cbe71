import { execFileSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { World } from '@stead/world'
import { program } from '../machine/programs.ts'
import { Monitors } from './monitors.ts'
import type { MountStep } from './plan.ts'
import { seccompProgram } from './seccomp.ts'
import type { Start, StartRequest } from './start.ts'

/** What this version of bubblewrap can do besides what they all can. */
interface Features {
  readonly size: boolean
  readonly disableUserns: boolean
}

/** As the shell that starts it has them. */
const fd = { args: 3, status: 4, filter: 6 } as const

/** Starts services in bubblewrap. `stage`: a directory in memory that nobody else sees. */
export function startFull(world: World, stage: string): Start {
  const help = execFileSync(program('bwrap'), ['--help'], { encoding: 'utf8' })
  const features = { size: help.includes('--size'), disableUserns: help.includes('--disable-userns') }
  const filter = writeFilter(stage)
  const monitors = new Monitors(world)
  let number = 0

  return async request => {
    const monitor = await monitors.take()
    return {
      monitor: monitor.mark,
      begin() {
        const words = bubblewrapArguments(request, features, filter !== undefined)
        const args = join(stage, `.args-${++number}`)
        writeFileSync(args, words.map(word => `${word}\0`).join(''), { mode: 0o600 })
        const remove = () => rmSync(args, { force: true })
        const { run: directory, cgroup } = request
        monitor.run({
          directory,
          args,
          filter,
          doors: cgroup?.ownDoors ?? [],
          command: commandOf(request),
          onOpen: remove,
        })
      },
      ended: silent => monitor.ended(silent),
    }
  }
}

/** The same for every service, and read by each from its beginning. */
function writeFilter(stage: string): string | undefined {
  const filter = seccompProgram(process.arch)
  if (!filter) return undefined
  const path = join(stage, '.filter')
  writeFileSync(path, filter, { mode: 0o600 })
  return path
}

/**
 * Bubblewrap ends what a command leaves behind only when it is told to end with its own parent. That must not be us, since
 * services outlive us: its parent is a shell. `unshare` unshares nothing, and makes it the user the sandbox is for.
 */
function commandOf({ command, networkOf, outer }: StartRequest): string[] {
  return [
    ...(networkOf === undefined ? [] : [program('nsenter'), `--net=/proc/${networkOf}/ns/net`, '--']),
    ...(outer ? [program('unshare'), `--setuid=${outer.uid}`, `--setgid=${outer.gid}`, '--'] : []),
    ...[program('bwrap'), '--args', String(fd.args), '--', ...command],
  ]
}

/** In a file and not on the command line, which everybody on the machine can read. */
function bubblewrapArguments(request: StartRequest, features: Features, hasFilter: boolean): string[] {
  const { plan, env, inner, networkOf, hostname, directory } = request
  const root = plan.root && [plan.root.writable ? '--bind' : '--ro-bind', plan.root.source, '/']
  return [
    ...['--unshare-user', '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'],
    ...(networkOf === undefined ? ['--unshare-net'] : []),
    // Whoever may make user namespaces inside sees parts of the kernel that were never meant for them.
    ...(features.disableUserns ? ['--disable-userns'] : []),
    ...['--uid', String(inner.uid), '--gid', String(inner.gid), '--cap-drop', 'ALL', '--hostname', hostname],
    ...(root ?? []),
    ...plan.steps.flatMap(step => mountArguments(step, features)),
    ...['--proc', '/proc', '--dev', '/dev'],
    ...(plan.root ? [] : ['--remount-ro', '/']),
    ...['--chdir', directory, '--clearenv'],
    ...Object.entries(env).flatMap(([name, value]) => ['--setenv', name, value]),
    ...['--json-status-fd', String(fd.status), '--new-session', '--die-with-parent'],
    ...(hasFilter ? ['--seccomp', String(fd.filter)] : []),
  ]
}

function mountArguments(step: MountStep, features: Features): string[] {
  switch (step.step) {
    case 'tmpfs':
      return [
        ...['--perms', step.mode.toString(8).padStart(4, '0')],
        ...(features.size ? ['--size', String(step.bytes)] : []),
        ...['--tmpfs', step.at],
      ]
    case 'bind':
      return [step.writable ? '--bind' : '--ro-bind', step.source, step.at]
    case 'link':
      return ['--symlink', step.target, step.at]
  }
}
