import {
  admitServices,
  invalid,
  type LaunchSpec,
  ProviderError,
  type ServiceLaunch,
  servicesOf,
} from '@stead/provider-kit'
import { loopbackCommand } from '../sandbox/basic.ts'
import type { Context } from './context.ts'
import { hostImage, isUser } from './furnish.ts'

/** Lower ones need a right that no service has. */
const firstFreePort = 1_024

/** Refuses, before anything is made, what could never run here. */
export function admit(spec: LaunchSpec, context: Context): void {
  admitServices(spec)
  for (const [name, service] of Object.entries(servicesOf(spec))) admitService(name, service, context)
  if (context.settings.requireLimits && context.cgroups.limits.missing.length > 0)
    throw new ProviderError(
      'Unsupported',
      `this region demands limits, and this machine does not enforce ${context.cgroups.limits.missing.join(', ')}`,
    )
}

function admitService(name: string, service: ServiceLaunch, { images, settings }: Context): void {
  const { image, command = [], args = [], user, resources } = service
  const isBare = settings.level === 'none'
  if (image !== hostImage && !images.has(image)) throw invalid(`${name}: there is no image ${JSON.stringify(image)}`)
  if (isBare && image !== hostImage) throw invalid(`${name}: an image needs isolation, and this region has none`)
  if (command.length + args.length === 0) throw invalid(`${name} has no command`)
  if (user !== undefined && !isUser(user))
    throw invalid(`${name}: say its user as a number, e.g. "1000" or "1000:1000"`)
  if ((resources.gpus ?? 0) > 0) throw invalid(`${name}: there are no gpus to give here`)
  if (isBare && service.files.length + service.volumes.length > 0)
    throw invalid(`${name}: files and volumes have a place only where there is isolation, and this region has none`)
  if (service.volumes.some(({ volume }) => volume !== undefined))
    throw invalid(`${name}: volumes that outlive an instance are not to be had here`)
  for (const { name: port, port: number } of service.ports) {
    if (number === undefined) continue
    if (isBare ? settings.forbiddenPorts.includes(number) : number < firstFreePort)
      throw invalid(`${name}: port ${port} cannot be ${number}${isBare ? '' : `; ${firstFreePort} and above are free`}`)
  }
  if (settings.level === 'basic' && service.ports.length > 0 && !loopbackCommand())
    throw invalid(`${name}: ports need the program ip here (package iproute2)`)
}
