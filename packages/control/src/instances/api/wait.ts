import type { Revision } from '@stead/engine'
import { type Duration, minutes, parseDuration, type World } from '@stead/world'
import { ok } from '../../door/replies.ts'
import { route } from '../../door/route.ts'
import { fail } from '../../errors/index.ts'
import { Type } from '../../schema/type.ts'
import { Instance, instances } from '../model.ts'
import { phases } from '../transitions.ts'
import { type InstanceRoom, type InstanceRoutes, one, theInstance } from './room.ts'

const longest: Duration = minutes(10)

const WaitQuery = Type.Object({
  phase: Type.Optional(
    Type.Array(Type.Enum([...phases]), { description: 'Until it is in one of these; `running` unless said.' }),
  ),
  ready: Type.Optional(Type.Boolean({ description: 'Until it is ready, too.' })),
  generation: Type.Optional(Type.Integer({ minimum: 1, description: 'Until this one, or a newer, is what there is.' })),
  fromRevision: Type.Optional(
    Type.Integer({
      minimum: 0,
      description:
        'Only what is so at or after this revision counts: of a list, an answer (`Stead-Revision`) or an object.',
    }),
  ),
  changedAfter: Type.Optional(
    Type.Integer({ minimum: 0, description: 'Until it has itself changed after this revision: how to follow it.' }),
  ),
  timeout: Type.Optional(Type.String({ maxLength: 32, description: '`60s` unless said, `10m` at most.' })),
})

interface Wanted {
  readonly phase?: readonly string[]
  readonly ready?: boolean
  readonly generation?: number
  readonly changedAfter?: number
}

export const waitRoutes: InstanceRoutes = room => [
  route({
    method: 'GET',
    path: `${one}/wait`,
    summary: 'Wait until an instance is as wanted',
    description: 'Answers at once when it is so already, and `wait_timeout` with the instance when it is not in time.',
    scope: 'project',
    permission: 'instances:read',
    target: theInstance,
    query: WaitQuery,
    replies: { 200: Instance.schema },
    refuses: ['wait_timeout'],
    deadline: minutes(11),
    async handle({ target, query, signal }, { world, everything }) {
      const timeout = timeoutOf(query.timeout)
      const look = () => everything.get(instances, target.id)
      const found = await waitUntil(room, {
        id: target.id,
        look,
        isIt: instance => isAsWanted(instance, query),
        from: query.fromRevision ?? 0,
        timeout,
        signal,
        world,
      })
      if (found === 'late') {
        const last = look()
        throw fail('wait_timeout', `it is ${last?.status.phase ?? 'gone'}`, {
          extensions: { instance: last ? Instance.present(last as never) : null },
        })
      }
      return found ? ok(Instance, found) : { status: 200, body: gone(target) }
    },
  }),
]

/** It was there when it was asked for, and is not any more. */
const gone = (last: Instance) =>
  Instance.present({ ...last, status: { ...last.status, phase: 'destroyed', ready: false, operation: null } } as never)

function timeoutOf(text = '60s'): Duration {
  const timeout = parseDuration(text)
  if (timeout !== undefined && timeout <= longest) return timeout
  const message = 'must be a duration like 60s, of 10m at most'
  throw fail('invalid_request', `timeout ${message}`, { errors: [{ path: '?timeout', message }] })
}

function isAsWanted(
  instance: Instance | undefined,
  { phase = ['running'], ready, generation = 0, changedAfter = -1 }: Wanted,
): boolean {
  if (!instance) return phase.includes('destroyed')
  const { status, revision } = instance
  if (revision <= changedAfter || status.observedGeneration < generation) return false
  return phase.includes(status.phase) && (!ready || status.ready)
}

interface Waiting {
  readonly id: string
  readonly look: () => Instance | undefined
  readonly isIt: (instance: Instance | undefined) => boolean
  /** Nothing that was seen before counts. */
  readonly from: Revision
  readonly timeout: Duration
  readonly signal: AbortSignal
  readonly world: World
}

/** The instance once it is as wanted, undefined once it is gone as wanted, or `late`. Woken by what happens to it alone. */
async function waitUntil({ cache }: InstanceRoom, waiting: Waiting): Promise<Instance | undefined | 'late'> {
  const { id, look, isIt, from, timeout, signal, world } = waiting
  const { promise, resolve, reject } = Promise.withResolvers<Instance | undefined | 'late'>()
  const judge = () => {
    const instance = look()
    // One that is gone never becomes anything else.
    if (!instance) resolve(isIt(instance) ? instance : 'late')
    else if (cache.revision >= from && isIt(instance)) resolve(instance)
  }
  const ended = new AbortController()
  const stop = cache.onChange(({ changes }) => {
    if (changes.some(({ object }) => object.id === id)) judge()
  })
  const timer = world.setTimer(timeout, () => resolve('late'))
  const abort = () => reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  judge()
  // What it is now counts once this node has read so far, though nothing happens to it.
  cache.reached(from, ended.signal).then(judge, () => undefined)
  return promise.finally(() => {
    stop()
    timer.cancel()
    ended.abort()
    signal.removeEventListener('abort', abort)
  })
}
