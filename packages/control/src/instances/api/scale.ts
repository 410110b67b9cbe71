import { route } from '../../door/route.ts'
import { fail } from '../../errors/index.ts'
import type { PatchValue } from '../../resource/bodies.ts'
import { Type } from '../../schema/type.ts'
import type { Instance } from '../model.ts'
import { mainService } from '../source/services.ts'
import { prepareChange } from './change.ts'
import { Allow, makeChange } from './patch.ts'
import { Accepted, type InstanceRoutes, one, theInstance } from './room.ts'

const ScaleBody = Type.Object(
  {
    service: Type.Optional(Type.String({ description: 'Of services; the main one unless said.' })),
    cpuMillis: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_024_000 })),
    memoryMiB: Type.Optional(Type.Integer({ minimum: 1, maximum: 67_108_864 })),
    flavor: Type.Optional(Type.String({ minLength: 1, maxLength: 255, description: 'Of a machine.' })),
    replicas: Type.Optional(
      Type.Integer({ description: 'Refused: an instance is one; replicas belong to workloads.' }),
    ),
  },
  { title: 'Scale' },
)

export const scaleRoutes: InstanceRoutes = room => [
  route({
    method: 'POST',
    path: `${one}/scale`,
    summary: 'Give an instance more or less: cpuMillis and memoryMiB for a service, a flavor for a machine',
    scope: 'project',
    permission: 'instances:update',
    target: theInstance,
    query: Type.Object({ allow: Allow }),
    body: ScaleBody,
    replies: { 202: Accepted },
    refuses: ['unsupported'],
    examples: { body: { cpuMillis: 500, memoryMiB: 256, service: 'web' } },
    async handle({ body, ...request }, services) {
      const asked = { ...request, body: patchFor(request.target, body) }
      const change = await prepareChange(room, asked, services)
      return makeChange(room, services, request, { change, allow: request.query.allow, type: 'scale' })
    },
  }),
]

interface Sizes {
  readonly service?: string
  readonly cpuMillis?: number
  readonly memoryMiB?: number
  readonly flavor?: string
  readonly replicas?: number
}

/** The merge patch that a new size is. */
function patchFor({ spec }: Instance, { service, replicas, flavor, ...resources }: Sizes): PatchValue {
  const wrong = (path: string, message: string) =>
    fail('invalid', 'it cannot be scaled so', { errors: [{ path, message }] })
  if (replicas !== undefined) throw wrong('/replicas', 'belong to workloads: an instance is one')
  const { machine, services } = spec.source
  if (machine) {
    const other = Object.keys({ service, ...resources }).find(
      name => ({ service, ...resources })[name as 'service'] !== undefined,
    )
    if (other !== undefined) throw wrong(`/${other}`, 'is for services: a machine is scaled by its flavor')
    if (flavor === undefined) throw wrong('/flavor', 'is needed to scale a machine')
    return { spec: { source: { machine: { flavor } } } }
  }
  if (flavor !== undefined) throw wrong('/flavor', 'is for machines: a service is scaled by cpuMillis and memoryMiB')
  const name = service ?? mainService(services!)!
  if (!Object.hasOwn(services!.services, name)) throw wrong('/service', `there is no service ${JSON.stringify(name)}`)
  if (Object.keys(resources).length === 0) throw wrong('/cpuMillis', 'or memoryMiB is needed to scale a service')
  return { spec: { source: { services: { services: { [name]: { resources } } } } } }
}
