import type { LaunchSource, Provider } from '@stead/provider-kit'
import { type ContainerEngine, testImage } from '@stead/testing/engines'
import { millis, realWorld as world } from '@stead/world'
import type { Measurement } from '../harness/rounds.ts'
import { launchAndWatch, terminateAll } from '../local/ours.ts'

const sourceOf = (command: readonly string[]): LaunchSource => ({
  type: 'services',
  kind: 'deployment',
  services: {
    main: {
      ...{ role: 'main', image: testImage, command, env: {}, secretEnv: {}, files: [], ports: [], volumes: [] },
      ...{ resources: {}, healthChecks: [], dependsOn: [], restart: 'never', stopGraceSeconds: 0 },
    },
  },
})

/** To running and to the first command, and then how long it takes to notice that somebody removed its container. */
export const ours = (
  name: string,
  provider: Provider,
  engine: ContainerEngine,
  command: readonly string[],
): Measurement => ({
  name,
  async run() {
    const start = world.monotonic()
    const { ids } = await launchAndWatch(world, provider, sourceOf(command), 1)
    const running = world.monotonic() - start
    const id = ids[0]!
    const session = await provider.exec!(id, { command: ['true'] })
    const { code } = await session.exit
    if (code !== 0) throw new Error(`true ended with ${code}`)
    const entered = world.monotonic() - start
    const noticed = await removeBehindItsBack(provider, engine, id)
    await terminateAll(world, provider, ids)
    return { running, entered, noticed }
  },
})

async function removeBehindItsBack(provider: Provider, engine: ContainerEngine, id: string): Promise<number> {
  // Until this is written down, what is missing would only be made anew.
  while (!(await engine.everything()).includes(`container /${id}_made`)) await world.sleep(millis(5))
  const events = provider.watch!({ tags: {} })[Symbol.asyncIterator]()
  await events.next() // it is open
  await engine.call('DELETE', `/containers/${id}.main?force=true`)
  const removed = world.monotonic()
  for (;;) {
    const { value } = await events.next()
    if (value?.type === 'change' && value.id === id && value.server?.state === 'terminated') break
  }
  await events.return?.()
  return world.monotonic() - removed
}
