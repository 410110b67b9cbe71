import { createHash } from 'node:crypto'
import type { ImageInfo } from '../../catalog.ts'
import { ProviderError } from '../../errors.ts'
import type { Collection } from '../../groups/collection.ts'
import type {
  ImageSpec,
  NetworkInfo,
  NetworkSpec,
  SecurityGroupInfo,
  SecurityGroupSpec,
  SecurityGroups,
  SecurityRule,
  SnapshotSpec,
  VolumeInfo,
  VolumeSpec,
} from '../../groups/resources.ts'
import type { CallOptions, CreateOptions } from '../../provider.ts'
import type { Owner } from '../../tags.ts'
import type { CreateToken } from '../../tokens.ts'
import type { Account } from '../account/account.ts'
import { checkedRules, Image, Network, SecurityGroup, Volume } from '../account/resources.ts'
import { Disk } from '../inside/disk.ts'
import { type ResourceKind, ShelfClient } from './collections.ts'
import type { Line } from './line.ts'

export const networks: ResourceKind<NetworkSpec, NetworkInfo, Network> = {
  word: 'networks',
  shelf: account => account.networks,
  make: (place, spec) => new Network(place, spec),
}

export const volumes: ResourceKind<VolumeSpec, VolumeInfo, Volume> = {
  word: 'volumes',
  shelf: account => account.volumes,
  make: (place, spec) => new Volume(place, spec),
}

const securityGroups: ResourceKind<SecurityGroupSpec, SecurityGroupInfo, SecurityGroup> = {
  word: 'securityGroups',
  shelf: account => account.securityGroups,
  make(place, spec, account) {
    const group = new SecurityGroup(place, spec)
    account.networks.usable(spec.network).users.add(group.id)
    return group
  },
  removed: (group, account) => account.networks.roster.get(group.network)?.users.delete(group.id),
}

export class SecurityGroupsClient
  extends ShelfClient<SecurityGroupSpec, SecurityGroupInfo, SecurityGroup>
  implements SecurityGroups
{
  constructor(line: Line, owner: Owner) {
    super(line, owner, securityGroups)
  }

  async setRules(id: string, rules: readonly SecurityRule[], options: CallOptions = {}): Promise<SecurityGroupInfo> {
    await this.owned(id, options)
    const effect = (account: Account) => {
      const group = account.securityGroups.existing(id)
      group.rules = checkedRules(rules)
      account.securityGroups.changed(group)
      return group.view()
    }
    return this.act('setRules', effect, options)
  }
}

export const snapshots: ResourceKind<SnapshotSpec, ImageInfo, Image> = {
  word: 'snapshot',
  shelf: account => account.snapshots,
  make: (place, spec, account) => new Image(place, spec, account.server(spec.server).disk.copy(), 'x86_64'),
}

/** The bytes as a function, so that they are no part of the fingerprint: their checksum already is. */
type Loaded = ImageSpec & { readonly content: () => Uint8Array }

const images: ResourceKind<Loaded, ImageInfo, Image> = {
  word: 'images',
  shelf: account => account.images,
  make(place, spec) {
    const content = spec.content()
    const sum = createHash('sha256').update(content).digest('hex')
    if (content.length !== spec.sizeBytes || sum !== spec.sha256)
      throw new ProviderError('InvalidConfig', `what arrived of ${spec.name} is not what was announced`)
    return new Image(place, spec, new Disk([['/image', content]]), spec.architecture)
  },
}

/** Takes the whole upload first: this cloud has memory enough. */
export class ImagesClient implements Collection<ImageSpec, ImageInfo> {
  readonly #shelf: ShelfClient<Loaded, ImageInfo, Image>
  readonly describe
  readonly list
  readonly delete

  constructor(line: Line, owner: Owner) {
    const shelf = new ShelfClient(line, owner, images)
    this.#shelf = shelf
    this.describe = shelf.describe.bind(shelf)
    this.list = shelf.list.bind(shelf)
    this.delete = shelf.delete.bind(shelf)
  }

  async create(spec: ImageSpec, token: CreateToken, options: CreateOptions = {}): Promise<ImageInfo> {
    const chunks: Uint8Array[] = []
    for await (const chunk of spec.open(options)) chunks.push(chunk)
    const content = Buffer.concat(chunks)
    return this.#shelf.create({ ...spec, content: () => content }, token, options)
  }
}
