import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { ProviderError } from '@stead/provider-kit'
import { type CgroupFacts, Cgroups, cgroupFacts } from '../cgroups/index.ts'
import type { Isolation } from './levels.ts'
import { findProgram, type ProgramName, packageOf } from './programs.ts'

const run = promisify(execFile)

/** What this machine offers a local region. */
export interface LocalDetection {
  readonly isRoot: boolean
  /** The best level that works here: it was tried. `none` when no isolation does. */
  readonly level: Isolation
  /** Why a better level does not work, with what would help; by level. */
  readonly missing: Readonly<Partial<Record<'full' | 'basic', string>>>
  readonly limits: {
    readonly cgroups: 'v1' | 'v2' | 'none'
    readonly enforced: readonly string[]
    readonly missing: readonly string[]
  }
  /** What is kept from a service at that level, and what is not, in plain words. */
  readonly enforces: readonly string[]
  /** One line for each thing that would make it better. */
  readonly advice: readonly string[]
}

export interface DetectOptions {
  /** How the machine tells about its control groups. For tests. */
  readonly cgroups?: CgroupFacts
}

/** Looks at this machine by trying: a program that is there need not work. */
export async function detectLocal({ cgroups = cgroupFacts() }: DetectOptions = {}): Promise<LocalDetection> {
  const isRoot = process.getuid?.() === 0
  const tree = new Cgroups(`stead/probe-${process.pid}`, cgroups)
  const limits = { cgroups: tree.version, ...tree.limits }
  tree.leave()
  const [full, basic] =
    process.platform === 'linux'
      ? await Promise.all([problemOf(fullPrograms, fullProbe(isRoot)), problemOf(basicPrograms, basicProbe(isRoot))])
      : [notLinux, notLinux]
  const level: Isolation = !full ? 'full' : !basic ? 'basic' : 'none'
  return {
    isRoot,
    level,
    missing: { ...(full && { full }), ...(basic && { basic }) },
    limits,
    enforces: enforcedBy(level, isRoot),
    advice: [
      ...(full ? [`full isolation: ${full}`] : []),
      ...(limits.missing.length > 0 ? [`limits are not enforced for ${limits.missing.join(', ')}: ${limitsHelp}`] : []),
    ],
  }
}

const notLinux = `a local region needs Linux; this is ${process.platform}`
const limitsHelp = 'run as root, or in a systemd service with Delegate=yes'

const sharedPrograms: readonly ProgramName[] = ['sh', 'flock', 'unshare', 'nsenter', 'setpriv', 'mkfifo', 'mount']
const basicPrograms: readonly ProgramName[] = sharedPrograms
const fullPrograms: readonly ProgramName[] = ['bwrap', ...sharedPrograms]

/** Somebody who owns nothing, as services are when we are root. */
const nobody = '65534'

const ownNamespaces = (isRoot: boolean) => [...(isRoot ? [] : ['--user', '--map-root-user']), '--mount']

function fullProbe(isRoot: boolean): () => readonly string[] {
  return () => [
    ...[findProgram('unshare')!, ...ownNamespaces(isRoot), '--'],
    ...(isRoot ? [findProgram('setpriv')!, `--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups', '--'] : []),
    ...[
      findProgram('bwrap')!,
      '--unshare-all',
      '--unshare-user',
      '--uid',
      '1000',
      '--gid',
      '1000',
      '--cap-drop',
      'ALL',
    ],
    ...['--ro-bind', '/', '/', '--proc', '/proc', '--dev', '/dev', '--', 'true'],
  ]
}

const mountSome = 'mount -t tmpfs tmpfs /mnt && mkdir /mnt/proc && mount -t proc proc /mnt/proc'

function basicProbe(isRoot: boolean): () => readonly string[] {
  const namespaces = ['--fork', '--pid', '--ipc', '--uts', '--net', '--cgroup', '--propagation', 'private']
  return () => [
    ...[findProgram('unshare')!, ...ownNamespaces(isRoot), ...namespaces, '--'],
    ...[findProgram('sh')!, '-c', mountSome],
  ]
}

/** What stands in the way; undefined when nothing does. */
async function problemOf(
  programs: readonly ProgramName[],
  probe: () => readonly string[],
): Promise<string | undefined> {
  const absent = programs.filter(name => !findProgram(name))
  if (absent.length > 0) {
    const packages = [...new Set(absent.map(packageOf))].join(' ')
    return `${absent.join(', ')} not found; apt-get install ${packages}`
  }
  const [file, ...args] = probe()
  try {
    await run(file!, args, { env: { PATH: process.env.PATH } })
    return undefined
  } catch (error) {
    const said = ((error as { stderr?: string }).stderr || (error as Error).message).trim().replaceAll('\n', ' ')
    return `this machine does not let us make namespaces (${said}); allow user namespaces, or run as root`
  }
}

function enforcedBy(level: Isolation, isRoot: boolean): string[] {
  if (level === 'none') return ['nothing: services run as plain processes of the user that runs Stead']
  const shared = [
    'own processes, files, network, host name and shared memory',
    isRoot ? 'a user of its own for every instance' : 'a user namespace of its own for every service',
    'no capabilities, no inherited environment, a private /tmp',
    'only declared ports can be reached from outside, and nothing outside from inside',
  ]
  return level === 'full' ? [...shared, 'a filter of system calls, no user namespaces inside'] : shared
}

/** The level a region gets, or a refusal that says what to do. */
export function chooseLevel(wanted: Isolation | 'best', found: LocalDetection): Isolation {
  if (wanted === 'none') return 'none'
  if (wanted === 'full' || wanted === 'basic') {
    const why = found.missing[wanted]
    if (why) throw new ProviderError('Unsupported', `this region demands ${wanted} isolation: ${why}`)
    return wanted
  }
  if (found.level !== 'none') return found.level
  throw new ProviderError(
    'Unsupported',
    `no isolation works on this machine: ${found.missing.basic}. To run services without any, say isolation: none`,
  )
}
