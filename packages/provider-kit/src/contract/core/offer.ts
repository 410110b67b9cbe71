import assert from 'node:assert/strict'
import { memberGroups } from '../../capabilities.ts'
import { promises } from '../promise.ts'

const unique = (ids: readonly string[]) => new Set(ids).size === ids.length

export const offerPromises = promises(
  'core',
  {
    async 'what is advertised is there, and what is there is advertised'(bench) {
      const { groups } = bench.provider.capabilities()
      for (const group of memberGroups)
        assert.equal(
          bench.provider[group] !== undefined,
          groups[group] !== undefined,
          `${group}: one without the other`,
        )
    },

    async 'it says how a create happens once'(bench) {
      const { launch, groups } = bench.provider.capabilities()
      for (const [what, idempotency] of [
        ['launch', launch?.idempotency] as const,
        ...Object.entries(groups).map(
          ([group, said]) => [group, 'idempotency' in said ? said.idempotency : null] as const,
        ),
      ]) {
        if (idempotency === null) continue
        assert.ok(
          ['token', 'name', 'search'].includes(idempotency?.mode as string),
          `${what} says ${idempotency?.mode}`,
        )
        if (idempotency?.mode === 'search')
          assert.ok(idempotency.settle >= 0, `${what} does not say when it has settled`)
      }
    },

    async 'the catalog offers what is launched'(bench) {
      const { flavors, images } = await bench.provider.catalog()
      assert.ok(unique(flavors.map(flavor => flavor.id)), 'two flavors have one id')
      assert.ok(unique(images.map(image => image.id)), 'two images have one id')
      for (const { id, cpuMillis, memoryMiB } of flavors) assert.ok(cpuMillis > 0 && memoryMiB > 0, `flavor ${id}`)
      for (const source of [bench.subject.sources.minimal, bench.subject.sources.other]) {
        if (source.type !== 'machine') continue
        assert.ok(
          flavors.some(flavor => flavor.id === source.flavor),
          `no flavor ${source.flavor}`,
        )
        const image = images.find(image => image.id === source.image)
        assert.equal(image?.state, 'ready', `image ${source.image}`)
      }
    },

    async 'the ports of a service are its endpoints'(bench) {
      const source = [bench.subject.sources.minimal, bench.subject.sources.other].find(
        source => source.type === 'services',
      )
      assert.ok(source?.type === 'services', 'services are advertised, and the subject has no source of that type')
      const { endpoints, services } = await bench.running({ source })
      for (const [name, service] of Object.entries(source.services)) {
        assert.ok(services[name], `nothing is said of service ${name}`)
        for (const port of service.ports) {
          const found = endpoints.find(endpoint => endpoint.service === name && endpoint.name === port.name)
          assert.equal(found?.protocol, port.protocol, `port ${port.name} of ${name}`)
        }
      }
    },
  },
  { 'the ports of a service are its endpoints': ({ sources }) => sources.includes('services') },
)
