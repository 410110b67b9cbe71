import { fail } from '../errors/index.ts'
import type { Instance } from '../instances/model.ts'

/** Refuses a service that an instance does not have. */
export function assertService({ spec }: Pick<Instance, 'spec'>, service: string | undefined, path: string): void {
  if (service === undefined) return
  const { services } = spec.source
  if (services && Object.hasOwn(services.services, service)) return
  const message = services
    ? `must be one of its services: ${Object.keys(services.services).join(', ')}`
    : 'is for services: a machine has none'
  throw fail('invalid_request', `${path} ${message}`, { errors: [{ path, message }] })
}
