import type { Provider, ProviderDefinition } from '@stead/provider-kit'

/** A provider that does some things otherwise. */
export const otherwise = (
  definition: ProviderDefinition,
  verbs: (provider: Provider) => Partial<Provider>,
): ProviderDefinition => ({
  ...definition,
  async connect(connection) {
    const provider = await definition.connect(connection)
    const others = verbs(provider)
    return new Proxy(provider, {
      get(target, name: keyof Provider) {
        const member = others[name] ?? target[name]
        return typeof member === 'function' ? member.bind(target) : member
      },
    })
  },
})
