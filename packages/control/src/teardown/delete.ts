import type { StoredObject } from '@stead/engine'
import { accepted } from '../door/replies.ts'
import type { Reply, Request } from '../door/route.ts'
import type { Services } from '../door/services.ts'
import { appendEvent } from '../events/model.ts'
import { concludeUpdate } from '../resource/conclude.ts'
import type { Presented } from '../resource/present.ts'
import { Type } from '../schema/type.ts'
import { inUse, protectedInside } from './in-use.ts'
import type { EndingStatus, Whole } from './model.ts'

export const DeleteQuery = Type.Object({
  cascade: Type.Optional(Type.Boolean({ description: 'End what is in it too, in order.' })),
})

/** Marks a whole as on its way out, once: the rest is its controller's. What is in the way is ended only with `cascade`. */
export async function concludeDelete<Spec>(
  services: Services,
  noun: { readonly whole: Whole; readonly resource: Shown<Spec> },
  {
    target,
    query,
    caller,
  }: Pick<Request<unknown, { cascade?: boolean }, unknown, Target<Spec>>, 'target' | 'query' | 'caller'>,
): Promise<Reply> {
  const { whole, resource } = noun
  const cascade = query.cascade === true
  const { deletedAt, status, generation: _generation, revision: _revision, ...rest } = target
  if (deletedAt !== undefined && (status.cascade === true || !cascade)) return accepted(resource, target)
  const problem = (cascade ? protectedInside : inUse)(whole, {
    object: target,
    everything: services.everything,
    caller,
  })
  if (problem) throw problem
  const to = {
    ...rest,
    deletedAt: deletedAt ?? services.world.now(),
    status: { ...status, cascade, deletedBy: caller.principalId },
  }
  return concludeUpdate(services, resource, { from: target, to, reply: accepted }, set =>
    appendEvent(set, to, { reason: 'DeleteRequested', message: `by ${caller.displayName}` }),
  )
}

type Target<Spec> = StoredObject<Spec, EndingStatus>

interface Shown<Spec> {
  present(object: Target<Spec>): Presented
}
