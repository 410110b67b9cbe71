import type { FieldError } from '../../errors/problem.ts'
import { pointerTo } from '../../schema/pointer.ts'
import { findCycle } from './order.ts'
import { type HealthCheckSpec, portVariable, roleOf, type ServiceSpec, type ServicesSource } from './services.ts'
import { validateSecrets } from './validate-secrets.ts'

const root = '/spec/source/services/services'

/** What does not fit together in a set of services. */
export function validateServices({ services }: ServicesSource): readonly FieldError[] {
  const names = Object.keys(services)
  const mains = names.filter(name => roleOf(services[name]!) === 'main')
  const oneMain =
    mains.length === 1
      ? []
      : [{ path: root, message: `must have exactly one main service, not ${mains.length || 'none'}` }]
  return [
    ...oneMain,
    ...names.flatMap(name => validateService(name, services)),
    ...validateOrder(services),
    ...samePorts(services),
  ]
}

function validateService(name: string, services: ServicesSource['services']): readonly FieldError[] {
  const service = services[name]!
  const path = pointerTo(root, name)
  const { ports = [], volumes = [], files = {}, healthChecks = [], env = {}, dependsOn = [] } = service
  const inFiles = Object.entries(files).flatMap(([file, { content, contentBase64 }]) =>
    (content === undefined) === (contentBase64 === undefined)
      ? [{ path: pointerTo(`${path}/files`, file), message: 'must have exactly one of content, contentBase64' }]
      : [],
  )
  return [
    ...repeated(`${path}/ports`, ports, 'name'),
    ...repeated(`${path}/volumes`, volumes, 'name'),
    ...repeated(`${path}/volumes`, volumes, 'path'),
    ...inFiles,
    ...validateSecrets(path, service),
    ...healthChecks.flatMap((check, index) => validateCheck(`${path}/healthChecks/${index}`, check, service)),
    ...ports
      .filter(port => Object.hasOwn(env, portVariable(port.name)))
      .map(port => ({
        path: pointerTo(`${path}/env`, portVariable(port.name)),
        message: `is set by Stead for the port ${port.name}`,
      })),
    ...dependsOn.flatMap((other, index) => {
      const problem = dependency(service, name, other, services)
      return problem === undefined ? [] : [{ path: `${path}/dependsOn/${index}`, message: problem }]
    }),
  ]
}

function dependency(
  service: ServiceSpec,
  name: string,
  other: string,
  services: ServicesSource['services'],
): string | undefined {
  const on = Object.hasOwn(services, other) ? services[other] : undefined
  if (!on) return `there is no service ${JSON.stringify(other)}`
  if (other === name) return 'cannot depend on itself'
  // Inits run to their end before the rest begins.
  return roleOf(service) === 'init' && roleOf(on) !== 'init'
    ? 'is not an init, and starts after all of them'
    : undefined
}

function repeated<T, Key extends keyof T>(path: string, items: readonly T[], key: Key): readonly FieldError[] {
  const seen = new Set<T[Key]>()
  return items.flatMap((item, index) => {
    if (!seen.has(item[key])) {
      seen.add(item[key])
      return []
    }
    return [{ path: `${path}/${index}/${String(key)}`, message: 'is used twice' }]
  })
}

function validateCheck(path: string, check: HealthCheckSpec, { ports = [] }: ServiceSpec): readonly FieldError[] {
  if (check.type === 'command')
    return check.command && check.command.length > 0
      ? []
      : [{ path: `${path}/command`, message: 'is needed for a check of type command' }]
  if (check.port === undefined)
    return [{ path: `${path}/port`, message: `is needed for a check of type ${check.type}` }]
  const port = ports.find(({ name }) => name === check.port)
  if (!port) return [{ path: `${path}/port`, message: 'must be the name of a port of the service' }]
  return port.protocol === 'udp' ? [{ path: `${path}/port`, message: 'must be a tcp port' }] : []
}

function validateOrder(services: ServicesSource['services']): readonly FieldError[] {
  const cycle = findCycle(new Map(Object.entries(services).map(([name, { dependsOn = [] }]) => [name, dependsOn])))
  // One that depends on itself is told so already.
  if (!cycle || cycle.length === 1) return []
  const [first] = cycle as [string]
  return [
    {
      path: `${pointerTo(root, first)}/dependsOn`,
      message: `services wait for each other: ${[...cycle, first].join(' → ')}`,
    },
  ]
}

/** They share one network: two cannot listen on one port. */
function samePorts(services: ServicesSource['services']): readonly FieldError[] {
  const seen = new Map<string, string>()
  return Object.entries(services).flatMap(([name, { ports = [] }]) =>
    ports.flatMap(({ port, protocol = 'tcp' }, index) => {
      if (port === undefined) return []
      const key = `${protocol}/${port}`
      const other = seen.get(key)
      if (other === undefined) {
        seen.set(key, name)
        return []
      }
      const message = `${key} is used by ${other} already`
      return [{ path: `${pointerTo(root, name)}/ports/${index}/port`, message }]
    }),
  )
}
