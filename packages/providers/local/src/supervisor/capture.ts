import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { ProviderError, servicesOf } from '@stead/provider-kit'
import type { KeptImage } from '../images/images.ts'
import { program } from '../machine/programs.ts'
import type { Context } from './context.ts'
import { hostImage } from './furnish.ts'
import type { Instance } from './instance.ts'

/** Tar's own word for "something changed while it was read": what runs is not stopped for a snapshot. */
const changed = 1

/**
 * Makes an image of what the main service has on its disk. The tenant may exchange directories for links while it is read,
 * so whoever reads it is the tenant's own user, who can read nothing that the tenant cannot. What was laid there for the
 * service, secrets among it, stays behind.
 */
export async function capture({ place, images }: Context, instance: Instance, image: KeptImage): Promise<void> {
  const [name, launch] = Object.entries(servicesOf(instance.spec)).find(([, { role }]) => role === 'main')!
  if (launch.image === hostImage)
    throw invalid('it runs on the files of this machine, and has no root file system of its own')
  const root = place.instance(instance.id, 'disks', name, 'root')
  if (!existsSync(root)) throw invalid('it has not run yet: there is nothing on its disk')
  const { outer } = instance.kept
  if (!outer) throw invalid('it has no user of its own who could read it')
  const ids = [`--reuid=${outer.uid}`, `--regid=${outer.gid}`, '--clear-groups', '--no-new-privs']
  const laid = launch.files.map(({ path }) => `--exclude=.${path}`)
  const options = ['--create', '--file=-', '--one-file-system', '--ignore-failed-read', '--anchored', '--no-wildcards']
  const args = [...ids, '--', program('tar'), ...options, ...laid, '.']
  await images.capture(image, printed(args, root))
}

/**
 * What a program prints, and a failure where it fails: half an archive is none. It is started by whoever reads the first of
 * it: what a program has printed when it ends, and nobody reads yet, Node throws away.
 */
async function* printed(args: readonly string[], cwd: string): AsyncGenerator<Uint8Array> {
  const tar = spawn(program('setpriv'), args, { cwd, env: {}, stdio: ['ignore', 'pipe', 'ignore'] })
  const ended = once(tar, 'close')
  try {
    yield* tar.stdout as AsyncIterable<Uint8Array>
    const [code] = await ended
    if (code !== 0 && code !== changed)
      throw new ProviderError('Internal', `its disk could not be read: tar ended with ${code}`)
  } finally {
    tar.kill()
    await ended
  }
}

const invalid = (why: string) => new ProviderError('InvalidConfig', `no snapshot can be taken: ${why}`)
