import { type LaunchSource, launchToken, type Owner, type Provider, serverTags } from '@stead/provider-kit'
import { newId, type World } from '@stead/world'

const owner: Owner = { controlPlane: 'bench', region: 'bench' }

export const benchOwner = owner

/** Launches this many at once and resolves when all of them run, as a control plane that watches sees it. */
export async function launchAndWatch(
  world: World,
  provider: Provider,
  source: LaunchSource,
  count: number,
): Promise<{ readonly millis: number; readonly ids: readonly string[] }> {
  const stop = new AbortController()
  const running = new Set<string>()
  const events = provider.watch!({ tags: {} }, { signal: stop.signal })[Symbol.asyncIterator]()
  await events.next() // it is open
  const start = world.monotonic()
  const launches = Array.from({ length: count }, () => launch(world, provider, source))
  const all = (async () => {
    while (running.size < count) {
      const { value } = await events.next()
      if (value?.type === 'change' && value.server?.state === 'running') running.add(value.id)
    }
    return world.monotonic() - start
  })()
  const [millis, ids] = await Promise.all([all, Promise.all(launches)])
  await events.return?.()
  return { millis, ids }
}

async function launch(world: World, provider: Provider, source: LaunchSource): Promise<string> {
  const serverId = newId(world, 'srv')
  const spec = { name: 'bench', source, power: 'on' as const, tags: serverTags(owner, serverId) }
  return (await provider.launch(spec, launchToken(serverId, 1), { fresh: true })).id
}

/** Ends them, and resolves when nothing of them is left. */
export async function terminateAll(world: World, provider: Provider, ids: readonly string[]): Promise<void> {
  await Promise.all(ids.map(id => provider.terminate(id)))
  for (;;) {
    let left = 0
    for await (const page of provider.list({ tags: {}, all: true })) left += page.length
    if (left === 0) return
    await world.sleep(10 as never)
  }
}
