import { isProviderError, type LaunchSpec, servicesOf } from '@stead/provider-kit'
import { tarOf } from '../engine/tar.ts'
import type { Image } from '../engine/words.ts'
import { filesDirectory, filesOf, holderBody, type Ids, type Plan, partLabels, serviceBody } from './containers.ts'
import type { Context } from './context.ts'
import { names, openText, type Shape } from './labels.ts'
import { isAskedElsewhere } from './networks.ts'
import { addressIn } from './subnets.ts'
import { lookUp, numbersOf } from './users.ts'
import { isShared, type View } from './view.ts'

/** Whether a server has anything that must not stand in a label. */
export const hasFiles = (spec: LaunchSpec): boolean => openText(spec) === undefined

/** Writes the files of a server where its services will find them. */
export async function furnish(
  { engine }: Context,
  record: string,
  spec: LaunchSpec,
  shape: Shape,
  images: Readonly<Record<string, Image>>,
  looked: Readonly<Record<string, Ids>> = {},
): Promise<void> {
  const owners = Object.entries(servicesOf(spec)).flatMap(([name, { user }]) => {
    const ids = looked[name] ?? (images[name] && numbersOf(user, images[name]))
    return ids ? [[name, ids] as const] : []
  })
  await engine.putArchive(record, filesDirectory, tarOf(filesOf(spec, shape, images, Object.fromEntries(owners))))
}

/** Makes everything that is missing of a server: images, volumes, network, containers. Repeated, it makes what is still missing. */
export async function make(
  context: Context,
  view: View,
  record: string,
  spec: LaunchSpec,
  isFurnished: boolean,
): Promise<void> {
  const { engine, kind } = context
  const { id, shape } = view
  const services = servicesOf(spec)
  const [images, volumes] = await Promise.all([imagesOf(context, spec), makeVolumes(context, id, spec)])
  const filesAt = volumes.get(names.files(id))
  if (filesAt !== undefined && !isFurnished) await furnish(context, record, spec, shape, images)
  const network = context.networks.ensure(id, shape)
  const address = isAskedElsewhere(kind, shape) ? addressIn(await network) : undefined
  const plan: Plan = { id, spec, shape, images, filesAt, address }
  const create = (name: string, body: object) => once(engine.createContainer(name, body))
  const missing = Object.keys(services).filter(name => !view.services[name])
  const holder = async () => {
    await network
    if (isShared(shape) && !view.holder) await create(names.holder(id), holderBody(context, plan))
  }
  const held = holder()
  // Docker wants what is joined only when a container starts, Podman already when it is made.
  if (kind === 'podman') await held
  await Promise.all([held, ...missing.map(name => create(names.service(id, name), serviceBody(context, plan, name)))])
  if (filesAt !== undefined) await giveToNamedUsers(context, record, plan)
}

/** Made twice at the same time it is there once, and that is what was wanted. */
async function once(making: Promise<unknown>): Promise<void> {
  try {
    await making
  } catch (error) {
    if (!isProviderError(error, 'Conflict')) throw error
  }
}

async function imagesOf({ images }: Context, spec: LaunchSpec): Promise<Record<string, Image>> {
  const found = Object.entries(servicesOf(spec)).map(
    async ([name, { image, pullSecret }]) => [name, await images.get(image, pullSecret)] as const,
  )
  return Object.fromEntries(await Promise.all(found))
}

/** Its own volumes, with where each is for the engine. */
async function makeVolumes(context: Context, id: string, spec: LaunchSpec): Promise<Map<string, string>> {
  const own = Object.values(servicesOf(spec)).flatMap(({ volumes }) =>
    volumes.filter(({ volume }) => volume === undefined).map(({ name }) => names.volume(id, name)),
  )
  const all = new Set([...own, ...(hasFiles(spec) ? [names.files(id)] : [])])
  const labels = partLabels(context, id)
  const made = [...all].map(async name => [name, (await context.engine.createVolume(name, labels)).Mountpoint] as const)
  return new Map(await Promise.all(made))
}

/** Files belong to who reads them. What a name means only the container knows, and it is there only now. */
async function giveToNamedUsers(context: Context, record: string, { id, spec, shape, images }: Plan): Promise<void> {
  const named = Object.entries(servicesOf(spec)).filter(
    ([name, { user, files }]) =>
      (files.length > 0 || shape.services[name]!.isSecretive) && !numbersOf(user, images[name]!),
  )
  if (named.length === 0) return
  const found = await Promise.all(
    named.map(async ([name, { user }]) => {
      const ids = await lookUp(context.engine, names.service(id, name), user ?? images[name]!.Config!.User!)
      return ids ? [[name, ids] as const] : []
    }),
  )
  await furnish(context, record, spec, shape, images, Object.fromEntries(found.flat()))
}
