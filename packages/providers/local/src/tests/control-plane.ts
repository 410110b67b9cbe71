// A control plane that is there to be killed: launches what it is told, says what became of it, and waits.
import { readFileSync } from 'node:fs'
import { type LaunchSource, launchToken, serverTags } from '@stead/provider-kit'
import { newId, realWorld as world } from '@stead/world'
import { owner, TestRegion } from './region.ts'

const { directory, isolation, sources } = JSON.parse(readFileSync(0, 'utf8')) as {
  directory: string
  isolation: 'full' | 'basic' | 'none'
  sources: LaunchSource[]
}
const region = await TestRegion.open({ directory, isolation })
const ids: string[] = []
for (const source of sources) {
  const serverId = newId(world, 'srv')
  const spec = { name: 'test', source, power: 'on' as const, tags: serverTags(owner, serverId) }
  const { id } = await region.provider.launch(spec, launchToken(serverId, 1))
  await region.until(id, 'running')
  ids.push(id)
}
console.log(JSON.stringify(ids))
await new Promise(() => setInterval(() => {}, 1_000_000))
