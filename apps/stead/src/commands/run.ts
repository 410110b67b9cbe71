import type { InstanceWrite } from '@stead/sdk'
import type { Act } from '../cli/define.ts'
import { endpointsOf } from '../client/endpoints.ts'
import { settle } from '../client/progress.ts'
import { count, duration, given, pairs } from '../client/values.ts'
import { StartError } from '../exit-codes.ts'

export interface RunFlags {
  readonly image?: string
  readonly port?: readonly string[]
  readonly env?: readonly string[]
  readonly label?: readonly string[]
  readonly cpu?: string
  readonly memory?: string
  readonly health?: string
  readonly region?: string
  readonly flavor?: string
  readonly network?: string
  readonly ttl?: string
  readonly timeout?: string
  readonly wait: boolean
}

/** `stead run`: create, wait, say where it answers. */
export const run: Act<RunFlags> = async (session, { args, flags }) => {
  const [name = '', ...command] = args
  const { project, out } = session
  const timeout = duration('--timeout', flags.timeout)
  const made = await project.instances.create(writeOf(name, command, flags), { signal: session.signal })
  if (!flags.wait) return out.result(`${name} is accepted: \`stead wait ${name}\` waits for it`, made)
  const ready = await settle(session, {
    ...{ name: made.metadata.id, ready: true, generation: made.metadata.generation, timeout },
    whatGoesOn: `${name} is still being made on the server; \`stead wait ${name}\` waits for it, \`stead delete ${name}\` ends it`,
  })
  const places = endpointsOf(ready)
  out.result([`${name} is running`, ...places.map(place => `  ${place}`)].join('\n'), ready)
}

/** What the flags say, as the API takes it. */
export function writeOf(name: string, command: readonly string[], flags: RunFlags): InstanceWrite {
  const labels = pairs('--label', flags.label)
  const { region, ttl } = flags
  const source = flags.flavor === undefined ? services(name, command, flags) : machine(flags, command)
  return { name, labels, spec: { ...given({ region, ttl }), source } }
}

type Source = Extract<InstanceWrite, { name: string }>['spec']['source']

function services(name: string, command: readonly string[], flags: RunFlags): Source {
  const ports = (flags.port ?? []).map(portOf)
  const env = pairs('--env', flags.env)
  const resources = given({ cpuMillis: count('--cpu', flags.cpu), memoryMiB: count('--memory', flags.memory) })
  const [first] = ports
  if (flags.health !== undefined && !first) throw new StartError('usage', '--health needs a --port to ask')
  return {
    services: {
      ...given({ network: flags.network }),
      services: {
        [name]: {
          image: flags.image ?? 'host',
          ...(command.length > 0 && { command }),
          ...(Object.keys(env).length > 0 && { env }),
          ...(ports.length > 0 && { ports }),
          ...(Object.keys(resources).length > 0 && { resources }),
          ...(flags.health !== undefined && {
            healthChecks: [{ type: 'http', port: first!.name, path: flags.health, intervalSeconds: 1 } as const],
          }),
        },
      },
    },
  }
}

function machine({ flavor, image, network, ...more }: RunFlags, command: readonly string[]): Source {
  const unfit = Object.entries({
    port: more.port,
    env: more.env,
    cpu: more.cpu,
    memory: more.memory,
    health: more.health,
  })
  const wrong = unfit.find(([, value]) => value !== undefined)?.[0]
  if (wrong !== undefined || command.length > 0)
    throw new StartError('usage', `a machine (--flavor) takes no ${wrong ? `--${wrong}` : 'command'}`)
  if (image === undefined) throw new StartError('usage', 'a machine (--flavor) needs an --image to boot')
  return { machine: { flavor: flavor!, image, ...given({ network }) } }
}

function portOf(text: string) {
  const [, name, number] = /^([a-z0-9-]+)(?::(\d{1,5}))?$/.exec(text) ?? []
  if (name === undefined) throw new StartError('usage', `--port ${text} must be a name such as http, or http:8080`)
  return { name, ...(number !== undefined && { port: Number(number) }) }
}
