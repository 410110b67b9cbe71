import { isDeepStrictEqual } from 'node:util'
import type { View } from '@stead/engine'
import type { LaunchSpec, ServerInfo } from '@stead/provider-kit'
import { type FieldError, fail } from '../../errors/problem.ts'
import { Image } from '../../images/model.ts'
import type { Offered } from '../../regions/catalog/offered.ts'
import type { WrittenSpec } from '../model.ts'

type Source = WrittenSpec['source']

export interface Describing {
  readonly info: ServerInfo
  /** What the caller says it is made of. */
  readonly sent: Source | undefined
  /** What the instance that it becomes is made of so far. */
  readonly before: Source | undefined
  readonly offered: Pick<Offered, 'flavors'>
  /** What is in the project. */
  readonly objects: View
}

const sourceField = '/spec/source'

/**
 * What an adopted object is made of: as was said, else as far as the region can tell. Of services only their names can be
 * told, so that somebody has to say the rest; a machine has its flavor and its image.
 */
export function sourceOf({ info, sent, before, offered, objects }: Describing): Source {
  const said = sent ?? before
  if (said?.services) return said
  const flavor = offered.flavors.find(({ backendId }) => backendId === info.flavor && backendId !== null)?.name
  const image = imageOf(info, objects)
  const found = { ...(flavor !== undefined && { flavor }), ...(image !== undefined && { image }) }
  // What was said stands, to be held against what is found; what an instance was before gives way to it.
  const machine = sent?.machine ?? ((flavor ?? image) ? { ...before?.machine, ...found } : before?.machine)
  if (machine?.flavor !== undefined && machine.image !== undefined)
    return { machine: { ...machine, flavor: machine.flavor, image: machine.image } }
  throw fail('invalid', 'what it is made of cannot be told from what is in the region', {
    errors: [{ path: sourceField, message: 'is needed: say what it runs' }],
  })
}

/** An image of the project by its own id, one of everybody's by what the backend calls it. */
function imageOf({ image }: ServerInfo, objects: View): string | undefined {
  if (image === undefined) return undefined
  const [own] = objects.list<Image>({ kind: Image.kind, where: ({ status }) => status.backendId === image }).items
  return own?.id ?? image
}

/** Refuses a description that is not of what was found. It would be wrong from the first moment on. */
export function refuseOther({ source }: Pick<LaunchSpec, 'source'>, info: ServerInfo): void {
  const errors = source.type === 'machine' ? otherMachine(source, info) : otherServices(source, info)
  if (errors.length > 0) throw fail('invalid', 'what is there is something else than what was said', { errors })
}

type MachineLaunch = Extract<LaunchSpec['source'], { type: 'machine' }>

const otherMachine = (source: MachineLaunch, info: ServerInfo): readonly FieldError[] =>
  (['flavor', 'image'] as const).flatMap(field =>
    info[field] === undefined || info[field] === source[field]
      ? []
      : [{ path: `${sourceField}/machine/${field}`, message: `is ${info[field]} in the region` }],
  )

function otherServices(source: LaunchSpec['source'], { services, image }: ServerInfo): readonly FieldError[] {
  if (source.type !== 'services') return []
  const [said, found] = [Object.keys(source.services).sort(), Object.keys(services).sort()]
  const path = `${sourceField}/services/services`
  if (!isDeepStrictEqual(said, found)) return [{ path, message: `are ${found.join(', ') || 'none'} in the region` }]
  const main = Object.keys(source.services).find(name => source.services[name]!.role === 'main')
  const saidImage = main === undefined ? undefined : source.services[main]?.image
  return image === undefined || saidImage === undefined || saidImage === image
    ? []
    : [{ path: `${path}/${main}/image`, message: `is ${image} in the region` }]
}
