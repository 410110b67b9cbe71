import { type LaunchSpec, ProviderError, type ServiceLaunch } from '@stead/provider-kit'
import { loopbackCommand } from '../sandbox/basic.ts'
import { insidePath } from '../sandbox/paths.ts'
import type { Context } from './context.ts'
import { hostImage, isUser } from './furnish.ts'
import { servicesOf } from './state.ts'

/** Lower ones need a right that no service has. */
const firstFreePort = 1_024
const namePattern = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/
const variablePattern = /^[A-Za-z_][A-Za-z0-9_]*$/

/** Refuses, before anything is made, what could never run here. */
export function admit(spec: LaunchSpec, context: Context): void {
  const services = servicesOf(spec)
  const mains = Object.values(services).filter(({ role }) => role === 'main')
  if (mains.length !== 1) throw refusal(`${spec.name} has ${mains.length} main services; it must have one`)
  for (const [name, service] of Object.entries(services)) {
    if (!namePattern.test(name)) throw refusal(`${JSON.stringify(name)} is no name of a service`)
    admitService(name, service, context)
    for (const other of service.dependsOn)
      if (!services[other]) throw refusal(`${name} depends on ${other}, which is not there`)
  }
  admitOrder(services)
  admitPorts(services)
  if (context.settings.requireLimits && context.cgroups.limits.missing.length > 0)
    throw new ProviderError(
      'Unsupported',
      `this region demands limits, and this machine does not enforce ${context.cgroups.limits.missing.join(', ')}`,
    )
}

function admitService(name: string, service: ServiceLaunch, { images, settings }: Context): void {
  const { image, command = [], args = [], user, resources } = service
  const isBare = settings.level === 'none'
  if (image !== hostImage && !images.has(image)) throw refusal(`${name}: there is no image ${JSON.stringify(image)}`)
  if (isBare && image !== hostImage) throw refusal(`${name}: an image needs isolation, and this region has none`)
  if (command.length + args.length === 0) throw refusal(`${name} has no command`)
  for (const word of [...command, ...args]) if (word.includes('\0')) throw refusal(`${name}: a word holds a NUL`)
  if (user !== undefined && !isUser(user))
    throw refusal(`${name}: say its user as a number, e.g. "1000" or "1000:1000"`)
  if ((resources.gpus ?? 0) > 0) throw refusal(`${name}: there are no gpus to give here`)
  for (const [variable, value] of Object.entries({ ...service.env, ...service.secretEnv }))
    if (!variablePattern.test(variable) || value.includes('\0'))
      throw refusal(`${name}: ${JSON.stringify(variable)} cannot be in an environment`)
  if (isBare && service.files.length + service.volumes.length > 0)
    throw refusal(`${name}: files and volumes have a place only where there is isolation, and this region has none`)
  for (const { path } of service.files) insidePath(path, `${name}: a file at`)
  for (const volume of service.volumes) {
    insidePath(volume.path, `${name}: a volume at`)
    if (volume.volume !== undefined) throw refusal(`${name}: volumes that outlive an instance are not to be had here`)
    if (!namePattern.test(volume.name)) throw refusal(`${name}: ${JSON.stringify(volume.name)} is no name of a volume`)
  }
  for (const check of service.healthChecks)
    if (check.type !== 'command' && !service.ports.some(port => port.name === check.port))
      throw refusal(`${name}: a health check asks port ${check.port}, which is not declared`)
  for (const { name: port, port: number } of service.ports) {
    if (number === undefined) continue
    if (isBare ? settings.forbiddenPorts.includes(number) : number < firstFreePort)
      throw refusal(`${name}: port ${port} cannot be ${number}${isBare ? '' : `; ${firstFreePort} and above are free`}`)
  }
  if (settings.level === 'basic' && service.ports.length > 0 && !loopbackCommand())
    throw refusal(`${name}: ports need the program ip here (package iproute2)`)
}

function admitOrder(services: Readonly<Record<string, ServiceLaunch>>): void {
  const done = new Set<string>()
  const visit = (name: string, path: readonly string[]) => {
    if (path.includes(name)) throw refusal(`services wait for each other: ${[...path, name].join(' → ')}`)
    if (done.has(name)) return
    for (const other of services[name]!.dependsOn) visit(other, [...path, name])
    done.add(name)
  }
  for (const name of Object.keys(services)) visit(name, [])
}

/** They share one network: two cannot listen in one place. */
function admitPorts(services: Readonly<Record<string, ServiceLaunch>>): void {
  const taken = new Map<string, string>()
  for (const [service, { ports }] of Object.entries(services))
    for (const { name, protocol, port } of ports) {
      const where = `${service}: port ${name}`
      for (const key of [`${protocol} ${port ?? where}`, `name ${service} ${name}`]) {
        if (taken.has(key)) throw refusal(`${where} and ${taken.get(key)} are the same`)
        taken.set(key, where)
      }
    }
}

const refusal = (why: string) => new ProviderError('InvalidConfig', why)
