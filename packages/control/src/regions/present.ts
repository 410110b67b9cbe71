import type { View } from '@stead/engine'
import type { Caller } from '../identity/caller.ts'
import type { Presented } from '../resource/present.ts'
import { platformDefault } from './default.ts'
import { Region } from './model.ts'
import { isOperator } from './visibility.ts'

/** Regions as a caller sees them: what tells of the backend or of other tenants is only for who may change them. */
export function regionsAsSeenBy(caller: Caller, everything: View, defaultId = platformDefault(everything)?.id) {
  const isFull = isOperator(caller)
  return {
    kind: Region.kind,
    present(region: Region): Presented {
      const { metadata, status } = Region.present(region)
      const { provider, mode } = region.spec
      return {
        metadata,
        spec: isFull ? region.spec : { provider, mode },
        status: { ...(status as object), isDefault: region.id === defaultId },
      }
    },
  }
}
