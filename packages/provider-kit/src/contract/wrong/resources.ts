import { createHash } from 'node:crypto'
import { isProviderError, ProviderError } from '../../errors.ts'
import type { Collection, ResourceInfo, ResourceSpec } from '../../groups/collection.ts'
import type { SecurityGroups } from '../../groups/resources.ts'
import type { LaunchSpec } from '../../launch-spec.ts'
import type { Provider } from '../../provider.ts'
import type { Resource } from '../../simulated/account/resources.ts'
import type { Shelf } from '../../simulated/account/shelf.ts'
import { isOwned, ownerTags } from '../../tags.ts'
import { type CreateToken, createToken, fingerprint } from '../../tokens.ts'
import { altered, type Scene, type Spoil, type WrongProvider, wrong } from './altered.ts'

type Group = 'snapshot' | 'images' | 'networks' | 'securityGroups' | 'volumes'
type Things = Collection<ResourceSpec, ResourceInfo>

const members = ['create', 'describe', 'list', 'delete'] as const

/** Replaces members of one group, and leaves the rest of the provider alone. */
const spoilt =
  (group: Group, change: (right: Things) => Partial<Things>): Spoil =>
  right => {
    const things = right[group] as unknown as Things
    const whole = group === 'securityGroups' ? [...members, 'setRules' as keyof Things] : members
    return { [group]: altered(things, whole, change(things)) }
  }

const shelves = {
  snapshot: 'snapshots',
  images: 'images',
  networks: 'networks',
  securityGroups: 'securityGroups',
  volumes: 'volumes',
} as const

const shelfOf = ({ account }: Scene, group: Group) =>
  account[shelves[group]] as unknown as Shelf<ResourceInfo, Resource<ResourceInfo>>

function basics(group: Group, word: string, article = 'a'): WrongProvider[] {
  return [
    wrong(`one token makes one ${word}`, () => {
      const seen = new Set<string>()
      return spoilt(group, right => ({
        create(spec, token, options) {
          const call = `${token} ${fingerprint(spec)}`
          const again = seen.has(call)
          seen.add(call)
          return right.create(spec, again ? createToken(`${token}-again`) : token, options)
        },
      }))
    }),
    wrong(`one token for another ${word} is a conflict`, () => {
      const made = new Map<CreateToken, ResourceInfo>()
      return spoilt(group, right => ({
        async create(spec, token, options) {
          const before = made.get(token)
          if (before) return before
          const info = await right.create(spec, token, options)
          made.set(token, info)
          return info
        },
      }))
    }),
    wrong(`${article} ${word} without the tags that prove ownership is refused`, ({ subject: { owner } }) =>
      spoilt(group, right => ({
        create: (spec, ...rest) => right.create({ ...spec, tags: { ...spec.tags, ...ownerTags(owner) } }, ...rest),
      })),
    ),
    wrong(`${article} ${word} is found by all of its tags`, () =>
      spoilt(group, right => ({
        list: ({ tags: { 'stead.label.other': _, ...tags }, ...rest }, options) =>
          right.list({ ...rest, tags }, options),
      })),
    ),
    wrong(`${article} ${word} that was deleted is gone, and deleting it again succeeds`, scene =>
      spoilt(group, right => ({
        async delete(id, options) {
          if (!shelfOf(scene, group).roster.get(id)) throw new ProviderError('NotFound', `there is no ${id}`)
          return right.delete(id, options)
        },
      })),
    ),
    wrong(`${article} ${word} that is not ours is not deleted`, scene =>
      spoilt(group, right => ({
        async delete(id, options) {
          const thing = shelfOf(scene, group).roster.get(id)
          if (!thing || isOwned(thing.tags, scene.subject.owner.controlPlane)) return right.delete(id, options)
          shelfOf(scene, group).remove(id)
        },
      })),
    ),
  ]
}

/** Deletes what is in use, or says so. */
const deletesAll = (group: Group) => () =>
  spoilt(group, right => ({
    async delete(id, options) {
      try {
        await right.delete(id, options)
      } catch (error) {
        if (!isProviderError(error, 'Conflict') || !error.message.includes('in use')) throw error
      }
    },
  }))

/** Goes into the disk of an image once it is made. */
const emptied = (group: 'snapshot' | 'images', path: string) => (scene: Scene) =>
  spoilt(group, right => ({
    async create(...args) {
      const info = await right.create(...args)
      scene.account[shelves[group]].existing(info.id).disk.delete(path)
      return info
    },
  }))

const withNetwork = (spec: LaunchSpec, network: string): LaunchSpec =>
  spec.source.type === 'machine' ? { ...spec, source: { ...spec.source, network } } : spec

const own = [
  wrong('a snapshot boots and has the content', emptied('snapshot', '/marker')),
  wrong('a snapshot of the never-seen is NotFound', () =>
    spoilt('snapshot', right => ({
      create: (...args) =>
        right.create(...args).catch(error => {
          throw isProviderError(error, 'NotFound') ? new ProviderError('Internal', error.message) : error
        }),
    })),
  ),
  wrong('an image that was brought in boots', emptied('images', '/image')),
  wrong('an image that does not arrive whole is refused and leaves nothing', () => (right: Provider) => ({
    images: altered(right.images!, members, {
      async create(spec, ...rest) {
        const hash = createHash('sha256')
        let sizeBytes = 0
        for await (const chunk of spec.open()) {
          hash.update(chunk)
          sizeBytes += chunk.length
        }
        const sha256 = spec.sizeBytes === sizeBytes ? spec.sha256 : hash.digest('hex')
        return right.images!.create({ ...spec, sizeBytes, sha256 }, ...rest)
      },
    }),
  })),
  wrong('networks isolate', () => {
    let first: string | undefined
    return right => ({
      launch(spec, ...rest) {
        const network = spec.source.type === 'machine' ? spec.source.network : undefined
        first ??= network
        return right.launch(network === undefined ? spec : withNetwork(spec, first!), ...rest)
      },
    })
  }),
  wrong('a network in use is not deleted', deletesAll('networks')),
  wrong('a security group lets in only what its rules say', () => right => ({
    securityGroups: altered(right.securityGroups!, [...members, 'setRules'], {
      create(spec, ...rest) {
        const everything = { direction: 'ingress', protocol: 'any', cidr: '0.0.0.0/0' } as const
        return right.securityGroups!.create({ ...spec, rules: [...spec.rules, everything] }, ...rest)
      },
    }),
  })),
  wrong(
    'changed rules count for those that are there already',
    () =>
      (right: Provider): { securityGroups: SecurityGroups } => ({
        securityGroups: altered(right.securityGroups!, [...members, 'setRules'], {
          setRules: async (id, rules) => ({ ...(await right.securityGroups!.describe(id)), rules }),
        }),
      }),
  ),
  wrong('a volume survives a stop', ({ subject, account }) => right => ({
    async stop(id, options) {
      const { source } = account.server(id).spec
      if (source.type === 'machine' && source.volumes) await subject.groups.volumes!.write(id, '')
      return right.stop(id, options)
    },
  })),
  wrong('a volume outlives its server', ({ subject, account }) => right => ({
    async terminate(id, options) {
      const source = account.servers.get(id)?.spec.source
      if (source?.type === 'machine' && source.volumes) await subject.groups.volumes!.write(id, '')
      return right.terminate(id, options)
    },
  })),
  wrong('a volume in use is not deleted', deletesAll('volumes')),
]

export const wrongWithResources = [
  ...basics('snapshot', 'snapshot'),
  ...basics('images', 'image', 'an'),
  ...basics('networks', 'network'),
  ...basics('securityGroups', 'security group'),
  ...basics('volumes', 'volume'),
  ...own,
]
