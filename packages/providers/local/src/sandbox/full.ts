import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { closeSync, openSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Writable } from 'node:stream'
import type { Cgroup } from '../cgroups/index.ts'
import { signal } from '../machine/processes.ts'
import { program } from '../machine/programs.ts'
import type { MountStep } from './plan.ts'
import { seccompProgram } from './seccomp.ts'
import type { Start, StartRequest } from './start.ts'

/** What this version of bubblewrap can do besides what they all can. */
interface Features {
  readonly size: boolean
  readonly disableUserns: boolean
}

const fd = { args: 3, status: 4, gate: 5, seccomp: 6 } as const

/** Starts services in bubblewrap. `stage`: a directory in memory that nobody else sees. */
export function startFull(stage: string): Start {
  const help = execFileSync(program('bwrap'), ['--help'], { encoding: 'utf8' })
  const features = { size: help.includes('--size'), disableUserns: help.includes('--disable-userns') }
  const filter = seccompProgram(process.arch)

  return request => {
    const words = bubblewrapArguments(request, features, filter !== undefined)
    const args = openHidden(stage, words.map(word => `${word}\0`).join(''))
    const seccomp = filter && openHidden(stage, filter)
    try {
      const child = spawnBubblewrap(request, args, seccomp)
      letIn(child, request.cgroup)
      return child
    } finally {
      closeSync(args)
      if (seccomp !== undefined) closeSync(seccomp)
    }
  }
}

/**
 * It builds the sandbox meanwhile and waits before it starts the command, which is never outside of its group. It is moved at
 * once and not when there is time: each process that it has made by then has to be moved after it, 10 ms each time.
 */
function letIn(child: ChildProcess, cgroup: Cgroup | undefined): void {
  const { pid } = child
  const gate = (child.stdio as readonly unknown[])[fd.gate] as Writable
  gate.on('error', () => {}) // its end says more
  if (pid === undefined) return
  try {
    cgroup?.addTree(pid)
    gate.end('go')
  } catch (error) {
    console.error(`process ${pid} cannot join its control group:`, error)
    // Before its gate is let go, which would let it in.
    signal(-pid, 'SIGKILL')
  }
}

/** A file without a name, to be read from its beginning. */
function openHidden(directory: string, content: string | Buffer): number {
  const path = join(directory, 'hidden')
  writeFileSync(path, content, { mode: 0o600 })
  const file = openSync(path, 'r')
  unlinkSync(path)
  return file
}

/**
 * Bubblewrap ends what a command leaves behind only when it is told to end with its own parent. That must not be us, since
 * services outlive us: so `unshare` is its parent, which unshares nothing, and makes it the user the sandbox is for.
 */
function spawnBubblewrap(request: StartRequest, args: number, seccomp: number | undefined): ChildProcess {
  const { command, networkOf, outer, stdout, stderr, status } = request
  const words = [
    ...(networkOf === undefined ? [] : [program('nsenter'), `--net=/proc/${networkOf}/ns/net`, '--']),
    ...[program('unshare'), '--fork', ...(outer ? [`--setuid=${outer.uid}`, `--setgid=${outer.gid}`] : []), '--'],
    ...[program('bwrap'), '--args', String(fd.args), '--', ...command],
  ]
  const stdio = ['ignore', stdout, stderr, args, status, 'pipe', ...(seccomp === undefined ? [] : [seccomp])] as const
  return spawn(words[0]!, words.slice(1), { stdio: [...stdio], env: {}, cwd: '/', detached: true })
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
    ...['--json-status-fd', String(fd.status), '--block-fd', String(fd.gate), '--new-session', '--die-with-parent'],
    ...(hasFilter ? ['--seccomp', String(fd.seccomp)] : []),
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
