import type { GroupName, ProviderDefinition } from '@stead/provider-kit'

/** A provider that lacks a group which another has. */
export const without = (group: GroupName, inner: ProviderDefinition, kind: string): ProviderDefinition => ({
  ...inner,
  kind,
  async connect(connection) {
    const provider = await inner.connect(connection)
    const { [group]: _, ...groups } = provider.capabilities().groups
    const capabilities = () => ({ ...provider.capabilities(), groups })
    return new Proxy(provider, {
      get(target, name) {
        if (name === 'capabilities') return capabilities
        if (name === group) return undefined
        const member = Reflect.get(target, name) as unknown
        return typeof member === 'function' ? member.bind(target) : member
      },
    })
  },
})
