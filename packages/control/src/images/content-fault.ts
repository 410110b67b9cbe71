import type { Received } from './staging/staging.ts'

/** What is wrong with what came, to follow "what came": undefined when it is what was announced. */
export function contentFault(
  { sizeBytes, sha256 }: Received,
  announced: { readonly sizeBytes?: number; readonly sha256?: string },
): string | undefined {
  if (sizeBytes === 0) return 'is empty'
  if (announced.sizeBytes !== undefined && sizeBytes !== announced.sizeBytes)
    return `is ${sizeBytes} bytes long, and not ${announced.sizeBytes}`
  if (announced.sha256 !== undefined && sha256 !== announced.sha256)
    return `has the checksum ${sha256}, and not ${announced.sha256}`
  return undefined
}
