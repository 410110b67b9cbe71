import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import { ProviderError } from '@stead/provider-kit'
import { openForService } from '../logs/pipe.ts'
import { markOf } from '../machine/processes.ts'
import { findProgram, program } from '../machine/programs.ts'
import { carryEnvironment } from './environment.ts'
import type { MountPlan, MountStep } from './plan.ts'
import { buildAndRun, joinAndRecord, sayAndRun } from './shell-programs.ts'
import type { Start, Started, StartRequest } from './start.ts'

/** Starts services with the tools that every Linux has. `root`: an empty directory to build file systems on. */
export const startBasic =
  (root: string): Start =>
  request => {
    const { env, outer, inner, directory, networkOf } = request
    const { carried, inside } = carryEnvironment(env)
    const command = inside.length > 0 ? ['env', ...inside, ...request.command] : request.command
    const chroot = [`--root=${root}`, `--wd=${directory}`]
    const become = outer
      ? [`--setuid=${outer.uid}`, `--setgid=${outer.gid}`]
      : ['--user', `--map-user=${inner.uid}`, `--map-group=${inner.gid}`]
    return spawnRecorded(request, carried, [
      ...(networkOf === undefined ? [] : [program('nsenter'), `--net=/proc/${networkOf}/ns/net`, '--']),
      ...[program('unshare'), '--fork', '--kill-child', '--pid', '--mount', '--ipc', '--uts', '--cgroup'],
      ...(networkOf === undefined ? ['--net'] : []),
      ...['--propagation', 'private', '--', program('sh'), '-c', buildAndRun, 'sh', root],
      ...loopbackWords(networkOf === undefined),
      ...planWords(request.plan),
      '--',
      ...[program('setpriv'), '--no-new-privs', '--', program('unshare'), ...chroot, ...become, '--', ...command],
    ])
  }

/** Starts services with nothing around them. */
export const startNone: Start = request => {
  const { carried, inside } = carryEnvironment(request.env)
  const command = inside.length > 0 ? [program('env'), ...inside, ...request.command] : request.command
  return spawnRecorded(request, carried, [program('sh'), '-c', sayAndRun, 'sh', ...command], request.directory)
}

async function spawnRecorded(
  request: StartRequest,
  env: Readonly<Record<string, string>>,
  command: readonly string[],
  cwd = '/',
): Promise<Started> {
  const { run, cgroup } = request
  const words = ['-c', joinAndRecord, 'sh', ...(cgroup?.ownDoors ?? []), '--', ...command]
  const [stdout, stderr] = [openForService(join(run, 'stdout')), openForService(join(run, 'stderr'))]
  const status = openSync(join(run, 'status'), 'a', 0o600)
  try {
    const stdio = ['ignore', stdout, stderr, 'ignore', status] as const
    const child = spawn(program('sh'), words, { stdio: [...stdio], env: { ...env }, cwd, detached: true })
    const ended = exitOf(child)
    const monitor = child.pid === undefined ? undefined : markOf(child.pid)
    if (!monitor) throw new ProviderError('Internal', `${program('sh')} could not be started`)
    return { monitor, begin: () => {}, ended: () => ended }
  } finally {
    for (const file of [stdout, stderr, status]) closeSync(file)
  }
}

function exitOf(child: ChildProcess): Promise<number | undefined> {
  return new Promise(resolve => {
    child.once('exit', (code, name) => resolve(code ?? signalCode(name)))
    child.once('error', () => resolve(undefined))
  })
}

const signalCode = (name: NodeJS.Signals | null) => (name ? 128 + constants.signals[name] : undefined)

const raiseFlags =
  'use Socket; socket(S, AF_INET, SOCK_DGRAM, 0); exit !ioctl(S, 0x8914, pack("Z16 s x22", "lo", 0x49))'

/** A new network has a loopback device that is down, and bringing it up is not among util-linux's tools. */
function loopbackWords(isNew: boolean): string[] {
  const command = isNew ? loopbackCommand() : undefined
  return command ? [String(command.length), ...command] : ['0']
}

/** Undefined when nothing on this machine can: then services have no network at all, not even their own. */
export function loopbackCommand(): readonly string[] | undefined {
  const [ip, perl] = [findProgram('ip'), findProgram('perl')]
  if (ip) return [ip, 'link', 'set', 'lo', 'up']
  return perl ? [perl, '-e', raiseFlags] : undefined
}

const devices = ['null', 'zero', 'full', 'random', 'urandom', 'tty']

function planWords({ root, steps }: MountPlan): string[] {
  const base = root ? [root.writable ? 'root' : 'root-ro', root.source, '/'] : ['empty', '-', '/']
  return [
    ...base,
    ...steps.flatMap(stepWords),
    ...['mount', 'proc:nosuid,nodev,noexec', '/proc'],
    ...['tmpfs', 'mode=0755,nosuid', '/dev'],
    ...devices.flatMap(device => ['device', `/dev/${device}`, `/dev/${device}`]),
    ...['mount', 'devpts:newinstance,ptmxmode=0666,mode=0620,nosuid,noexec', '/dev/pts'],
    ...['tmpfs', 'mode=1777,nosuid,nodev', '/dev/shm'],
    ...['link', 'pts/ptmx', '/dev/ptmx', 'link', '/proc/self/fd', '/dev/fd', 'link', '/proc/self/fd/0', '/dev/stdin'],
    ...['link', '/proc/self/fd/1', '/dev/stdout', 'link', '/proc/self/fd/2', '/dev/stderr'],
    ...(root ? [] : ['seal', '-', '-']),
  ]
}

function stepWords(step: MountStep): string[] {
  switch (step.step) {
    case 'tmpfs':
      return ['tmpfs', `mode=${step.mode.toString(8)},size=${step.bytes},nosuid,nodev`, step.at]
    case 'bind':
      return [step.writable ? 'bind' : 'bind-ro', step.source, step.at]
    case 'link':
      return ['link', step.target, step.at]
  }
}
