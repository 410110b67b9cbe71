import type { ImageInfo } from '../catalog.ts'
import type { CallOptions } from '../provider.ts'
import type { Collection, ResourceInfo, ResourceSpec } from './collection.ts'

export interface NetworkSpec extends ResourceSpec {
  readonly cidr: string
}

export interface NetworkInfo extends ResourceInfo {
  readonly cidr: string
}

export interface SecurityRule {
  readonly direction: 'ingress' | 'egress'
  readonly protocol: 'tcp' | 'udp' | 'icmp' | 'any'
  /** Absent: every port. */
  readonly ports?: { readonly from: number; readonly to: number }
  /** The other side. */
  readonly cidr: string
}

export interface SecurityGroupSpec extends ResourceSpec {
  /** The backend's id of the network it is for. */
  readonly network: string
  readonly rules: readonly SecurityRule[]
}

export interface SecurityGroupInfo extends ResourceInfo {
  readonly network: string
  readonly rules: readonly SecurityRule[]
}

/** What no rule allows is refused: a machine with a group lets in only what its groups say. */
export interface SecurityGroups extends Collection<SecurityGroupSpec, SecurityGroupInfo> {
  /** Replaces its rules, for every machine that has it. */
  setRules(id: string, rules: readonly SecurityRule[], options?: CallOptions): Promise<SecurityGroupInfo>
}

export interface VolumeSpec extends ResourceSpec {
  readonly sizeGiB: number
}

/** Storage that outlives the servers it is attached to. */
export interface VolumeInfo extends ResourceInfo {
  readonly sizeGiB: number
  /** The servers that have it now. */
  readonly attachedTo: readonly string[]
}

/** An image made of a server's disk. */
export interface SnapshotSpec extends ResourceSpec {
  readonly server: string
}

/** An image brought in from outside. */
export interface ImageSpec extends ResourceSpec {
  readonly sizeBytes: number
  /** Hex. What arrives otherwise is refused and leaves nothing behind. */
  readonly sha256: string
  readonly architecture: ImageInfo['architecture']
  /** Reads it from the start; may be called again when a transfer is repeated. */
  open(options?: CallOptions): AsyncIterable<Uint8Array>
}
