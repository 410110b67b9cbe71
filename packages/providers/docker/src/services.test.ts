import { runServicesTests } from '@stead/provider-kit/contract'
import { describeWith } from '@stead/testing'
import { ContainerEngine, dockerEngine, podmanEngine } from '@stead/testing/engines'
import { afterAll, beforeAll } from 'vitest'
import { servicesSubject } from './tests/services-subject.ts'

for (const kind of [dockerEngine, podmanEngine])
  describeWith(kind.name, `on ${kind.name}`, () => {
    let engine: ContainerEngine
    beforeAll(async () => {
      engine = await ContainerEngine.start(kind)
    }, 120_000)
    afterAll(() => engine?.close(), 120_000)
    runServicesTests(kind.name, () => servicesSubject(engine), { concurrent: true })
  })
