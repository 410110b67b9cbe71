import type { InstanceSpec } from '../model.ts'
import type { rotations, ServicesSource } from '../source/services.ts'
import { isReference, type SecretReference } from './variables.ts'

/** A secret as an instance uses it, by id. */
export interface UsedSecret {
  readonly id: string
  /** This one for ever; the newest at launch unless said. */
  readonly version?: number
  readonly onRotate: (typeof rotations)[number]
}

type Using = Pick<InstanceSpec, 'source' | 'variableValues'>

/** Every use that an instance makes of a secret. */
export const usedSecrets = ({ source, variableValues = {} }: Using): readonly UsedSecret[] => [
  ...(source.services ? inServices(source.services) : []),
  ...Object.values(variableValues).flatMap(value => (isReference(value) ? [byVariable(value)] : [])),
]

/** What becomes of it when it is rotated is said where it is used for itself. */
const byVariable = ({ secret: id, version }: SecretReference): UsedSecret => ({
  id,
  onRotate: 'none',
  ...(version !== undefined && { version }),
})

const inServices = ({ services }: ServicesSource): readonly UsedSecret[] =>
  Object.values(services).flatMap(({ secrets = [], pullSecret }) => [
    ...secrets.map(({ name: id, version, onRotate = 'none' }) => ({
      id,
      onRotate,
      ...(version !== undefined && { version }),
    })),
    ...(pullSecret === undefined ? [] : [{ id: pullSecret, onRotate: 'none' as const }]),
  ])

/** Those of which what runs is given each new version: one use that says so decides for all of the same secret. */
export const followedSecrets = (spec: Using): ReadonlySet<string> =>
  new Set(
    usedSecrets(spec).flatMap(({ id, version, onRotate }) =>
      version === undefined && onRotate !== 'none' ? [id] : [],
    ),
  )
