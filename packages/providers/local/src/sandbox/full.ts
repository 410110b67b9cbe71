import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { closeSync, openSync, writeFileSync } from 'node:fs'
import type { Writable } from 'node:stream'
import type { Cgroup } from '../cgroups/index.ts'
import { childrenOf } from '../machine/processes.ts'
import { program } from '../machine/programs.ts'
import type { MountStep } from './plan.ts'
import { seccompProgram } from './seccomp.ts'
import type { Start, StartRequest } from './start.ts'

/** What this version of bubblewrap can do besides what they all can. */
interface Features {
  readonly size: boolean
  readonly disableUserns: boolean
}

const fd = { args: 3, status: 4, seccomp: 5 } as const

/** Starts services in bubblewrap. `filterFile`: where its system call filter is kept. */
export function startFull(filterFile: string): Start {
  const help = execFileSync(program('bwrap'), ['--help'], { encoding: 'utf8' })
  const features = { size: help.includes('--size'), disableUserns: help.includes('--disable-userns') }
  const filter = seccompProgram(process.arch)
  if (filter) writeFileSync(filterFile, filter, { mode: 0o600 })

  return request => {
    const seccomp = filter ? openSync(filterFile, 'r') : undefined
    try {
      const child = spawnBubblewrap(request, seccomp)
      // Bubblewrap waits for its arguments meanwhile: nothing of the tenant is ever outside of its group.
      if (child.pid !== undefined) join(request.cgroup, child.pid)
      const args = bubblewrapArguments(request, features, seccomp !== undefined)
      const pipe = child.stdio[fd.args] as Writable
      pipe.on('error', () => {}) // its end says more
      pipe.end(args.map(argument => `${argument}\0`).join(''))
      return child
    } finally {
      if (seccomp !== undefined) closeSync(seccomp)
    }
  }
}

/**
 * Bubblewrap ends what a command leaves behind only when it is told to end with its own parent. That must not be us, since
 * services outlive us: so `unshare` is its parent, which unshares nothing, and makes it the user the sandbox is for.
 */
function spawnBubblewrap(request: StartRequest, seccomp: number | undefined): ChildProcess {
  const { command, networkOf, outer, stdout, stderr, status } = request
  const words = [
    ...(networkOf === undefined ? [] : [program('nsenter'), `--net=/proc/${networkOf}/ns/net`, '--']),
    ...[program('unshare'), '--fork', ...(outer ? [`--setuid=${outer.uid}`, `--setgid=${outer.gid}`] : []), '--'],
    ...[program('bwrap'), '--args', String(fd.args), '--', ...command],
  ]
  const stdio = ['ignore', stdout, stderr, 'pipe', status, ...(seccomp === undefined ? [] : [seccomp])] as const
  return spawn(words[0]!, words.slice(1), { stdio: [...stdio], env: {}, cwd: '/', detached: true })
}

/** A child that was there before its parent was moved is moved after it; one that comes later comes to the right place. */
function join(cgroup: Cgroup | undefined, pid: number): void {
  cgroup?.add(pid)
  if (cgroup) for (const child of childrenOf(pid)) cgroup.add(child)
}

/** Through a pipe and not on the command line, which everybody on the machine can read. */
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
