/** Where in the log of an instance a line is: of which server, and where in what that one printed. */
export interface LogPlace {
  /** An instance may have had others before: each has a log of its own. */
  readonly server: string
  /** The provider's own word for it. */
  readonly cursor: string
}

/** As callers get it and send it back: nothing they should read anything from. */
export const writePlace = ({ server, cursor }: LogPlace): string =>
  Buffer.from(JSON.stringify([server, cursor])).toString('base64url')

/** Undefined for what was never ours. */
export function readPlace(text: string): LogPlace | undefined {
  try {
    const parts: unknown = JSON.parse(Buffer.from(text, 'base64url').toString())
    if (!Array.isArray(parts)) return undefined
    const [server, cursor] = parts as unknown[]
    return typeof server === 'string' && typeof cursor === 'string' ? { server, cursor } : undefined
  } catch {
    return undefined
  }
}
