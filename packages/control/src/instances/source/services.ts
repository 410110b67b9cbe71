import type { Static } from 'typebox'
import { Name } from '../../resource/model.ts'
import { Type } from '../../schema/type.ts'

const Words = Type.Array(Type.String({ maxLength: 16_384 }), { maxItems: 1_024 })
const Seconds = (maximum: number, description: string) => Type.Integer({ minimum: 1, maximum, description })

const Port = Type.Object({
  name: Name,
  protocol: Type.Optional(Type.Enum(['tcp', 'udp'])),
  port: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 65_535, description: 'Left out, one is picked and given as `PORT_<NAME>`.' }),
  ),
  public: Type.Optional(Type.Boolean()),
})

/** One form for all four, so that what is missing is told by name. */
const HealthCheck = Type.Object({
  type: Type.Enum(['http', 'tcp', 'grpc', 'command']),
  port: Type.Optional(Type.String({ description: 'The name of a port of the service; for http, tcp and grpc.' })),
  path: Type.Optional(Type.String({ pattern: '^/', maxLength: 2_048, description: 'For http; `/` unless said.' })),
  service: Type.Optional(Type.String({ maxLength: 255, description: 'For grpc: the name of the health service.' })),
  command: Type.Optional(Words),
  intervalSeconds: Type.Optional(Seconds(3_600, '10 unless said.')),
  timeoutSeconds: Type.Optional(Seconds(600, '5 unless said.')),
  healthyThreshold: Type.Optional(Seconds(100, 'This many in a row make it healthy; 1 unless said.')),
  unhealthyThreshold: Type.Optional(Seconds(100, 'This many in a row make it unhealthy; 3 unless said.')),
})
export type HealthCheckSpec = Static<typeof HealthCheck>

const Path = Type.String({ pattern: '^/', maxLength: 4_096 })

const Volume = Type.Object({ name: Name, path: Path, readOnly: Type.Optional(Type.Boolean()) })

const Variable = Type.String({ pattern: '^[A-Za-z_][A-Za-z0-9_]*$', maxLength: 255 })
const FilePath = Type.String({ pattern: '^/.*[^/]$', maxLength: 4_096 })
const Mode = Type.String({ pattern: '^0?[0-7]{3}$', description: 'Its permissions, in octal: `0440`.' })
const Reference = (description: string) => Type.String({ minLength: 1, maxLength: 255, description })

const File = Type.Object({
  content: Type.Optional(Type.String({ maxLength: 262_144 })),
  contentBase64: Type.Optional(Type.String({ maxLength: 262_144, pattern: '^[A-Za-z0-9+/]*={0,2}$' })),
  mode: Type.Optional({
    ...Mode,
    description: 'Its permissions, in octal; 0444 unless said, and 0400 of a secret one.',
  }),
  secret: Type.Optional(
    Type.Boolean({
      description: 'It is for the service alone, and not on a disk where its region can keep it in memory.',
    }),
  ),
})

/** What becomes of what runs when a secret has a new version. Signals are those that programs reload by. */
export const rotations = ['none', 'restart', 'SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2', 'SIGWINCH'] as const

const SecretUse = Type.Object({
  name: Reference('A secret of the project, by name or id; kept by id.'),
  env: Type.Optional({ ...Variable, description: 'The environment variable it is given in; this, or `file`.' }),
  file: Type.Optional({ ...FilePath, description: 'The file it is given in.' }),
  mode: Type.Optional({ ...Mode, description: 'Of the file; 0400 unless said.' }),
  version: Type.Optional(
    Type.Integer({ minimum: 1, description: 'This one for ever; the newest at launch unless said.' }),
  ),
  onRotate: Type.Optional(
    Type.Enum([...rotations], {
      description:
        'When there is a newer version: nothing (unless said), a restart, or a signal after the file was changed.',
    }),
  ),
})
export type SecretUse = Static<typeof SecretUse>

export const ServiceSpec = Type.Object({
  role: Type.Optional(Type.Enum(['main', 'sidecar', 'init'], { description: 'main unless said.' })),
  image: Type.String({ minLength: 1, maxLength: 1_024 }),
  command: Type.Optional(Words),
  args: Type.Optional(Words),
  env: Type.Optional(
    Type.Record(Variable, Type.String({ maxLength: 32_768 }), {
      maxProperties: 512,
      description: 'Readable by whoever may read the instance.',
    }),
  ),
  files: Type.Optional(
    Type.Record(FilePath, File, {
      maxProperties: 64,
      description: 'Configuration files, by path. Readable by whoever may read the instance.',
    }),
  ),
  secrets: Type.Optional(
    Type.Array(SecretUse, { maxItems: 64, description: 'Secrets of the project, in the environment or in files.' }),
  ),
  pullSecret: Type.Optional(Reference('A secret of type registry, with which its image is pulled.')),
  ports: Type.Optional(Type.Array(Port, { maxItems: 64 })),
  volumes: Type.Optional(Type.Array(Volume, { maxItems: 32, description: 'They live and die with the instance.' })),
  resources: Type.Optional(
    Type.Object({
      cpuMillis: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_024_000 })),
      memoryMiB: Type.Optional(Type.Integer({ minimum: 1, maximum: 67_108_864 })),
      gpus: Type.Optional(Type.Integer({ minimum: 0, maximum: 64 })),
    }),
  ),
  healthChecks: Type.Optional(Type.Array(HealthCheck, { maxItems: 16 })),
  dependsOn: Type.Optional(Type.Array(Type.String(), { uniqueItems: true, maxItems: 32 })),
  restart: Type.Optional(Type.Enum(['always', 'onFailure', 'never'], { description: 'always unless said.' })),
  stopGraceSeconds: Type.Optional(Type.Integer({ minimum: 0, maximum: 3_600, description: '10 unless said.' })),
  user: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
  readOnlyRoot: Type.Optional(Type.Boolean()),
})
export type ServiceSpec = Static<typeof ServiceSpec>

/** One co-scheduled unit. A map by name, so that a merge patch touches only what it names. */
export const ServicesSource = Type.Object({
  kind: Type.Optional(
    Type.Enum(['deployment', 'statefulSet'], { default: 'deployment', description: 'It never changes.' }),
  ),
  network: Type.Optional(
    Reference(
      'What all of it is attached to, besides the network of its own: there others reach it by its name. It never changes.',
    ),
  ),
  services: Type.Record(Name, ServiceSpec, { minProperties: 1, maxProperties: 32 }),
})
export type ServicesSource = Static<typeof ServicesSource>

export const roleOf = ({ role = 'main' }: Pick<ServiceSpec, 'role'>) => role

/** The service that stands for the whole where none is named. */
export const mainService = ({ services }: ServicesSource): string | undefined =>
  Object.keys(services).find(name => roleOf(services[name]!) === 'main')

/** The environment variable in which a port that was picked is told. */
export const portVariable = (name: string): string => `PORT_${name.toUpperCase().replaceAll('-', '_')}`
