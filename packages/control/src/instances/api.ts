import type { Route } from '../door/route.ts'
import { adoptRoutes } from './api/adopt.ts'
import { createRoutes } from './api/create.ts'
import { deleteRoutes } from './api/delete.ts'
import { differenceRoutes } from './api/differences.ts'
import { patchRoutes } from './api/patch.ts'
import { powerRoutes } from './api/power.ts'
import { previewRoutes } from './api/preview.ts'
import { readRoutes } from './api/read.ts'
import type { InstanceRoom, InstanceRoutes } from './api/room.ts'
import { scaleRoutes } from './api/scale.ts'
import { snapshotRoutes } from './api/snapshot.ts'
import { sshKeyRoutes } from './api/ssh-key.ts'
import { waitRoutes } from './api/wait.ts'

export type { InstanceRoom } from './api/room.ts'

// One to a line: rooms add their own.
const all: readonly InstanceRoutes[] = [
  createRoutes,
  adoptRoutes,
  previewRoutes,
  readRoutes,
  patchRoutes,
  scaleRoutes,
  powerRoutes,
  sshKeyRoutes,
  snapshotRoutes,
  deleteRoutes,
  waitRoutes,
  differenceRoutes,
]

/** Everything that can be asked of instances. */
export const instanceRoutes = (room: InstanceRoom): readonly Route[] => all.flatMap(routes => routes(room))
