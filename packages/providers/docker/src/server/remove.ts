import { ownerTags, retrying } from '@stead/provider-kit'
import { minutes } from '@stead/world'
import type { Labels } from '../engine/engine.ts'
import type { Context } from './context.ts'
import { labels, names } from './labels.ts'

/** Removes everything of a server but its record, which goes last: as long as it is there, it is known that there is more. */
export async function removeParts({ engine, networks }: Context, id: string): Promise<void> {
  const own = { [labels.id]: id }
  const parts = await engine.containers(own)
  const rest = parts.filter(({ Labels }) => Labels?.[labels.part] !== 'record')
  // Who is joined to a network goes before who holds it.
  const [holders, services] = [
    rest.filter(({ Labels }) => Labels?.[labels.part] === 'network'),
    rest.filter(({ Labels }) => Labels?.[labels.part] !== 'network'),
  ]
  for (const group of [services, holders]) await Promise.all(group.map(({ Id }) => engine.removeContainer(Id)))
  // Volumes by their names: one that the engine was killed in the middle of has no labels.
  const [volumes] = await Promise.all([engine.volumes({}, undefined, { name: [id] }), networks.remove(id)])
  // The record still has the files of the server: they go after it.
  const others = volumes.filter(({ Name }) => Name.startsWith(names.volume(id, '')))
  await Promise.all(others.map(({ Name }) => engine.removeVolume(Name)))
}

/**
 * The record, and what only it has. Together until both are gone: once there is no record nobody comes back here, also when it
 * was only the answer that was lost. A crash in between leaves a volume that `sweep` finds.
 */
export async function removeRecord({ engine, world }: Context, id: string, record: string): Promise<void> {
  await retrying(world, async () => {
    await engine.removeContainer(record)
    await engine.removeVolume(names.files(id))
  })
}

/** Older ones without a record belong to no launch that is under way. */
export const abandoned = minutes(10)

/**
 * Removes what a crash has left of servers that have no record any more, or never got one. Answers whether there is more
 * that has none, and may still get one.
 */
export async function sweep({ engine, owner, world }: Context, known: ReadonlySet<string>): Promise<boolean> {
  const mine = { ...ownerTags(owner), [labels.id]: '' }
  const isNobodys = ({ Labels }: { readonly Labels: Labels | null }) => !known.has(Labels?.[labels.id] ?? '')
  const isOld = (createdAt: string | undefined) => world.now() - Date.parse(createdAt ?? '') > abandoned
  const [volumes, networks] = await Promise.all([engine.volumes(mine), engine.networks(mine)])
  const left = [volumes.filter(isNobodys), networks.filter(isNobodys)] as const
  for (const { Name, CreatedAt } of left[0]) if (isOld(CreatedAt)) await engine.removeVolume(Name)
  for (const { Id, Created } of left[1]) if (isOld(Created)) await engine.removeNetwork(Id)
  return left[0].some(({ CreatedAt }) => !isOld(CreatedAt)) || left[1].some(({ Created }) => !isOld(Created))
}
