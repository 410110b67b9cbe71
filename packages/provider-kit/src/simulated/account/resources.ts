import type { ImageInfo } from '../../catalog.ts'
import { ProviderError } from '../../errors.ts'
import type { ResourceInfo, ResourceSpec, ResourceState } from '../../groups/collection.ts'
import type {
  NetworkInfo,
  NetworkSpec,
  SecurityGroupInfo,
  SecurityGroupSpec,
  SecurityRule,
  VolumeInfo,
  VolumeSpec,
} from '../../groups/resources.ts'
import { Disk } from '../inside/disk.ts'
import { type Cidr, cidrSize, formatAddress, parseCidr } from './ipv4.ts'
import { Entry } from './roster.ts'

/** Which entry of its shelf this is to be. */
export interface Place {
  readonly id: string
  readonly sequence: number
}

/** Something besides servers that an account has. */
export abstract class Resource<Info extends ResourceInfo> extends Entry<Info> {
  readonly name: string
  state: ResourceState = 'pending'
  /** Who uses it, and keeps it from being removed. */
  readonly users = new Set<string>()

  constructor(place: Place, spec: ResourceSpec) {
    super(place.id, place.sequence, spec.tags)
    this.name = spec.name
  }

  protected base(): ResourceInfo {
    return { id: this.id, name: this.name, state: this.state, tags: this.tags }
  }
}

const invalid = (why: string) => new ProviderError('InvalidConfig', why)

export class Network extends Resource<NetworkInfo> {
  readonly cidr: Cidr
  readonly #text: string
  readonly #taken = new Set<number>()
  #last = 1

  constructor(place: Place, spec: NetworkSpec) {
    super(place, spec)
    const cidr = parseCidr(spec.cidr)
    if (!cidr || cidr.prefix > 29) throw invalid(`${spec.cidr} is not a network of at least 8 addresses`)
    this.cidr = cidr
    this.#text = spec.cidr
  }

  /** The next free host, going round. The first two and the last are the network's own. */
  takeAddress(): string {
    const hosts = cidrSize(this.cidr) - 3
    if (this.#taken.size >= hosts) throw new ProviderError('Capacity', `no address is free in ${this.#text}`)
    do this.#last = ((this.#last - 1) % hosts) + 2
    while (this.#taken.has(this.#last))
    this.#taken.add(this.#last)
    return formatAddress(this.cidr.base + this.#last)
  }

  /** Just this one; undefined when it is taken. */
  takeThis(address: number): string | undefined {
    const host = address - this.cidr.base
    if (host < 2 || host > cidrSize(this.cidr) - 2)
      throw invalid(`${formatAddress(address)} is no host in ${this.#text}`)
    if (this.#taken.has(host)) return undefined
    this.#taken.add(host)
    return formatAddress(address)
  }

  freeAddress(address: number): void {
    this.#taken.delete(address - this.cidr.base)
  }

  override view(): NetworkInfo {
    return { ...this.base(), cidr: this.#text }
  }
}

export class SecurityGroup extends Resource<SecurityGroupInfo> {
  readonly network: string
  rules: readonly SecurityRule[]

  constructor(place: Place, spec: SecurityGroupSpec) {
    super(place, spec)
    this.network = spec.network
    this.rules = checkedRules(spec.rules)
  }

  override view(): SecurityGroupInfo {
    return { ...this.base(), network: this.network, rules: this.rules }
  }
}

export function checkedRules(rules: readonly SecurityRule[]): readonly SecurityRule[] {
  for (const { cidr } of rules) if (!parseCidr(cidr)) throw invalid(`${cidr} is not a network`)
  return rules
}

export class Volume extends Resource<VolumeInfo> {
  readonly disk = new Disk()
  readonly #sizeGiB: number

  constructor(place: Place, spec: VolumeSpec) {
    super(place, spec)
    if (!(spec.sizeGiB >= 1)) throw invalid('a volume has at least 1 GiB')
    this.#sizeGiB = spec.sizeGiB
  }

  override view(): VolumeInfo {
    return { ...this.base(), sizeGiB: this.#sizeGiB, attachedTo: [...this.users] }
  }
}

export class Image extends Resource<ImageInfo> {
  readonly disk: Disk
  readonly #architecture: ImageInfo['architecture']

  constructor(place: Place, spec: ResourceSpec, disk: Disk, architecture: ImageInfo['architecture']) {
    super(place, spec)
    this.disk = disk
    this.#architecture = architecture
  }

  override view(): ImageInfo {
    return {
      ...this.base(),
      architecture: this.#architecture,
      virtualization: 'virtualized',
      sizeBytes: this.disk.bytes,
      minDiskBytes: null,
      gpu: null,
      os: null,
    }
  }
}
