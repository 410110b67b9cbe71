import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { describeWith, PostgresCluster } from '@stead/testing'
import { realWorld, seconds } from '@stead/world'
import { expect, onTestFinished, test } from 'vitest'
import { changeSet } from '../../change-set-builder.ts'
import { openPostgresStore } from '../../postgres/open-store.ts'
import type { Lease } from '../../words/lease.ts'
import type { Store } from '../../words/store.ts'
import { leadership, ledger } from './ledger.ts'

const entry = fileURLToPath(new URL('leader.ts', import.meta.url))

async function takeOver(store: Store): Promise<Lease> {
  for (;;) {
    const [lease] = await store.leases.acquire({ names: [leadership], holder: 'second', ttl: seconds(60) })
    if (lease) return lease
    await sleep(50)
  }
}

/** Who wrote, in the order of the log. */
async function writers(store: Store): Promise<readonly string[]> {
  const order: { revision: number; holder: string }[] = []
  for await (const chunk of (await store.snapshot()).objects)
    for (const { revision, spec } of chunk) order.push({ revision, holder: (spec as { holder: string }).holder })
  return order.sort((a, b) => a.revision - b.revision).map(({ holder }) => holder)
}

describeWith('embedded postgresql', 'a leader that was stopped while it wrote', () => {
  test('writes nothing after another has taken over, and learns why', async () => {
    const cluster = await PostgresCluster.start({ edition: 'embedded postgresql', fsync: false })
    onTestFinished(() => cluster.stop())
    const store = await openPostgresStore({ url: cluster.url(), world: realWorld })
    const start = JSON.stringify({ database: cluster.url(), holder: 'first' })
    const leader = spawn(process.execPath, [entry, start], { stdio: ['ignore', 'pipe', 'inherit'] })
    onTestFinished(() => void leader.kill('SIGKILL'))
    const said = createInterface(leader.stdout)
    const lines: string[] = []
    said.on('line', line => lines.push(line))
    while (lines.length < 20) await once(said, 'line')

    leader.kill('SIGSTOP')
    const { fence } = await takeOver(store)
    const page = { ...ledger, id: 'second-0', createdAt: realWorld.now(), spec: { holder: 'second' } }
    await store.commit(changeSet(realWorld).create(page).fence(leadership, fence))
    leader.kill('SIGCONT')
    await once(leader, 'exit')

    expect(lines.at(-1)).toBe('fenced out')
    const order = await writers(store)
    expect(order.at(-1)).toBe('second')
    expect(order.slice(0, -1).every(holder => holder === 'first')).toBe(true)
    await store.close()
  }, 60_000)
})
