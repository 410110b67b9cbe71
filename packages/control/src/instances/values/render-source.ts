import type { Ref, Sealer, Store } from '@stead/engine'
import type { FieldError } from '../../errors/problem.ts'
import { unseal } from '../../sealed/model.ts'
import type { InstanceSpec } from '../model.ts'
import { mostUserDataBytes } from '../user-data.ts'
import type { ReadSecret } from './open-secrets.ts'
import { type RenderedServices, renderServices } from './render-services.ts'
import { type Read, renderText } from './template.ts'
import { isReference, isSealed } from './variables.ts'

/** User data, and whether it is to be rendered: it was given as text with something in it that stands for something else. */
export interface UserData {
  readonly content: Uint8Array
  readonly isTemplate: boolean
}

export interface RenderedSource {
  readonly services?: RenderedServices
  readonly userData?: Uint8Array
  readonly errors: readonly FieldError[]
}

/** Renders every text of a source. */
export function renderSource(
  { source }: Pick<InstanceSpec, 'source'>,
  { read, userData }: { readonly read: Read; readonly userData?: UserData | undefined },
): RenderedSource {
  if (source.services) {
    const { source: services, errors } = renderServices(source.services, read)
    return { services, errors }
  }
  if (!userData) return { errors: [] }
  if (!userData.isTemplate) return { userData: userData.content, errors: [] }
  const { text, problem } = renderText(Buffer.from(userData.content).toString(), read)
  const rendered = new Uint8Array(Buffer.from(text))
  const wrong =
    problem ?? (rendered.length > mostUserDataBytes ? `becomes longer than ${mostUserDataBytes} bytes` : undefined)
  const errors = wrong === undefined ? [] : [{ path: '/spec/source/machine/userData', message: wrong }]
  return { userData: rendered, errors }
}

/** The user data of an instance. */
export async function openUserData(
  opener: { readonly store: Pick<Store, 'blob'>; readonly sealer: Sealer },
  instance: Ref & { readonly spec: Pick<InstanceSpec, 'source'> },
): Promise<UserData | undefined> {
  const sealed = instance.spec.source.machine?.userData
  return sealed && { content: await unseal(opener, instance, sealed), isTemplate: sealed.template === true }
}

/** Opens the values of variables of type secret. */
export async function openVariables(
  opener: { readonly store: Pick<Store, 'blob'>; readonly sealer: Sealer },
  instance: Ref & { readonly spec: Pick<InstanceSpec, 'variableValues'> },
  readSecret: ReadSecret,
): Promise<(name: string) => string> {
  const opened = new Map<string, string>()
  for (const [name, value] of Object.entries(instance.spec.variableValues ?? {})) {
    const content = isSealed(value)
      ? await unseal(opener, instance, value)
      : isReference(value)
        ? readSecret({ id: value.secret, ...(value.version !== undefined && { version: value.version }) }).content
        : undefined
    if (content) opened.set(name, Buffer.from(content).toString())
  }
  return name => opened.get(name) ?? ''
}
