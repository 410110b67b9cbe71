import { millis, seconds, VirtualWorld } from '@stead/world'
import type { IdempotencyMode } from '../capabilities.ts'
import { type ExecCommands, type GroupFixtures, plainService } from '../contract/fixtures.ts'
import type { ContractSubject } from '../contract/subject.ts'
import type { LaunchSource, LaunchSpec, MachineLaunch, ServiceLaunch, ServicesLaunch } from '../launch-spec.ts'
import type { Provider } from '../provider.ts'
import type { Owner, Tags } from '../tags.ts'
import { createToken } from '../tokens.ts'
import type { Account } from './account/account.ts'
import { reaches } from './account/reach.ts'
import { Image, Network, SecurityGroup, Volume } from './account/resources.ts'
import { SimulatedCloud } from './cloud.ts'
import { simulatedProvider } from './index.ts'
import { Disk } from './inside/disk.ts'
import type { SimServer } from './server/server.ts'

export interface SimulatedSubjectOptions {
  readonly mode: IdempotencyMode
  readonly seed?: number
  readonly concurrency?: number
}

const owner: Owner = { controlPlane: 'cp-contract', region: 'reg-contract' }
const machine: MachineLaunch = { type: 'machine', flavor: 'small', image: 'minimal' }
/** A file whose change is told by a signal. */
const reloaded = { path: '/etc/web.conf', content: Buffer.from('old'), secret: true, signal: 'SIGHUP' }
const web = plainService('web:1', {
  files: [reloaded],
  env: { MODE: 'test' },
  ports: [{ name: 'http', protocol: 'tcp', port: 80 }],
  resources: { cpuMillis: 500, memoryMiB: 128 },
})
const services: ServicesLaunch = { type: 'services', kind: 'deployment', services: { web } }

/** The simulated cloud on a virtual clock, with old pictures, small pages and addresses that change: a strict examiner. */
export async function simulatedSubject(options: SimulatedSubjectOptions) {
  const { mode, seed = 1, concurrency = 100 } = options
  const world = new VirtualWorld({ seed })
  const profile = {
    idempotency: mode,
    settle: seconds(2),
    pageSize: 3,
    consistency: { describe: millis(150), list: millis(300) },
  }
  const cloud = new SimulatedCloud({ world, seed, profile, rates: { addressChange: 1 } })
  const elsewhere = new SimulatedCloud({ world, seed })
  elsewhere.outage({ kind: 'outage' })
  const definition = simulatedProvider(name => (name === 'elsewhere' ? elsewhere : cloud))
  const connect = (key = 'simulated', name = 'default'): Promise<Provider> =>
    definition.connect({ configuration: { cloud: name }, credentials: { key }, owner, world: world.node() })
  const provider = await connect()
  const account = cloud.account()
  const subject = {
    cloud,
    provider,
    owner,
    world,
    connect: () => connect(),
    limits: { concurrency, pageSize: 3, launch: millis(400), transition: seconds(20), cancel: millis(5) },
    sources: { minimal: machine, other: services, invalid: { ...machine, image: 'there-is-none' } },
    backend: {
      plant: async tags => plantServer(account, tags),
      remove: async id => {
        if (account.servers.get(id)) cloud.disappear(id)
      },
      count: async () => inventory(cloud),
    },
    unreachable: () => connect('simulated', 'elsewhere'),
    badCredentials: () => connect('wrong'),
    provoke: provocations(cloud),
    inside: {
      write: async (id, text) => account.server(id).disk.write('/marker', Buffer.from(text)),
      read: async id => textOf(account.server(id).disk.read('/marker')),
    },
    bootId: async (id: string) => String(account.server(id).boots),
    groups: fixtures(account, cloud),
    run: work => world.run(work),
    close: () => provider.close(),
  } satisfies ContractSubject & { cloud: SimulatedCloud }
  return subject
}

const textOf = (content: Uint8Array | undefined) => content && Buffer.from(content).toString()

/** A create of somebody else's: each its own. */
function request(account: Account) {
  const name = `planted-${account.name}-${planted++}`
  return { token: createToken(name), fingerprint: 'planted', name }
}

let planted = 0

function plantServer(account: Account, tags: Tags): string {
  const spec: LaunchSpec = { name: 'planted', source: machine, power: 'on', tags }
  return account.launch({ ...request(account), spec, tags }).id
}

function inventory(cloud: SimulatedCloud): number {
  cloud.clockwork.advance()
  const account = cloud.account()
  const live = [...account.servers].filter(server => server.state !== 'deleted')
  const shelves = [account.networks, account.securityGroups, account.volumes, account.images, account.snapshots]
  return live.length + shelves.flatMap(shelf => [...shelf.roster]).length
}

function provocations(cloud: SimulatedCloud) {
  const tags = { 'stead.managed-by': 'stead', 'stead.control-plane': owner.controlPlane, 'stead.server-id': 'srv-x' }
  const spec: LaunchSpec = { name: 'provoked', source: machine, power: 'on', tags }
  const provoke = (fault: 'capacity' | 'quota' | 'throttled') => (provider: Provider) => {
    cloud.script(fault)
    return provider.launch(spec, createToken('provoked.1'), { fresh: true })
  }
  return { Capacity: provoke('capacity'), Quota: provoke('quota'), Throttled: provoke('throttled') }
}

const commands: ExecCommands = {
  echo: text => ['echo', text],
  complain: text => ['complain', text],
  exit: code => ['exit', String(code)],
  cat: ['cat'],
  fill: bytes => ['fill', String(bytes)],
  sleep: ['sleep', '600'],
  size: ['size'],
  awaitTerm: code => ['await', 'TERM', String(code)],
  missing: ['there-is-no-such-command'],
}

function fixtures(account: Account, cloud: SimulatedCloud): GroupFixtures {
  const plant = (name: string, tags: Tags) => ({ name, tags })
  const change = (to: Partial<ServiceLaunch>) => (spec: LaunchSpec) => ({
    ...spec,
    source: { ...services, services: { web: { ...web, ...to } } },
  })
  const launched = (id: string): ServiceLaunch => {
    const { source } = account.server(id).spec
    return source.type === 'services' ? source.services.web! : web
  }
  const reach = async (from: string, to: string, port = 80) =>
    reaches(account, account.server(from), account.server(to), port)
  const content = ['first image', 'second image'].map(text => Buffer.from(text)) as [Buffer, Buffer]
  return {
    reboot: {},
    resize: { flavor: 'medium' },
    rebuild: { source: { ...machine, image: 'debian-12' } },
    update: {
      source: services,
      fields: {
        tags: {
          change: spec => ({ ...spec, tags: { ...spec.tags, 'stead.label.tier': 'web' } }),
          shows: async id => account.server(id).tags['stead.label.tier'] === 'web',
        },
        resources: {
          change: change({ resources: { cpuMillis: 900 } }),
          shows: async id => launched(id).resources.cpuMillis === 900,
        },
        healthChecks: {
          change: change({ healthChecks: [check] }),
          shows: async id => launched(id).healthChecks.length === 1,
        },
        environment: { change: change({ env: { MODE: 'new' } }), shows: async id => launched(id).env.MODE === 'new' },
        files: {
          change: change({ files: [{ ...reloaded, content: Buffer.from('new') }] }),
          shows: async id =>
            textOf(launched(id).files[0]?.content) === 'new' &&
            account
              .insideOf(account.server(id))
              .logs.after(0, 1_000)
              .some(({ line }) => line === 'received SIGHUP'),
        },
        process: {
          change: change({ command: ['serve'] }),
          shows: async id => launched(id).command?.[0] === 'serve',
        },
        addresses: {
          source: machine,
          change: spec => ({ ...spec, source: { ...machine, keepAddresses: { of: 'updated' } } }),
          shows: async id => keptBy(account.server(id)) === 'updated',
        },
      },
      impossible: change({ image: 'web:2' }),
    },
    adopt: {},
    snapshot: {
      source: image => ({ ...machine, image }),
      plant: async tags =>
        account.snapshots.create(request(account), place => new Image(place, plant('planted', tags), new Disk(), null))
          .id,
    },
    images: {
      contents: content,
      architecture: 'x86_64',
      source: image => ({ ...machine, image }),
      shows: async id => textOf(account.server(id).disk.read('/image')) === 'first image',
      plant: async tags =>
        account.images.create(request(account), place => new Image(place, plant('planted', tags), new Disk(), null)).id,
    },
    networks: {
      cidrs: ['10.1.0.0/24', '10.2.0.0/24'],
      source: network => ({ ...machine, network }),
      reaches: reach,
      plant: async tags => plantNetwork(account, tags),
    },
    securityGroups: {
      network: async tags => plantNetwork(account, tags),
      source: (network, securityGroups): LaunchSource => ({ ...machine, network, securityGroups }),
      reaches: reach,
      plant: async tags =>
        account.securityGroups.create(
          request(account),
          place => new SecurityGroup(place, { ...plant('planted', tags), network: 'net-0', rules: [] }),
        ).id,
    },
    volumes: {
      sizesGiB: [1, 2],
      source: volume => ({ ...machine, volumes: [volume] }),
      write: async (id, text) => volumeOf(account, id).disk.write('/mnt/0/marker', Buffer.from(text)),
      read: async id => textOf(volumeOf(account, id).disk.read('/mnt/0/marker')),
      plant: async tags =>
        account.volumes.create(request(account), place => new Volume(place, { ...plant('planted', tags), sizeGiB: 1 }))
          .id,
    },
    console: { source: machine, type: 'hello console', echo: 'hello console', prompt: 'login:' },
    exec: { source: services, commands },
    logs: {
      source: services,
      print: async (id, line) =>
        account.insideOf(account.server(id)).logs.print(cloud.world.now(), 'web', 'stdout', line),
    },
    metrics: { source: services },
    watch: {},
    addresses: { source: keepAddresses => ({ ...machine, publicIp: true, keepAddresses }) },
  }
}

/** Whose addresses a server keeps. */
const keptBy = ({ spec: { source } }: SimServer) => (source.type === 'machine' ? source.keepAddresses?.of : undefined)

const check = {
  type: 'http',
  port: 'http',
  path: '/',
  intervalSeconds: 1,
  timeoutSeconds: 1,
  healthyThreshold: 1,
  unhealthyThreshold: 3,
} as const

function volumeOf(account: Account, server: string): Volume {
  const { source } = account.server(server).spec
  return account.volumes.existing((source.type === 'machine' && source.volumes?.[0]) || '')
}

/** Ready at once: it is there to be used. */
function plantNetwork(account: Account, tags: Tags): string {
  const make = (place: { id: string; sequence: number }) =>
    new Network(place, { name: 'planted', tags, cidr: '10.9.0.0/24' })
  const network = account.networks.create(request(account), make)
  network.state = 'ready'
  account.networks.changed(network)
  return network.id
}
