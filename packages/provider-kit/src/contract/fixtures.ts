import type { Architecture } from '../catalog.ts'
import type { LaunchField } from '../launch-fields.ts'
import type { KeptAddresses, LaunchSource, LaunchSpec, ServiceLaunch } from '../launch-spec.ts'
import type { Tags } from '../tags.ts'

/** For groups of things that are made and removed. */
interface Plantable {
  /** Makes one without the provider, with exactly these tags. */
  plant(tags: Tags): Promise<string>
}

/** Commands that exist inside the servers under test. */
export interface ExecCommands {
  /** Prints a text and a newline. */
  echo(text: string): readonly string[]
  /** The same, to stderr. */
  complain(text: string): readonly string[]
  exit(code: number): readonly string[]
  /** Copies what comes in to what goes out, until its end. */
  readonly cat: readonly string[]
  /** Prints this many bytes. */
  fill(bytes: number): readonly string[]
  /** Runs for a long time. */
  readonly sleep: readonly string[]
  /** For each line that comes in, prints `<rows> <columns>` of its terminal. */
  readonly size: readonly string[]
  /** Prints `ready`; at a TERM, ends with this code. */
  awaitTerm(code: number): readonly string[]
  readonly missing: readonly string[]
}

export interface UpdatedField {
  readonly source?: LaunchSource
  change(spec: LaunchSpec): LaunchSpec
  shows(id: string): Promise<boolean>
}

/** What each optional group needs to be tested. */
export interface GroupFixtures {
  readonly reboot: Readonly<Record<string, never>>
  /** Another flavor than the minimal source has. */
  readonly resize: { readonly flavor: string }
  /** What to rebuild the minimal source into. */
  readonly rebuild: { readonly source: LaunchSource }
  /** For each field that is advertised: the change, and whether a server shows it; of another source, where it takes one. */
  readonly update: {
    readonly source: LaunchSource
    readonly fields: Partial<Record<LaunchField, UpdatedField>>
    /** A change it does not advertise. */
    impossible(spec: LaunchSpec): LaunchSpec
  }
  readonly adopt: Readonly<Record<string, never>>
  /**
   * `of`: what snapshots are taken of, where that is another than the minimal source. `source`: what boots from the
   * snapshot, so that `inside` can read what was written before it was made.
   */
  readonly snapshot: Plantable & { of?(): Promise<LaunchSource>; source(image: string): LaunchSource }
  readonly images: Plantable & {
    /** Two images that boot. */
    readonly contents: readonly [Uint8Array, Uint8Array]
    readonly architecture: Architecture
    source(image: string): LaunchSource
    /** Whether a running server was booted from the first of them. */
    shows(id: string): Promise<boolean>
  }
  readonly networks: Plantable & {
    readonly cidrs: readonly [string, string]
    source(network: string): LaunchSource
    reaches(from: string, to: string): Promise<boolean>
  }
  readonly securityGroups: Plantable & {
    /** A network to make them in. */
    network(tags: Tags): Promise<string>
    source(network: string, groups: readonly string[]): LaunchSource
    /** Whether a connection to this port can be opened. */
    reaches(from: string, to: string, port: number): Promise<boolean>
  }
  readonly volumes: Plantable & {
    readonly sizesGiB: readonly [number, number]
    source(volume: string): LaunchSource
    write(id: string, text: string): Promise<void>
    read(id: string): Promise<string | undefined>
  }
  /** What to type and what then appears, and what it says after every boot. */
  readonly console: {
    readonly source: LaunchSource
    readonly type: string
    readonly echo: string
    readonly prompt: string
  }
  readonly exec: { readonly source: LaunchSource; readonly commands: ExecCommands }
  /** `print`: a line into the log of the server's main service. */
  readonly logs: { readonly source: LaunchSource; print(id: string, line: string): Promise<void> }
  readonly metrics: { readonly source: LaunchSource }
  readonly watch: Readonly<Record<string, never>>
  readonly addresses: { source(keep: KeptAddresses): LaunchSource }
}

/** A service with nothing but an image, and what is said besides. */
export const plainService = (image: string, besides: Partial<ServiceLaunch> = {}): ServiceLaunch => ({
  role: 'main',
  image,
  env: {},
  secretEnv: {},
  files: [],
  ports: [],
  volumes: [],
  resources: {},
  healthChecks: [],
  dependsOn: [],
  restart: 'always',
  stopGraceSeconds: 5,
  ...besides,
})

/** The commands of any system with a POSIX shell. */
export const posixCommands: ExecCommands = {
  echo: text => ['echo', text],
  complain: text => ['sh', '-c', 'echo "$1" >&2', 'sh', text],
  exit: code => ['sh', '-c', `exit ${code}`],
  cat: ['cat'],
  fill: bytes => ['head', '-c', String(bytes), '/dev/zero'],
  sleep: ['sleep', '600'],
  size: ['sh', '-c', 'while read -r line; do stty size; done'],
  awaitTerm: code => ['sh', '-c', `trap 'exit ${code}' TERM; echo ready; while :; do sleep 0.05; done`],
  missing: ['there-is-no-such-command'],
}
