import assert from 'node:assert/strict'
import { serverTags } from '../../tags.ts'
import type { Bench } from '../bench.ts'
import { promises } from '../promise.ts'

const ours = (bench: Bench) => serverTags(bench.subject.owner, 'srv-adopted')

export const adoptPromises = promises('adopt', {
  async 'adopt makes ours what nobody owns, and restarts nothing'(bench) {
    const id = await bench.plant({ Name: 'handmade' })
    await bench.until(id, 'running')
    const boot = await bench.bootId(id)
    for (let twice = 0; twice < 2; twice++) await bench.provider.adopt!(id, ours(bench))
    await bench.pictures()
    const { tags, state } = await bench.provider.describe(id)
    for (const [key, value] of Object.entries({ ...ours(bench), Name: 'handmade' }))
      assert.equal(tags[key], value, `tag ${key}`)
    assert.equal(state, 'running')
    assert.equal(await bench.bootId(id), boot, 'it was restarted')
    await bench.provider.stop(id)
    await bench.until(id, 'stopped')
  },

  async 'adopt leaves alone what another control plane owns'(bench) {
    const { owner } = bench.subject
    const theirs = serverTags({ ...owner, controlPlane: `${owner.controlPlane}-2` }, 'srv-1')
    const id = await bench.plant(theirs)
    await bench.refused('taking it', () => bench.provider.adopt!(id, ours(bench)), 'Conflict')
    await bench.pictures()
    const { tags } = await bench.provider.describe(id)
    for (const [key, value] of Object.entries(theirs)) assert.equal(tags[key], value, `tag ${key}`)
  },
})
