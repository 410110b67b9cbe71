import { chownSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { ServiceLaunch } from '@stead/provider-kit'
import { type Ids, insidePath, makeDirectories, placeFile, writeNewFile } from '../sandbox/paths.ts'
import { hostHome, imageMountPoints, type MountPlan, type MountStep, planHost, planImage } from '../sandbox/plan.ts'
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

  if (launch.image !== hostImage) {
    const root = join(disk, 'root')
    await images.unpack(launch.image, root, outer)
    for (const point of [...imageMountPoints, ...steps.map(({ at }) => at)]) makeDirectories(root, point, outer)
    const grounds = [{ at: '', source: root }, ...steps]
    for (const file of launch.files) placeOn(grounds, file, outer)
    return planImage({ root, readOnly: launch.readOnlyRoot ?? false, volumes: steps })
  }

  const grounds = [{ at: hostHome, source: disk }, ...steps]
  for (const { at } of steps) if (at.startsWith(`${hostHome}/`)) makeDirectories(disk, at.slice(hostHome.length), outer)
  // Files below something of the tenant's own are put there; all others are kept in memory and laid over.
  const shelf = join(place.stage, instance, name)
  if (launch.files.length > 0) {
    rmSync(shelf, { recursive: true, force: true })
    mkdirSync(shelf, { recursive: true, mode: 0o711 })
  }
  const files = launch.files.flatMap((file, index) => {
    if (placeOn(grounds, file, outer)) return []
    const source = join(shelf, String(index))
    writeNewFile(source, file.content, { mode: file.secret ? 0o400 : 0o444, owner: outer })
    return [{ source, at: insidePath(file.path, 'a file at') }]
  })
  return planHost({ disk, volumes: steps, files, forbidden: settings.forbiddenPaths })
}

/** Writes a file on the ground it lies on, if it is one of these. */
function placeOn(
  grounds: readonly { readonly at: string; readonly source: string }[],
  file: ServiceLaunch['files'][number],
  owner: Ids | undefined,
): boolean {
  const path = insidePath(file.path, 'a file at')
  const ground = grounds.filter(({ at }) => path.startsWith(`${at}/`)).sort((a, b) => b.at.length - a.at.length)[0]
  if (!ground) return false
  placeFile(ground.source, path.slice(ground.at.length), file.content, { mode: file.secret ? 0o400 : 0o444, owner })
  return true
}

function ownedDirectory(path: string, owner: Ids | undefined): void {
  if (mkdirSync(path, { recursive: true, mode: 0o700 }) && owner) chownSync(path, owner.uid, owner.gid)
}
