import type { Route } from '../door/route.ts'
import { createRoutes } from './api/create.ts'
import { deleteRoutes } from './api/delete.ts'
import { patchRoutes } from './api/patch.ts'
import { powerRoutes } from './api/power.ts'
import { readRoutes } from './api/read.ts'
import type { InstanceRoom } from './api/room.ts'
import { scaleRoutes } from './api/scale.ts'
import { waitRoutes } from './api/wait.ts'

export type { InstanceRoom } from './api/room.ts'

/** Everything that can be asked of instances. */
export const instanceRoutes = (room: InstanceRoom): readonly Route[] =>
  [createRoutes, readRoutes, patchRoutes, scaleRoutes, powerRoutes, deleteRoutes, waitRoutes].flatMap(routes =>
    routes(room),
  )
