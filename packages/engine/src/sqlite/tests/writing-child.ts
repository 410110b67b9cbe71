// A process that writes to a store as fast as it can, says on stdout what was acknowledged, and waits to be killed.
// Arguments: directory, concurrent writers, writes each (0: for ever). Starts when a line comes on stdin.
import { once } from 'node:events'
import { realWorld } from '@stead/world'
import { changeSet } from '../../change-set-builder.ts'
import type { ObjectDraft } from '../../words/object.ts'
import { openSqliteStore } from '../open-store.ts'

const [directory, writers, writes] = [process.argv[2]!, Number(process.argv[3]), Number(process.argv[4])]

const widget = (id: string, n: number): ObjectDraft => ({
  kind: 'widget',
  id,
  labels: {},
  finalizers: [],
  createdAt: realWorld.now(),
  spec: { n, text: 'x'.repeat(200) },
  status: {},
})

process.stdout.write('loaded\n')
await once(process.stdin, 'data')
process.stdin.destroy()
const store = await openSqliteStore({ directory, world: realWorld })
process.stdout.write('open\n')
void store.failed.then(error => {
  process.stdout.write(`failed ${error.message}\n`)
  process.exit(3)
})

/** Puts, and sometimes removes, a few objects over and over; each commit moves a counter by one. */
async function write(writer: number): Promise<void> {
  for (let n = 0; writes === 0 || n < writes; n++) {
    const ids = [`${writer}-${n % 7}`, `${writer}-${n % 5}-b`]
    const set = { ...changeSet(realWorld).move('commits', 1) }
    const put = ids.map(id => widget(id, n))
    const isRemoval = n % 11 === 10
    const { revision } = await store.commit(
      isRemoval ? { ...set, puts: [put[0]!], removes: [{ kind: 'widget', id: ids[1]! }] } : { ...set, puts: put },
    )
    process.stdout.write(`acknowledged ${revision} ${ids[0]}\n`)
  }
}

try {
  await Promise.all(Array.from({ length: writers }, (_, writer) => write(writer)))
  await store.close()
} catch (error) {
  process.stdout.write(`rejected ${(error as Error).message}\n`)
}
