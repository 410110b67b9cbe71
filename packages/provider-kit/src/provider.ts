import type { Capabilities } from './capabilities.ts'
import type { Catalog, ImageInfo } from './catalog.ts'
import type { ServerFilter } from './filter.ts'
import type { Collection } from './groups/collection.ts'
import type { Console } from './groups/console.ts'
import type { ExecRequest, ExecSession } from './groups/exec.ts'
import type { LogLine, LogRequest } from './groups/logs.ts'
import type { MetricsSample } from './groups/metrics.ts'
import type {
  ImageSpec,
  NetworkInfo,
  NetworkSpec,
  SecurityGroups,
  SnapshotSpec,
  VolumeInfo,
  VolumeSpec,
} from './groups/resources.ts'
import type { WatchEvent, WatchRequest } from './groups/watch.ts'
import type { LaunchSpec } from './launch-spec.ts'
import type { ServerInfo } from './server-info.ts'
import type { Tags } from './tags.ts'
import type { CreateToken } from './tokens.ts'

export interface CallOptions {
  /** Ends the call at once, with the signal's reason. What was sent may still happen: a create is found again by its token. */
  readonly signal?: AbortSignal | undefined
}

export interface CreateOptions extends CallOptions {
  /**
   * No call with this token was ever sent, by anyone. A provider that finds by search then need not wait for an earlier one
   * to come to light. When in doubt, leave it out.
   */
  readonly fresh?: boolean
}

export interface StopOptions extends CallOptions {
  /** Cuts the power instead of asking. */
  readonly hard?: boolean
}

export interface RebootOptions extends CallOptions {
  readonly hard?: boolean
  /** Only this service. */
  readonly service?: string
}

export interface MachineSize {
  readonly flavor: string
  /** A larger disk. Disks never shrink. */
  readonly diskGiB?: number
}

/**
 * The adapter to one backend, for one control plane and region. Every call is safe to repeat, fails with a `ProviderError`,
 * and changes nothing that does not carry our tags. The promises are in `contract/promises`, one test each.
 */
export interface Provider {
  capabilities(): Capabilities
  /** What the region offers. Also the cheapest call that proves the backend reachable. */
  catalog(options?: CallOptions): Promise<Catalog>

  /** Returns as soon as an id exists; it may still be booting. */
  launch(spec: LaunchSpec, token: CreateToken, options?: CreateOptions): Promise<ServerInfo>
  /** Returns once the backend has taken it on. Succeeds for what is gone or was never there. */
  terminate(id: string, options?: CallOptions): Promise<void>
  /** Storage survives. */
  stop(id: string, options?: StopOptions): Promise<ServerInfo>
  /**
   * Answers the addresses it has from now on, or none yet: never those it had. One that keeps its addresses has them again;
   * while another has them that is not stopped it is a `Conflict`.
   */
  start(id: string, options?: CallOptions): Promise<ServerInfo>
  /** `NotFound` when there is none; `Unavailable` when we cannot know. */
  describe(id: string, options?: CallOptions): Promise<ServerInfo>
  /** Page by page. It is complete when it ends without an error. */
  list(filter: ServerFilter, options?: CallOptions): AsyncIterable<readonly ServerInfo[]>

  /** Lets go of connections and open streams. Servers are not touched. */
  close(): Promise<void>

  reboot?(id: string, options?: RebootOptions): Promise<ServerInfo>
  resize?(id: string, size: MachineSize, options?: CallOptions): Promise<ServerInfo>
  /** The same server with a new disk; tags and addresses are as they were. Once per token: repeated, it does not wipe again. */
  rebuild?(id: string, spec: LaunchSpec, token: CreateToken, options?: CreateOptions): Promise<ServerInfo>
  /** Changes a launched spec. Refuses with `Unsupported`, before anything starts, what its capability does not name. */
  update?(id: string, from: LaunchSpec, to: LaunchSpec, options?: CallOptions): Promise<ServerInfo>
  /** Writes our tags on something nobody owns. Nothing is restarted. The one verb that may touch what is not ours. */
  adopt?(id: string, tags: Tags, options?: CallOptions): Promise<ServerInfo>

  readonly snapshot?: Collection<SnapshotSpec, ImageInfo>
  readonly images?: Collection<ImageSpec, ImageInfo>
  readonly networks?: Collection<NetworkSpec, NetworkInfo>
  readonly securityGroups?: SecurityGroups
  readonly volumes?: Collection<VolumeSpec, VolumeInfo>

  readonly console?: Console
  exec?(id: string, request: ExecRequest, options?: CallOptions): Promise<ExecSession>
  logs?(id: string, request: LogRequest, options?: CallOptions): AsyncIterable<LogLine>
  /** One sample each, now. What is gone is missing from the answer. */
  metrics?(ids: readonly string[], options?: CallOptions): Promise<ReadonlyMap<string, MetricsSample>>
  watch?(request: WatchRequest, options?: CallOptions): AsyncIterable<WatchEvent>
}
