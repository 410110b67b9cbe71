import { accepted } from '../../door/replies.ts'
import { route } from '../../door/route.ts'
import { Instance } from '../model.ts'
import { judgeDelete, refusalBy, verbView } from '../verbs.ts'
import { accept } from './accept.ts'
import { Accepted, type InstanceRoutes, one, theInstance } from './room.ts'

export const deleteRoutes: InstanceRoutes = () => [
  route({
    method: 'DELETE',
    path: one,
    summary: 'Delete an instance, with its disk',
    description: 'Always wins over what is under way. What it was charged is given back when it is gone.',
    scope: 'project',
    permission: 'instances:delete',
    target: theInstance,
    replies: { 202: Accepted },
    handle(request, services) {
      const { target } = request
      const { operation } = target.status
      if (target.deletedAt !== undefined)
        return accepted(Instance, target, operation ? { operation: { id: operation.id, type: operation.type } } : {})
      const view = verbView(services.everything, target)
      const refusal = refusalBy(judgeDelete(view), view)
      if (refusal) throw refusal
      return accept(services, request, { type: 'delete', deletes: true, what: 'it was to go' })
    },
  }),
]
