import { type MetricsSample, type Usage, unknownUsage } from '../../groups/metrics.ts'
import type { WatchEvent } from '../../groups/watch.ts'
import { changedFields } from '../../launch-fields.ts'
import type { Provider } from '../../provider.ts'
import { serverInfo } from '../../simulated/client/info.ts'
import { createToken } from '../../tokens.ts'
import { wrong } from './altered.ts'

const changing = [
  wrong('reboot restarts a server and keeps its disk', ({ account }) => right => ({
    reboot: (id, options) =>
      account.servers.get(id)?.state === 'active' && account.servers.get(id)?.disk.read('/marker')
        ? right.describe(id, options)
        : right.reboot!(id, options),
  })),
  wrong('reboot of what does not run is a conflict', ({ account }) => right => ({
    reboot: (id, options) =>
      account.servers.get(id)?.state === 'halted' ? right.start(id, options) : right.reboot!(id, options),
  })),
  wrong('resize changes the size and keeps the disk', () => right => ({
    async resize(id, size, options) {
      const before = await right.describe(id)
      const after = await right.resize!(id, size, options)
      return after.flavor === before.flavor ? after : right.resize!(id, { flavor: before.flavor! }, options)
    },
  })),
  wrong('resize to a size that is not offered changes nothing', () => right => ({
    resize: (id, size, options) =>
      right.resize!(id, size, options).catch(error =>
        error.code === 'InvalidConfig' ? right.describe(id, options) : Promise.reject(error),
      ),
  })),
  wrong('rebuild gives the same server a new disk', ({ account }) => right => ({
    async rebuild(id, ...rest) {
      const marker = account.servers.get(id)?.disk.read('/marker')
      const answer = await right.rebuild!(id, ...rest)
      if (marker) account.server(id).disk.write('/marker', marker)
      return answer
    },
  })),
  wrong('rebuild with one token happens once', () => {
    let count = 0
    return right => ({
      rebuild: (id, spec, token, options) => right.rebuild!(id, spec, createToken(`${token}-${count++}`), options),
    })
  }),
  wrong('update changes what it advertises, at the price it says', () => right => ({
    async update(id, from, to, options) {
      const answer = await right.update!(id, from, to, options)
      return changedFields(from, to).has('tags') ? right.reboot!(id, options) : answer
    },
  })),
  wrong('update refuses the rest before anything starts', () => right => ({
    update: async (id, from, to, options) =>
      changedFields(from, to).has('image') ? right.describe(id, options) : right.update!(id, from, to, options),
  })),
  wrong('adopt makes ours what nobody owns, and restarts nothing', () => right => ({
    async adopt(id, tags, options) {
      await right.adopt!(id, tags, options)
      return right.reboot!(id, options).catch(() => right.describe(id))
    },
  })),
  wrong('adopt leaves alone what another control plane owns', ({ account }) => () => ({
    async adopt(id, tags) {
      const server = account.server(id)
      server.retag({ ...server.tags, ...tags })
      return serverInfo(server.view())
    },
  })),
]

/** Changes what is told of each server's usage. */
const retold =
  (tell: (usage: Usage, sample: MetricsSample) => Usage) =>
  () =>
  (right: Provider): Partial<Provider> => ({
    async metrics(ids, options) {
      const samples = await right.metrics!(ids, options)
      return new Map([...samples].map(([id, sample]) => [id, { ...sample, total: tell(sample.total, sample) }]))
    },
  })

const measuring = [
  wrong(
    'a sample is plausible, and what is unknown is null',
    retold(usage => ({ ...usage, memoryBytes: usage.memoryBytes === null ? null : usage.memoryBytes * 1_024 })),
  ),
  wrong(
    'counters never go back while a server runs',
    retold((usage, { at }) => ({ ...usage, cpuSeconds: usage.cpuSeconds === null ? null : 1e13 - at })),
  ),
  wrong(
    'a server that does not run has no numbers, not zeros',
    retold(usage => ({ ...usage, memoryBytes: usage.memoryBytes ?? 0 })),
  ),
  wrong('what is gone is missing from the answer', ({ subject }) => right => ({
    async metrics(ids, options) {
      const samples = new Map(await right.metrics!(ids, options))
      const sample = { at: subject.world.now(), since: null, total: unknownUsage, services: {} }
      for (const id of ids) if (!samples.has(id)) samples.set(id, sample)
      return samples
    },
  })),
]

/** Passes only some events on. */
const sifted =
  (makePass: () => (event: WatchEvent) => boolean) =>
  () =>
  (right: Provider): Partial<Provider> => ({
    async *watch(request, options) {
      const pass = makePass()
      for await (const event of right.watch!(request, options)) if (pass(event)) yield event
    },
  })

const watching = [
  wrong(
    'a watch opens, and then sees every change of state',
    sifted(() => {
      const ran = new Set<string>()
      return event => {
        if (event.type !== 'change' || event.server?.state !== 'running') return true
        return ran.size < ran.add(event.id).size
      }
    }),
  ),
  wrong('a watch sees only what carries its tags', () => right => ({
    watch: (request, options) => right.watch!({ ...request, tags: {} }, options),
  })),
  wrong('a watch resumed from a cursor misses nothing and repeats nothing', () => right => ({
    watch: ({ tags, after }, options) => right.watch!({ tags, ...(after?.startsWith('no') && { after }) }, options),
  })),
  wrong(
    'a watch sees what disappears',
    sifted(() => event => event.type !== 'change' || event.server !== undefined),
  ),
  wrong('a watch from a cursor that is no longer kept says gone', () => right => ({
    watch: ({ tags, after }, options) =>
      right.watch!({ tags, ...(after !== undefined && !after.startsWith('no') && { after }) }, options),
  })),
  wrong('cancelling a watch is prompt', ({ subject }) => right => ({
    async *watch(request, options) {
      try {
        yield* right.watch!(request, options)
      } catch (error) {
        await subject.world.sleep(subject.limits.transition)
        throw error
      }
    },
  })),
]

export const wrongWithServers = [...changing, ...measuring, ...watching]
