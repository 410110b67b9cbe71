import { ProviderError } from '../errors.ts'
import type { LaunchSpec, ServiceLaunch } from '../launch-spec.ts'
import { insidePath } from './inside-path.ts'

type Launches = Readonly<Record<string, ServiceLaunch>>

const namePattern = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/
const variablePattern = /^[A-Za-z_][A-Za-z0-9_]*$/

/** The services of a spec that was let in as one of services. */
export function servicesOf(spec: LaunchSpec): Launches {
  if (spec.source.type !== 'services') throw new Error(`a ${spec.source.type} source was let in`)
  return spec.source.services
}

export const invalid = (why: string): ProviderError => new ProviderError('InvalidConfig', why)

/** Refuses, before anything is made, services that could never run anywhere. What one provider cannot do it refuses itself. */
export function admitServices(spec: LaunchSpec): void {
  const services = servicesOf(spec)
  const mains = Object.values(services).filter(({ role }) => role === 'main')
  if (mains.length !== 1) throw invalid(`${spec.name} has ${mains.length} main services; it must have one`)
  for (const [name, service] of Object.entries(services)) {
    if (!namePattern.test(name)) throw invalid(`${JSON.stringify(name)} is no name of a service`)
    admitService(name, service)
    for (const other of service.dependsOn)
      if (!services[other]) throw invalid(`${name} depends on ${other}, which is not there`)
  }
  admitOrder(services)
  admitPorts(services)
}

function admitService(name: string, service: ServiceLaunch): void {
  const { command = [], args = [] } = service
  for (const word of [...command, ...args]) if (word.includes('\0')) throw invalid(`${name}: a word holds a NUL`)
  for (const [variable, value] of Object.entries({ ...service.env, ...service.secretEnv }))
    if (!variablePattern.test(variable) || value.includes('\0'))
      throw invalid(`${name}: ${JSON.stringify(variable)} cannot be in an environment`)
  for (const { path } of service.files) insidePath(path, `${name}: a file at`)
  for (const volume of service.volumes) {
    insidePath(volume.path, `${name}: a volume at`)
    if (!namePattern.test(volume.name)) throw invalid(`${name}: ${JSON.stringify(volume.name)} is no name of a volume`)
  }
  for (const check of service.healthChecks)
    if (check.type !== 'command' && !service.ports.some(port => port.name === check.port))
      throw invalid(`${name}: a health check asks port ${check.port}, which is not declared`)
}

function admitOrder(services: Launches): void {
  const done = new Set<string>()
  const visit = (name: string, path: readonly string[]) => {
    if (path.includes(name)) throw invalid(`services wait for each other: ${[...path, name].join(' → ')}`)
    if (done.has(name)) return
    for (const other of services[name]!.dependsOn) visit(other, [...path, name])
    done.add(name)
  }
  for (const name of Object.keys(services)) visit(name, [])
}

/** They share one network: two cannot listen in one place. */
function admitPorts(services: Launches): void {
  const taken = new Map<string, string>()
  for (const [service, { ports }] of Object.entries(services))
    for (const { name, protocol, port } of ports) {
      const where = `${service}: port ${name}`
      for (const key of [`${protocol} ${port ?? where}`, `name ${service} ${name}`]) {
        if (taken.has(key)) throw invalid(`${where} and ${taken.get(key)} are the same`)
        taken.set(key, where)
      }
    }
}
