import type { Engine } from '../engine/engine.ts'
import type { Image } from '../engine/words.ts'
import type { Ids } from './containers.ts'

/** Who a service is, by number; undefined when only its image knows what the name means. */
export function numbersOf(user: string | undefined, image: Image): Ids | undefined {
  const [name = '', group = ''] = (user ?? image.Config?.User ?? '').split(':')
  if (name === '' || name === 'root') return { uid: 0, gid: 0 }
  if (!/^\d+$/.test(name)) return undefined
  return { uid: Number(name), gid: /^\d+$/.test(group) ? Number(group) : 0 }
}

/** The same, looked up in the container's own list of users. Who is not in it is nobody, and the container will not start. */
export async function lookUp(engine: Engine, container: string, user: string): Promise<Ids | undefined> {
  const wanted = user.split(':')[0]
  const text = (await engine.readFile(container, '/etc/passwd'))?.toString() ?? ''
  for (const line of text.split('\n')) {
    const [name, , uid, gid] = line.split(':')
    if (name === wanted) return { uid: Number(uid), gid: Number(gid) }
  }
  return undefined
}
