import {
  admitServices,
  type CreateToken,
  createByName,
  createTags,
  invalid,
  isOwned,
  isProviderError,
  type LaunchSpec,
  launchFingerprint,
  ProviderError,
  type ServerInfo,
  servicesOf,
} from '@stead/provider-kit'
import type { Image } from '../engine/words.ts'
import { partLabels, recordBody } from './containers.ts'
import type { Context } from './context.ts'
import { names, recordLabels, serverId, shapeOf, sharedNetworkOf } from './labels.ts'
import { look } from './look.ts'
import { furnish, hasFiles } from './make.ts'
import type { Servers } from './servers.ts'
import type { Stage } from './view.ts'

/**
 * Writes down in the engine what is to be, and answers. From then on whoever looks at it can bring it about: everything
 * that is needed for that is in the record, or beside it.
 */
export async function launch(
  context: Context,
  servers: Servers,
  spec: LaunchSpec,
  token: CreateToken,
): Promise<ServerInfo> {
  const id = serverId(token)
  const fingerprint = launchFingerprint(spec)
  return servers.launching(id, fingerprint, async () => {
    const stage = await record(context, spec, { id, token, fingerprint })
    const drive = servers.of(id)
    drive.launched(spec, stage.isFurnished)
    return drive.info()
  })
}

interface Naming {
  readonly id: string
  readonly token: CreateToken
  readonly fingerprint: string
}

/** Makes the record, or finds the one there is. */
async function record(
  context: Context,
  spec: LaunchSpec,
  { id, token, fingerprint }: Naming,
): Promise<{ readonly isFurnished: boolean }> {
  admitServices(spec)
  const [images] = await Promise.all([admit(context, spec), context.inside.ensure()])
  const find = async () => {
    const seen = await look(context, id)
    if (!seen) return undefined
    if (seen.view.stage === 'going') throw new ProviderError('Conflict', `${id} is being removed`)
    return { value: seen.view.stage, fingerprint: seen.view.labels[createTags.fingerprint] }
  }
  const make = async () => {
    // The name of a record changes once all of it is made, so that its first name is free again.
    if (await find()) throw new ProviderError('Conflict', `${id} is there already`)
    return write(context, spec, id, recordLabels(spec, id, token, fingerprint))
  }
  const stage = await createByName<Stage>({ token, fingerprint, find, make })
  const isOurs = stage === 'new' && hasFiles(spec)
  return { isFurnished: isOurs ? await keepFiles(context, spec, id, images) : false }
}

async function admit({ images, engine, owner }: Context, spec: LaunchSpec): Promise<Record<string, Image>> {
  const services = Object.entries(servicesOf(spec))
  const network = sharedNetworkOf(spec)
  if (network !== undefined && !isOwned((await engine.network(network))?.Labels ?? {}, owner.controlPlane))
    throw invalid(`there is no network ${JSON.stringify(network)}`)
  for (const [name, { resources, volumes }] of services) {
    if ((resources.gpus ?? 0) > 0) throw invalid(`${name}: there are no gpus to give here`)
    // Docker refuses less, and says so only when it starts a container.
    if (resources.memoryMiB !== undefined && resources.memoryMiB < 6)
      throw invalid(`${name}: a container needs at least 6 MiB of memory`)
    for (const { volume } of volumes)
      if (volume !== undefined && !volume.startsWith('stead-volume-'))
        throw invalid(`${name}: ${JSON.stringify(volume)} is no volume of this region`)
  }
  const found = services.map(
    async ([name, { image, pullSecret }]) => [name, await images.admit(image, pullSecret)] as const,
  )
  return Object.fromEntries((await Promise.all(found)).filter((pair): pair is [string, Image] => pair[1] !== undefined))
}

async function write(
  context: Context,
  spec: LaunchSpec,
  id: string,
  labels: Readonly<Record<string, string>>,
): Promise<Stage> {
  const { engine, networks } = context
  const needsFiles = hasFiles(spec)
  try {
    // Nobody waits for it here, and it takes longer than all the rest of a launch. Why it fails is told where it is needed.
    networks.ensure(id, shapeOf(spec)).catch(() => {})
    if (needsFiles) await engine.createVolume(names.files(id), partLabels(context, id))
    await engine.createContainer(names.record(id), recordBody(context, id, labels, needsFiles))
    return 'new'
  } catch (error) {
    // Somebody else's record, with somebody else's files: there was one before.
    if (!isProviderError(error, 'Conflict')) await undo(context, id)
    throw error
  }
}

/** Secrets and files are put beside the record before anything is answered: they are nowhere else. */
async function keepFiles(
  context: Context,
  spec: LaunchSpec,
  id: string,
  images: Readonly<Record<string, Image>>,
): Promise<boolean> {
  try {
    await furnish(context, names.record(id), spec, shapeOf(spec), images)
  } catch (error) {
    await undo(context, id)
    throw error
  }
  return Object.keys(servicesOf(spec)).every(name => images[name] !== undefined)
}

/** A launch that fails leaves nothing behind. What an engine that is away keeps is found again by the token. */
async function undo({ engine, networks }: Context, id: string): Promise<void> {
  try {
    await engine.removeContainer(names.record(id))
    await engine.removeVolume(names.files(id))
    await networks.remove(id)
  } catch (error) {
    if (!isProviderError(error)) throw error
  }
}
