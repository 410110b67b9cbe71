import type { Static, TSchema } from 'typebox'
import type { FieldError } from '../../errors/problem.ts'
import { DisplayName } from '../../resource/bodies.ts'
import { Labels, listSchema, Time } from '../../resource/model.ts'
import { pointerTo } from '../../schema/pointer.ts'
import { Type } from '../../schema/type.ts'

/** What an operator says of something that the backend offers. */
const remarks = {
  displayName: Type.Optional(DisplayName),
  labels: Type.Optional(Labels),
  hidden: Type.Optional(Type.Boolean({ description: 'Nobody is offered it.' })),
  deprecated: Type.Optional(Type.Boolean({ description: 'Still there; new things should use another.' })),
}

const size = {
  cpuMillis: Type.Integer({ minimum: 1 }),
  memoryMiB: Type.Integer({ minimum: 1 }),
  diskGiB: Type.Integer({ minimum: 1 }),
  gpu: Type.Object({ vendor: Type.String(), model: Type.String(), count: Type.Integer({ minimum: 1 }) }),
}

const OperatorFlavor = Type.Object({
  ...remarks,
  backend: Type.Optional(
    Type.String({ minLength: 1, description: 'The flavor of the backend that it stands for, whose size it has.' }),
  ),
  cpuMillis: Type.Optional(size.cpuMillis),
  memoryMiB: Type.Optional(size.memoryMiB),
  diskGiB: Type.Optional(size.diskGiB),
  gpu: Type.Optional(size.gpu),
})

/** Keyed by name, so that a merge patch changes one and leaves the others. */
export const OperatorFlavors = Type.Record(
  Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$' }),
  OperatorFlavor,
  {
    maxProperties: 200,
    description: [
      'By name: remarks on flavors of the backend; further names for them (`backend`);',
      'or, where instances are made of services, sizes of your own (`cpuMillis` and `memoryMiB`).',
    ].join(' '),
  },
)
export type OperatorFlavors = Static<typeof OperatorFlavors>

export const OperatorImages = Type.Record(Type.String({ pattern: '^.{1,255}$' }), Type.Object(remarks), {
  maxProperties: 1_000,
  description: 'Remarks on images of the backend, by their name or id.',
})
export type OperatorImages = Static<typeof OperatorImages>

/** What fits each field and makes no sense together. */
export function flavorErrors(flavors: OperatorFlavors): readonly FieldError[] {
  return Object.entries(flavors).flatMap(([name, { backend, cpuMillis, memoryMiB, diskGiB, gpu }]) => {
    const path = pointerTo('/spec/flavors', name)
    const sizes = [cpuMillis, memoryMiB, diskGiB, gpu].filter(each => each !== undefined).length
    if (backend !== undefined && sizes > 0) return [{ path, message: 'has the size of its backend flavor: say none' }]
    if (sizes > 0 && (cpuMillis === undefined || memoryMiB === undefined))
      return [{ path, message: 'needs cpuMillis and memoryMiB, or backend' }]
    return []
  })
}

const OrNull = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()])
const text = OrNull(Type.String())

const shown = <Spec extends TSchema>(title: string, spec: Spec) =>
  Type.Object(
    {
      metadata: Type.Object({
        id: Type.String({ description: 'What a request says to mean it.' }),
        name: Type.String(),
        displayName: Type.Optional(DisplayName),
        projectId: Type.Optional(Type.String({ description: 'Whose it is, if it is not for everybody.' })),
        labels: Labels,
      }),
      spec,
      status: Type.Object({ deprecated: Type.Boolean() }),
    },
    { title },
  )

export const Flavor = shown(
  'Flavor',
  Type.Object({
    architecture: text,
    virtualization: text,
    cpuMillis: size.cpuMillis,
    memoryMiB: size.memoryMiB,
    diskGiB: OrNull(Type.Integer({ description: 'Of the disk that comes with it; null: said at launch.' })),
    gpu: OrNull(size.gpu),
  }),
)

export const Image = shown(
  'RegionImage',
  Type.Object({
    architecture: text,
    virtualization: text,
    sizeBytes: OrNull(Type.Integer()),
    minDiskGiB: OrNull(Type.Integer()),
    gpu: OrNull(Type.Object({ vendor: Type.String(), models: Type.Array(Type.String()) })),
    os: OrNull(Type.Object({ distribution: Type.String(), version: Type.String() })),
  }),
)

const dated = <Item extends TSchema>(item: Item, title: string) =>
  Type.Object(
    { ...listSchema(item).properties, asOf: { ...Time, description: 'When the backend was asked.' } as typeof Time },
    { title },
  )

export const FlavorList = dated(Flavor, 'FlavorList')
export const ImageList = dated(Image, 'RegionImageList')
