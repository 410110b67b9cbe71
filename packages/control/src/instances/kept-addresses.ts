import { isDeepStrictEqual } from 'node:util'
import type { Observed, Server } from '../servers/model.ts'
import type { Instance, KeptAddresses } from './model.ts'

/** The addresses that an instance must keep, by what is seen of its server now. Once it has some, no other ones are. */
export function keptAddresses(
  { spec, status: { kept } }: Pick<Instance, 'spec' | 'status'>,
  active: Server | undefined,
): KeptAddresses | undefined {
  const { machine } = spec.source
  if (!machine?.keepAddresses) return undefined
  const { private: own = [], public: outside = [] } = holds(active) ? active.status.observed!.addresses : {}
  if (!kept) return own.length > 0 ? { private: own, public: machine.publicIp ? outside : [] } : undefined
  // A public address can be asked for later, and given up: the private one stays.
  if (!machine.publicIp) return kept.public.length > 0 ? { ...kept, public: [] } : kept
  return kept.public.length === 0 && outside.length > 0 ? { ...kept, public: outside } : kept
}

/** Whether the addresses of a server are its instance's own: it is there, and its backend knows that they are to be kept. */
export function holds(server: Server | undefined): server is Server {
  if (!server?.spec.keepsAddresses || server.deletedAt !== undefined) return false
  const { applied, applying, observed, lost } = server.status
  return applied?.launch === server.spec.launch.sealed && !applying && !lost && observed !== undefined
}

/** Whether a server has these addresses; `none`: it shows no address at all. */
export function hasAddresses({ addresses }: Observed, kept: KeptAddresses): 'these' | 'others' | 'none' {
  if (addresses.private.length === 0) return 'none'
  const isSame = (found: readonly string[], wanted: readonly string[]) => isDeepStrictEqual([...found], [...wanted])
  const isPublic = kept.public.length === 0 || isSame(addresses.public, kept.public)
  return isSame(addresses.private, kept.private) && isPublic ? 'these' : 'others'
}
