// A leader that writes as fast as it can, each write under the fence of its lease. Argument: a LeaderStart as JSON.
import { realWorld, seconds } from '@stead/world'
import { changeSet } from '../../change-set-builder.ts'
import { openPostgresStore } from '../../postgres/open-store.ts'
import { ConflictError } from '../../words/errors.ts'
import { leadership, ledger } from './ledger.ts'

export interface LeaderStart {
  readonly database: string
  readonly holder: string
}

const { database, holder } = JSON.parse(process.argv[2]!) as LeaderStart
const world = realWorld
const store = await openPostgresStore({ url: database, world })
const [lease] = await store.leases.acquire({ names: [leadership], holder, ttl: seconds(2) })

try {
  for (let count = 0; ; count++) {
    const page = { ...ledger, id: `${holder}-${count}`, createdAt: world.now(), spec: { holder } }
    await store.commit(changeSet(world).create(page).fence(leadership, lease!.fence))
    console.log(`wrote ${count}`)
  }
} catch (error) {
  if (!(error instanceof ConflictError && error.conflict.type === 'fence')) throw error
  console.log('fenced out')
}
await store.close()
