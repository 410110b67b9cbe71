import assert from 'node:assert/strict'
import { promises } from '../promise.ts'

export const rebootPromises = promises('reboot', {
  async 'reboot restarts a server and keeps its disk'(bench) {
    const { soft } = bench.provider.capabilities().groups.reboot!
    const { id } = await bench.running()
    await bench.inside.write(id, 'kept')
    for (const hard of soft ? [false, true] : [true]) {
      const before = await bench.bootId(id)
      await bench.provider.reboot!(id, { hard })
      await bench.eventually('another boot', async () => {
        const running = (await bench.stateOf(id)) === 'running'
        return (running && (await bench.bootId(id)) !== before) || undefined
      })
      assert.equal(await bench.inside.read(id), 'kept')
    }
  },

  async 'reboot of what does not run is a conflict'(bench) {
    const { id } = await bench.stopped()
    await bench.refused('a reboot of a stopped server', () => bench.provider.reboot!(id), 'Conflict')
    await bench.pictures()
    assert.equal(await bench.stateOf(id), 'stopped')
  },
})

export const resizePromises = promises('resize', {
  async 'resize changes the size and keeps the disk'(bench) {
    const { flavor } = bench.fixture('resize')
    const { id } = await bench.running()
    await bench.inside.write(id, 'kept')
    if (bench.provider.capabilities().groups.resize!.while === 'stopped') {
      await bench.provider.stop(id)
      await bench.until(id, 'stopped')
    }
    await bench.provider.resize!(id, { flavor })
    await bench.provider.start(id)
    await bench.eventually('the new size', async () => {
      const server = await bench.provider.describe(id)
      return (server.state === 'running' && server.flavor === flavor) || undefined
    })
    assert.equal(await bench.inside.read(id), 'kept')
  },

  async 'resize to a size that is not offered changes nothing'(bench) {
    const { id, flavor } = await bench.stopped()
    const resize = () => bench.provider.resize!(id, { flavor: 'there-is-no-such-flavor' })
    await bench.refused('a size that is not offered', resize, 'InvalidConfig')
    await bench.pictures()
    assert.equal((await bench.provider.describe(id)).flavor, flavor)
  },
})

export const rebuildPromises = promises('rebuild', {
  async 'rebuild gives the same server a new disk'(bench) {
    const order = bench.order()
    const { id } = await bench.place(order, true)
    await bench.until(id, 'running')
    await bench.inside.write(id, 'old')
    const spec = { ...order.spec, source: bench.fixture('rebuild').source }
    const answer = await bench.provider.rebuild!(id, spec, bench.token(), { fresh: true })
    assert.equal(answer.id, id)
    await bench.pictures()
    await bench.until(id, 'running')
    assert.equal(await bench.inside.read(id), undefined, 'the old disk is still there')
  },

  async 'rebuild with one token happens once'(bench) {
    const order = bench.order()
    const { id } = await bench.place(order, true)
    await bench.until(id, 'running')
    const spec = { ...order.spec, source: bench.fixture('rebuild').source }
    const token = bench.token()
    for (const fresh of [true, false]) {
      await bench.provider.rebuild!(id, spec, token, { fresh })
      await bench.pictures()
      await bench.until(id, 'running')
      if (fresh) await bench.inside.write(id, 'new')
    }
    assert.equal(await bench.inside.read(id), 'new', 'repeated, it wiped the disk again')
  },
})

export const updatePromises = promises('update', {
  async 'update changes what it advertises, at the price it says'(bench) {
    const { source, fields } = bench.fixture('update')
    for (const [field, price] of Object.entries(bench.provider.capabilities().groups.update!.fields)) {
      const fixture = fields[field as keyof typeof fields]
      assert.ok(fixture, `update of ${field} is advertised, and the subject says nothing about how to test it`)
      const order = bench.order({ source: fixture.source ?? source })
      const { id } = await bench.place(order, true)
      await bench.until(id, 'running')
      await bench.inside.write(id, 'kept')
      const boot = await bench.bootId(id)
      const answer = await bench.provider.update!(id, order.spec, fixture.change(order.spec))
      assert.equal(answer.id, id)
      await bench.pictures()
      await bench.until(id, 'running')
      await bench.eventually(`${field} to change`, async () => (await fixture.shows(id)) || undefined)
      assert.equal(await bench.inside.read(id), 'kept', `${field}: the disk was lost`)
      if (price === 'inPlace') assert.equal(await bench.bootId(id), boot, `${field}: it was restarted`)
    }
  },

  async 'update refuses the rest before anything starts'(bench) {
    const { source, impossible } = bench.fixture('update')
    const order = bench.order({ source })
    const { id } = await bench.place(order, true)
    const before = await bench.until(id, 'running')
    const update = () => bench.provider.update!(id, order.spec, impossible(order.spec))
    await bench.refused('a change that is not advertised', update, 'Unsupported')
    await bench.pictures()
    const after = await bench.provider.describe(id)
    assert.deepEqual(
      [after.state, after.flavor, after.image, after.tags],
      [before.state, before.flavor, before.image, before.tags],
    )
  },
})
