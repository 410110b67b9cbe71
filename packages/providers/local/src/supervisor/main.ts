// The supervisor of one region: the parent of everything that runs there. It outlives the control plane that started it,
// ends when nothing runs and nobody asks, and whatever it runs outlives it in turn: the next one takes over.
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { newId, seconds, type Timer, realWorld as world } from '@stead/world'
import { Cgroups } from '../cgroups/index.ts'
import { Images } from '../images/images.ts'
import { closeInherited } from '../machine/open-files.ts'
import { startBasic, startNone } from '../sandbox/basic.ts'
import { startFull } from '../sandbox/full.ts'
import type { Start } from '../sandbox/start.ts'
import type { SupervisorSettings } from '../wire/words.ts'
import { Arrivals } from './arrivals.ts'
import { Ended } from './ended.ts'
import { Feed } from './feed.ts'
import { cgroupName, files } from './files.ts'
import { MemoryWatch } from './memory-watch.ts'
import { Place } from './place.ts'
import { Region } from './region.ts'
import { Seal } from './sealing.ts'
import { SupervisorServer } from './server.ts'

closeInherited()

const [directory, work] = process.argv.slice(2) as [string, string]
const text = readFileSync(join(directory, files.settings), 'utf8')
const settings = JSON.parse(text) as SupervisorSettings
const place = new Place(world, work)
const cgroups = new Cgroups(cgroupName(directory))

const starts: Readonly<Record<SupervisorSettings['level'], () => Start>> = {
  full: () => startFull(world, place.stage),
  basic: () => startBasic(join(work, 'root')),
  none: () => startNone,
}

const context = {
  world,
  arrivals: new Arrivals(world),
  memory: new MemoryWatch(world),
  settings,
  place,
  ended: new Ended(world, join(directory, files.ended)),
  cgroups,
  seal: new Seal(world, join(directory, files.key)),
  images: new Images(place.images),
  start: starts[settings.level](),
  isRoot: process.env.STEAD_IS_ROOT === '1',
}
const feed = new Feed(newId(world, 'feed'))
const region = new Region(context, feed)

/** Long enough for a control plane to be started again, short enough to leave nothing behind. */
const idle = seconds(3)
let waiting: Timer | undefined
let clients = 0

function leave(): void {
  server.close()
  // The lock is still ours: nobody else can be listening there yet.
  rmSync(join(directory, files.socket), { force: true })
  region.leave()
  if (region.isIdle) cgroups.leave()
  process.exit()
}

/** Ends when there is nothing to do, and looks again later when there is. */
function considerLeaving(): void {
  waiting?.cancel()
  waiting = undefined
  if (clients > 0) return
  waiting = world.setTimer(idle, () => (region.isIdle ? leave() : considerLeaving()))
}

const server = new SupervisorServer({
  region,
  feed,
  settings: text,
  notes: [],
  onClients(count) {
    clients = count
    considerLeaving()
  },
  // After the answer is on its way.
  retire: () => void world.setTimer(seconds(0.01), leave),
})

await Promise.all([place.fillPool(), place.spread()])
region.resume()
await server.listen(directory, files.socket)
considerLeaving()
