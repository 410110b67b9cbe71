import type { Reply } from '../../door/route.ts'
import { route } from '../../door/route.ts'
import type { Services } from '../../door/services.ts'
import { fail } from '../../errors/index.ts'
import { Type } from '../../schema/type.ts'
import type { Server } from '../../servers/model.ts'
import { type Instance, policiesOf } from '../model.ts'
import { seen } from '../project.ts'
import { mainService } from '../source/services.ts'
import { judge, refusalOf, type Verb, verbView } from '../verbs.ts'
import { type Acceptance, type Asking, accept, acceptNothing } from './accept.ts'
import { Accepted, type InstanceRoutes, one, theInstance } from './room.ts'

const at = (verb: Verb) => ({ method: 'POST', path: `${one}/${verb}`, scope: 'project', target: theInstance }) as const

export const powerRoutes: InstanceRoutes = () => [
  route({
    ...at('start'),
    summary: 'Start an instance; one that runs is left as it is',
    permission: 'instances:power',
    replies: { 202: Accepted },
    handle: (request, services) => perform(services, request, 'start', active => starting(request.target, active)),
  }),
  route({
    ...at('stop'),
    summary: 'Stop an instance; its disk stays',
    permission: 'instances:power',
    replies: { 202: Accepted },
    handle: (request, services) =>
      perform(services, request, 'stop', () => ({
        ...powered(request.target, 'off'),
        // It runs though it should be off: it is told so once more.
        ...(policiesOf(request.target).power === 'off' && { status: { restart: { hard: false } } }),
      })),
  }),
  route({
    ...at('restart'),
    summary: 'Restart an instance, or one of its services',
    permission: 'instances:power',
    body: Type.Object(
      {
        service: Type.Optional(Type.String({ description: 'Only this one; all of it unless said.' })),
        hard: Type.Optional(Type.Boolean({ description: 'Cuts the power instead of asking.' })),
      },
      { title: 'Restart' },
    ),
    replies: { 202: Accepted },
    examples: { body: {} },
    handle: (request, services) =>
      perform(services, request, 'restart', () => {
        const { service, hard = false } = request.body
        refuseUnknownService(request.target, service)
        return { status: { restart: { hard, ...(service !== undefined && { service }) } } }
      }),
  }),
  route({
    ...at('suspend'),
    summary: 'Suspend an instance: it is off, and its owner cannot start it',
    permission: 'instances:suspend',
    body: Type.Object({ reason: Type.String({ minLength: 1, maxLength: 1_024 }) }, { title: 'Suspend' }),
    replies: { 202: Accepted },
    examples: { body: { reason: 'unpaid since October' } },
    handle: (request, services) =>
      perform(services, request, 'suspend', () => ({
        what: request.body.reason,
        status: {
          suspended: { since: services.world.now(), reason: request.body.reason, by: request.caller.principalId },
        },
      })),
  }),
  route({
    ...at('unsuspend'),
    summary: 'End a suspension: what its owner wanted before is wanted again',
    permission: 'instances:suspend',
    replies: { 202: Accepted },
    handle: (request, services) => perform(services, request, 'unsuspend', () => ({ status: { suspended: null } })),
  }),
]

type Changes = Pick<Acceptance, 'spec' | 'status'> & Partial<Pick<Acceptance, 'what'>>

/** Does what a verb asks, as far as that makes sense now. */
async function perform(
  services: Services,
  asking: Asking,
  verb: Verb,
  changes: (active: Server | undefined) => Changes,
): Promise<Reply> {
  const view = verbView(services.everything, asking.target)
  const refusal = refusalOf(verb, view)
  if (refusal) throw refusal
  if (judge(verb, view).type === 'nothing') return acceptNothing(services, asking, verb)
  return accept(services, asking, { type: verb, what: `${verb} was asked for`, ...changes(view.active) })
}

const powered = ({ spec }: Instance, power: 'on' | 'off'): Changes =>
  (spec.power ?? 'on') === power ? {} : { spec: { ...spec, power } }

/** What failed for good is tried anew; what is down though it should be on is started by hand. */
function starting(target: Instance, active: Server | undefined): Changes {
  const isThere = active !== undefined && seen(active, target).type !== 'refused'
  if (!isThere) return { ...powered(target, 'on'), status: { retry: true } }
  return policiesOf(target).power === 'off' ? powered(target, 'on') : { status: { restart: { hard: false } } }
}

function refuseUnknownService({ spec }: Instance, service: string | undefined): void {
  if (service === undefined) return
  const { services } = spec.source
  if (services && Object.hasOwn(services.services, service)) return
  const message = services
    ? `must be one of its services: ${mainService(services)} is the main one`
    : 'is for services: a machine has none'
  throw fail('invalid', `there is no service ${JSON.stringify(service)}`, { errors: [{ path: '/service', message }] })
}
