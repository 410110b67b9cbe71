import assert from 'node:assert/strict'
import type { Provider } from '../../provider.ts'
import { serverTags, type Tags } from '../../tags.ts'
import type { Bench } from '../bench.ts'
import { promises } from '../promise.ts'

/** Somebody's machine, another control plane's, and one that only looks like ours. */
function strangers(bench: Bench): Tags[] {
  const { owner } = bench.subject
  const other = { ...owner, controlPlane: `${owner.controlPlane}-2` }
  return [{ Name: 'production-database' }, serverTags(other, 'srv-1'), { 'stead.managed-by': 'stead' }]
}

type Verbs = Readonly<Record<string, (id: string) => Promise<unknown>>>

/** Tries verbs on each of them; each must be refused, and they must run on as if nothing had been. */
async function untouched(bench: Bench, verbs: Verbs): Promise<void> {
  for (const tags of strangers(bench)) {
    const id = await bench.plant(tags)
    const before = await bench.until(id, 'running')
    for (const [what, verb] of Object.entries(verbs)) {
      await bench.pictures()
      const error = await bench.refused(`${what} of what is not ours`, () => verb(id), 'Conflict')
      assert.equal(error.retryable, false)
      await bench.pictures()
      const after = await bench.provider.describe(id)
      assert.deepEqual([after.state, after.tags, after.addresses], [before.state, before.tags, before.addresses], what)
    }
  }
}

/** Everything else that changes a server, as far as the provider has it. */
function otherVerbs(bench: Bench, provider: Provider): Verbs {
  const { spec, token } = bench.order()
  const { groups } = bench.subject
  const other = { ...spec, tags: { ...spec.tags, 'stead.label.changed': 'yes' } }
  return {
    start: id => provider.start(id),
    ...(provider.reboot && { reboot: id => provider.reboot!(id) }),
    ...(provider.rebuild && { rebuild: id => provider.rebuild!(id, spec, token) }),
    ...(provider.resize && groups.resize && { resize: id => provider.resize!(id, groups.resize!) }),
    ...(provider.update && { update: id => provider.update!(id, spec, other) }),
    ...(provider.exec && groups.exec && { exec: id => provider.exec!(id, { command: groups.exec!.commands.sleep }) }),
    ...(provider.console && { console: id => provider.console!.open(id) }),
  }
}

export const ownershipPromises = promises('core', {
  'what is not ours is not stopped': bench => untouched(bench, { stop: id => bench.provider.stop(id) }),

  'what is not ours is not terminated': bench => untouched(bench, { terminate: id => bench.provider.terminate(id) }),

  'what is not ours is not changed by any other verb': bench => untouched(bench, otherVerbs(bench, bench.provider)),

  async 'what is not ours can be seen when all is said'(bench) {
    const id = await bench.plant({ Name: 'production-database' })
    assert.ok((await bench.ids({ tags: {}, all: true })).includes(id))
    assert.equal((await bench.provider.describe(id)).id, id)
  },
})
