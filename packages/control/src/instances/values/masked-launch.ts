import type { View } from '@stead/engine'
import type { LaunchSpec } from '@stead/provider-kit'
import type { FieldError } from '../../errors/problem.ts'
import { Secret } from '../../secrets/model.ts'
import { renderLaunch } from '../launch.ts'
import { type Instance, policiesOf } from '../model.ts'
import { renderSource, type UserData } from './render-source.ts'
import { scopeOf } from './scope.ts'
import type { Surroundings } from './surroundings.ts'
import { isReference, isSealed } from './variables.ts'

export interface Masking {
  readonly instance: Pick<Instance, 'id' | 'name' | 'labels' | 'spec'>
  readonly surroundings: Surroundings
  readonly userData?: UserData | undefined
  readonly everything: View
  /** What stands for a secret, by what tells it from others. */
  readonly mask: (identity: string) => string
}

/** What would be launched for an instance, with something in place of every secret: none is opened for it. */
export function maskedLaunch(masking: Masking): {
  readonly launch: LaunchSpec
  readonly errors: readonly FieldError[]
} {
  const { instance, surroundings, userData, everything, mask } = masking
  const { spec } = instance
  const identityOf = ({ id, version }: { readonly id: string; readonly version?: number }) =>
    `${id}@${version ?? 'newest'}`
  const readVariable = (name: string) => {
    const value = spec.variableValues?.[name]
    if (isReference(value)) return mask(`${value.secret}@${value.version ?? 'newest'}`)
    return mask(isSealed(value) ? value.sealed : '')
  }
  const read = scopeOf({
    ...spec,
    instance: { id: instance.id, name: instance.name! },
    surroundings,
    readSecret: readVariable,
  })
  const { errors, ...source } = renderSource(spec, { read, userData })
  const launch = renderLaunch({
    instance,
    serverId: '',
    owner: { controlPlane: '', region: '' },
    power: policiesOf(instance).power,
    resolved: {
      ...source,
      readSecret(use) {
        const registry = everything.get(Secret.kind, use.id)?.spec.registry
        return { content: new Uint8Array(Buffer.from(mask(identityOf(use)))), ...(registry && { registry }) }
      },
    },
  })
  return { launch, errors }
}
