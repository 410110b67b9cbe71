import assert from 'node:assert/strict'
import type { ServerInfo } from '../../server-info.ts'
import { labelTags, ownerTags, serverTags } from '../../tags.ts'
import type { Bench, Order } from '../bench.ts'
import { promises } from '../promise.ts'
import { assertWhole } from '../whole.ts'

const otherSources = {
  machine: { type: 'machine', flavor: 'f', image: 'i' },
  services: { type: 'services', kind: 'deployment', services: {} },
  helm: { type: 'helm', repo: 'https://charts.invalid', chart: 'c', version: '1', values: {} },
  manifests: { type: 'manifests', inline: [] },
  argocd: { type: 'argocd', repoUrl: 'https://git.invalid', path: '.', targetRevision: 'main' },
} as const

/** Nothing of this check is there, and the backend holds no more than before. */
async function leavesNothing(bench: Bench, work: () => Promise<unknown>): Promise<void> {
  const before = await bench.subject.backend.count()
  await work()
  assert.deepEqual(await bench.ids(), [], 'a server is there')
  await bench.eventually('what was left behind to be gone', async () => {
    const count = await bench.subject.backend.count()
    return count <= before || undefined
  })
}

async function sameServer(bench: Bench, order: Order, launches: Promise<{ id: string }>[]): Promise<void> {
  const ids = new Set((await Promise.all(launches)).map(server => server.id))
  assert.equal(ids.size, 1, `one token gave ${[...ids].join(', ')}`)
  assert.deepEqual(await bench.ids(), [...ids], `token ${order.token} made more than it answered`)
}

export const launchPromises = promises(
  'core',
  {
    async 'launch returns as soon as an id exists'(bench) {
      const took = await bench.timed(() => bench.launch())
      const { launch } = bench.subject.limits
      assert.ok(took <= launch, `launch took ${took} ms; without waiting for the boot it takes at most ${launch} ms`)
    },

    async 'a server is told whole, by launch, describe and list alike'(bench) {
      const { id } = await bench.launch()
      await bench.pictures()
      const described = await bench.provider.describe(id)
      assertWhole(described)
      assert.equal(described.id, id)
      const listed = (await bench.list()).find(server => server.id === id)
      const common = ({ tags, launchedAt, flavor, image }: ServerInfo) => ({ tags, launchedAt, flavor, image })
      assert.deepEqual(listed && common(listed), common(described), 'list and describe differ')
    },

    async 'a launched server comes to run, and tells when it was launched'(bench) {
      const before = bench.world.now()
      const { id } = await bench.launch()
      const { launchedAt } = await bench.until(id, 'running')
      // A second of grace on either side: the backend's clock is not ours.
      const plausible =
        launchedAt === undefined || (launchedAt > before - 1_000 && launchedAt < bench.world.now() + 1_000)
      assert.ok(plausible, `launched at ${launchedAt}, asked for at ${before}`)
    },

    async 'a server launched with power off comes to rest'(bench) {
      const { id } = await bench.launch({ power: 'off' })
      await bench.until(id, 'stopped')
    },

    async 'the same token and config give the same server'(bench) {
      const order = bench.order()
      const first = await bench.place(order, true)
      await bench.until(first.id, 'running')
      await sameServer(bench, order, [Promise.resolve(first), bench.place(order)])
    },

    async 'the same token gives the same server to a client connected later'(bench) {
      const order = bench.order()
      const first = await bench.place(order, true)
      const later = await bench.subject.connect()
      bench.afterwards(() => later.close())
      await sameServer(bench, order, [Promise.resolve(first), bench.place(order, false, later)])
    },

    async 'launches of one token at the same time give one server'(bench) {
      const order = bench.order()
      const clients = [bench.provider, bench.provider]
      // Who only searches cannot see what another client has sent: that is what leases and `settle` are for.
      if (bench.provider.capabilities().launch.idempotency.mode !== 'search') {
        const other = await bench.subject.connect()
        bench.afterwards(() => other.close())
        clients.push(other)
      }
      await sameServer(
        bench,
        order,
        clients.map(client => bench.place(order, false, client)),
      )
    },

    async 'the same token with another config is a conflict'(bench) {
      const order = bench.order()
      const first = await bench.place(order, true)
      const other = { ...order.spec, source: bench.subject.sources.other }
      const error = await bench.refused('another config', () => bench.provider.launch(other, order.token), 'Conflict')
      assert.equal(error.retryable, false, 'it will not get better by trying again')
      assert.deepEqual(await bench.ids(), [first.id], 'a second one was made')
    },

    async 'another token gives another server'(bench) {
      const [one, two] = [bench.order(), bench.order()]
      const servers = [await bench.place(one, true), await bench.place({ ...two, spec: one.spec }, true)]
      assert.deepEqual(await bench.ids(), servers.map(server => server.id).sort())
      assert.notEqual(servers[0]!.id, servers[1]!.id)
    },

    async 'every tag that was asked for is on the server'(bench) {
      const labels = labelTags({ tier: 'web', 'app.example.org/part-of': 'shop', empty: '', odd: 'a=b, c: "d" é/ü' })
      const order = bench.order({ tags: labels })
      const launched = await bench.place(order, true)
      await bench.pictures()
      const described = await bench.provider.describe(launched.id)
      const [listed] = await bench.list()
      for (const server of [launched, described, listed!])
        for (const [key, value] of Object.entries(order.spec.tags))
          assert.equal(server.tags[key], value, `tag ${key} of ${server.id}`)
    },

    async 'a launch without the tags that prove ownership is refused'(bench) {
      const { owner } = bench.subject
      const stranger = { ...owner, controlPlane: `${owner.controlPlane}-2` }
      for (const tags of [{}, serverTags(stranger, 'srv-1'), ownerTags(owner)]) {
        const { spec, token } = bench.order()
        const bare = { ...spec, tags: { ...tags, ...bench.mark } }
        await bench.refused('a launch without our tags', () => bench.provider.launch(bare, token), 'InvalidConfig')
      }
      assert.deepEqual(await bench.ids(), [])
    },

    async 'a source that is not supported is refused before anything starts'(bench) {
      const { sources } = bench.provider.capabilities()
      for (const [type, source] of Object.entries(otherSources)) {
        if (sources.includes(source.type)) continue
        const { spec, token } = bench.order({ source })
        await bench.refused(`a ${type} source`, () => bench.provider.launch(spec, token), 'Unsupported')
      }
      assert.deepEqual(await bench.ids(), [])
    },

    async 'an impossible config is InvalidConfig and not retryable'(bench) {
      const { spec, token } = bench.order({ source: bench.subject.sources.invalid })
      const call = () => bench.provider.launch(spec, token, { fresh: true })
      const error = await bench.refused('an impossible config', call, 'InvalidConfig')
      assert.equal(error.retryable, false)
    },

    async 'a failed launch leaves nothing behind'(bench) {
      await leavesNothing(bench, async () => {
        const { spec, token } = bench.order({ source: bench.subject.sources.invalid })
        await bench.refused('an impossible config', () => bench.provider.launch(spec, token, { fresh: true }))
      })
    },
  },
  { 'launch returns as soon as an id exists': 'alone', 'a failed launch leaves nothing behind': 'alone' },
)
