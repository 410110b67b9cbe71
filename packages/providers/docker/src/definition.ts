import { defineProvider, type Provider, Type } from '@stead/provider-kit'

/** As many processes and threads as a service may have: enough for any server, few enough to survive a fork bomb. */
const defaultPids = 1_024
/** A range of private addresses that hardly anybody uses: room for 8,192 servers. */
const defaultRange = '10.213.0.0/16'

const Text = Type.String({ minLength: 1 })

export const DockerConfiguration = Type.Object({
  /** `unix:///var/run/docker.sock`, or `tcp://host:2376`. */
  endpoint: Type.String({ pattern: '^(unix:///.+|tcp://[^/]+)$' }),
  /** Where declared ports can be reached: 127.0.0.1 unless said. */
  address: Type.Optional(Text),
  /** Whether images are pulled that are not there: `missing` unless said. */
  pull: Type.Optional(Type.Union([Type.Literal('missing'), Type.Literal('never')])),
  pidsLimit: Type.Optional(Type.Integer({ minimum: 16 })),
  /** Rights that every service keeps, such as `CHOWN`. None unless said. */
  capabilities: Type.Optional(Type.Array(Type.String({ pattern: '^[A-Z_]+$' }))),
  /** Whether instances reach the machine they run on, and what it reaches on its link. `refused` unless said. */
  hostAccess: Type.Optional(Type.Union([Type.Literal('refused'), Type.Literal('allowed')])),
  /** The addresses that servers' own networks are made of. */
  networkRange: Type.Optional(Type.String({ pattern: '^\\d+(\\.\\d+){3}/\\d+$' })),
})

export const DockerCredentials = Type.Object({
  /** For `tcp://`: whom to trust, and who we are. */
  tls: Type.Optional(Type.Object({ ca: Type.Optional(Text), cert: Type.Optional(Text), key: Type.Optional(Text) })),
  registries: Type.Optional(Type.Array(Type.Object({ server: Text, username: Text, password: Text }))),
})

/** Services as containers, on the Docker Engine API, and on Podman's. */
export const docker = defineProvider({
  kind: 'docker',
  configuration: DockerConfiguration,
  credentials: DockerCredentials,

  async connect({ configuration, credentials, owner, world, signal }): Promise<Provider> {
    // Loaded only now: a Stead without such a region pays nothing for it.
    const [{ addressOf, connectEngine, engineAt }, { Guard, guardOn, machineOf }] = await Promise.all([
      import('./connect.ts'),
      import('./guard/guard.ts'),
    ])
    const { endpoint, address = '127.0.0.1', pidsLimit = defaultPids, capabilities = [] } = configuration
    const { networkRange = defaultRange, hostAccess = 'refused' } = configuration
    const machine = machineOf(endpoint)
    return connectEngine({
      engine: engineAt(addressOf(endpoint, credentials.tls), world),
      ...{ world, owner, signal },
      settings: { address, pidsLimit, capabilities },
      networkRange,
      mayPull: configuration.pull !== 'never',
      registries: credentials.registries ?? [],
      machine,
      guard: kind =>
        hostAccess === 'refused' ? guardOn(machine, networkRange, kind) : new Guard({ not: 'the region allows it' }),
    })
  },
})
