// A node as a process of its own: the example domain on a PostgreSQL that may be away. Argument: a NodeStart as JSON.
import { millis, realWorld, seconds } from '@stead/world'
import { startEngine } from '../../engine.ts'
import { openPostgresStore } from '../../postgres/open-store.ts'
import { gadgetController } from '../../simulation/example/gadgets/controller.ts'
import { widgetController } from '../../simulation/example/widgets/controller.ts'
import { workshopController } from '../../simulation/example/workshop/controller.ts'
import { OpenError } from '../../words/errors.ts'
import { httpOutside } from './http-outside.ts'

export interface NodeStart {
  readonly database: string
  readonly outside: string
  readonly leaseTtl: number
  readonly renewEvery: number
}

const start = JSON.parse(process.argv[2]!) as NodeStart
const world = realWorld

async function openStore() {
  for (;;)
    try {
      return await openPostgresStore({ url: start.database, world, poolSize: 4 })
    } catch (error) {
      if (!(error instanceof OpenError && error.failure === 'unreachable')) throw error
      await world.sleep(millis(200))
    }
}

const store = await openStore()
const outside = httpOutside(start.outside)
const engine = startEngine({
  store,
  world,
  controllers: [gadgetController, widgetController(outside), workshopController({ outside, store })],
  leaseTtl: millis(start.leaseTtl),
  renewEvery: millis(start.renewEvery),
  resyncEvery: seconds(20),
})
await engine.loaded
console.log('ready')
process.on('SIGTERM', async () => {
  await engine.stop()
  await store.close()
  process.exit(0)
})
