import { describeWith, PostgresCluster } from '@stead/testing'
import { realWorld, seconds } from '@stead/world'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { newSet, readAll, widget } from '../conformance/fixture.suite.ts'
import { openPostgresStore } from './open-store.ts'

describeWith('embedded postgresql', 'a primary and its standby', () => {
  async function pair() {
    const primary = await PostgresCluster.start({ edition: 'embedded postgresql', fsync: false })
    onTestFinished(() => primary.stop())
    await (await open(primary.url())).commit(newSet().create(widget('before')))
    const standby = await primary.standby()
    onTestFinished(() => standby.stop())
    const both = primary.url().replace(/127.*\//, `127.0.0.1:${standby.port},127.0.0.1:${primary.port}/`)
    return { primary, standby, both }
  }

  async function open(url: string) {
    const store = await openPostgresStore({ url, world: realWorld, patience: seconds(1) })
    onTestFinished(() => store.close())
    return store
  }

  async function promote(standby: PostgresCluster) {
    const client = new pg.Client(standby.url())
    await client.connect()
    await client.query('SELECT pg_promote()')
    await client.end()
  }

  test('a standby alone is refused as what it is; of several hosts the primary is found', async () => {
    const { standby, primary, both } = await pair()
    const alone = open(standby.url())
    await expect(alone).rejects.toMatchObject({ failure: 'unreachable' })
    await expect(alone).rejects.toThrow(`127.0.0.1:${standby.port}: it is a standby`)
    const store = await open(both)
    expect(store.describe().host).toBe(`127.0.0.1:${primary.port}`)
    await store.commit(newSet().create(widget('after')))
  })

  test('when the standby takes over, commits wait for it and go on there, as the same store', async () => {
    const { standby, primary, both } = await pair()
    const store = await open(both)
    await primary.shutdown('immediate')
    const commit = store.commit(newSet().create(widget('after')), { timeout: seconds(20) })
    await promote(standby)
    expect(await commit).toMatchObject({ revision: 2 })
    expect((await readAll(store)).objects.map(({ id }) => id).sort()).toEqual(['after', 'before'])
    const again = await open(both)
    expect(again.identity).toEqual(store.identity)
    expect(again.identity.observeOnly).toBe(false)
  })

  test('a standby that lacks commits this node has seen ends the node, and the next one only observes', async () => {
    const { standby, primary, both } = await pair()
    const store = await open(both)
    await store.commit(newSet().create(widget('lost')))
    await primary.shutdown('immediate')
    await promote(standby)
    expect((await store.failed).message).toContain('commits were lost')
    await expect(store.commit(newSet().create(widget('after')))).rejects.toThrow('commits were lost')
    await store.close()
    const next = await open(both)
    expect(next.identity).toEqual({ ...store.identity, epoch: 2, observeOnly: true })
  })
})
