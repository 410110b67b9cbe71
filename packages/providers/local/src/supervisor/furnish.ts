import { chmodSync, chownSync, existsSync, mkdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { insidePath, type ServiceFile, type ServiceLaunch } from '@stead/provider-kit'
import { type Ids, makeDirectories, placeFile, writeNewFile } from '../sandbox/paths.ts'
import {
  hostHome,
  imageMountPoints,
  imageScratch,
  type MountPlan,
  type MountStep,
  type PlannedFile,
  planHost,
  planImage,
} from '../sandbox/plan.ts'
import type { Context } from './context.ts'
import type { ServiceOptions } from './service.ts'

/** The image that is the host's own file system. */
export const hostImage = 'host'

const userPattern = /^(\d+)(?::(\d+))?$/

/** Who a service is for itself. On the host's files it is nobody in particular, in an image it is who owns them. */
export function innerIds({ user, image }: ServiceLaunch): Ids {
  const [, uid, gid = uid] = userPattern.exec(user ?? (image === hostImage ? '1000' : '0')) ?? []
  return { uid: Number(uid), gid: Number(gid) }
}

export const isUser = (user: string): boolean => userPattern.test(user)

/** Puts everything a service will find in its place, and says what it will see. Nothing of it runs meanwhile. */
export async function furnish(context: Context, options: ServiceOptions): Promise<MountPlan> {
  const { place, images, settings } = context
  const { instance, name, launch, outer } = options
  const disk = place.instance(instance, 'disks', name)
  ownedDirectory(disk, outer)
  if (settings.level === 'none') return { root: undefined, steps: [] }

  const volumes = launch.volumes.map((volume): { step: Extract<MountStep, { step: 'bind' }> } => {
    const source = place.instance(instance, 'volumes', volume.name)
    ownedDirectory(source, outer)
    const at = insidePath(volume.path, 'a volume at')
    return { step: { step: 'bind', source, at, writable: !volume.readOnly } }
  })
  const steps = volumes.map(({ step }) => step)

  const shelf = new Shelf(join(place.stage, instance, name), outer)
  shelf.clear(launch.files)
  if (launch.image !== hostImage) {
    const root = join(disk, 'root')
    await images.unpack(launch.image, root, outer)
    for (const point of [...imageMountPoints, ...steps.map(({ at }) => at)]) makeDirectories(root, point, outer)
    const memory = imageScratch.map(at => ({ at, source: undefined }))
    const files = shelf.arrange([{ at: '', source: root }, ...memory, ...steps], launch.files)
    return planImage({ root, readOnly: launch.readOnlyRoot ?? false, volumes: steps, files })
  }

  const grounds = [{ at: hostHome, source: disk }, ...steps]
  for (const { at } of steps) if (at.startsWith(`${hostHome}/`)) makeDirectories(disk, at.slice(hostHome.length), outer)
  const files = shelf.arrange(grounds, launch.files)
  return planHost({ disk, volumes: steps, files, forbidden: settings.forbiddenPaths })
}

/** Something that files can lie on; on what is in memory, or the host's, nothing can be put before it is there. */
interface Ground {
  readonly at: string
  readonly source: string | undefined
}

/** Where the files of a service are kept in memory, to be laid over what it sees. */
class Shelf {
  readonly #directory: string
  readonly #owner: Ids | undefined

  constructor(directory: string, owner: Ids | undefined) {
    this.#directory = directory
    this.#owner = owner
  }

  clear(files: readonly ServiceFile[]): void {
    if (files.length === 0) return
    rmSync(this.#directory, { recursive: true, force: true })
    mkdirSync(this.#directory, { recursive: true, mode: 0o711 })
  }

  /** Puts files where they belong, and answers those that are to be laid over: a secret is never on a disk. */
  arrange(grounds: readonly Ground[], files: readonly ServiceFile[]): readonly PlannedFile[] {
    return files.flatMap((file, index) => {
      const at = insidePath(file.path, 'a file at')
      const ground = grounds.filter(each => at.startsWith(`${each.at}/`)).sort((a, b) => b.at.length - a.at.length)[0]
      // Of a secret there is only the place on the tenant's own disk, over which it is laid.
      if (ground?.source !== undefined) {
        const content = isLaid(file) ? new Uint8Array() : file.content
        placeFile(ground.source, at.slice(ground.at.length), content, { mode: modeOf(file), owner: this.#owner })
        if (!isLaid(file)) return []
      }
      const source = join(this.#directory, String(index))
      writeNewFile(source, file.content, { mode: modeOf(file), owner: this.#owner })
      return [{ source, at }]
    })
  }
}

/** One that changes while its service runs is not on the tenant's ground either, where links could be laid for us. */
const isLaid = ({ secret, signal }: ServiceFile): boolean => secret || signal !== undefined

/**
 * Changes files that a running service is told of by a signal, on its shelf. In place, because what is laid over is a file
 * and not its name. False when they are not there: the shelf goes with the supervisor that made it.
 */
export function rewriteFiles(shelf: string, files: readonly ServiceFile[]): boolean {
  const changing = files.flatMap((file, index) =>
    file.signal === undefined ? [] : [{ file, path: join(shelf, String(index)) }],
  )
  if (!changing.every(({ path }) => existsSync(path))) return false
  for (const { file, path } of changing) {
    chmodSync(path, 0o600)
    writeFileSync(path, file.content, { flag: 'r+' })
    truncateSync(path, file.content.length)
    chmodSync(path, modeOf(file))
  }
  return true
}

const modeOf = ({ mode, secret }: ServiceFile): number => mode ?? (secret ? 0o400 : 0o444)

function ownedDirectory(path: string, owner: Ids | undefined): void {
  if (mkdirSync(path, { recursive: true, mode: 0o700 }) && owner) chownSync(path, owner.uid, owner.gid)
}
