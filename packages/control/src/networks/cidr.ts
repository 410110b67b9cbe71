/** A range of IPv4 addresses. */
export interface Cidr {
  /** The first address, as a number. */
  readonly base: number
  readonly prefix: number
}

/** A part of 0 to 255, written without leading zeros: others read those as octal. */
const part = '(0|[1-9]\\d{0,2})'
const form = new RegExp(`^${part}\\.${part}\\.${part}\\.${part}/(0|[1-9]\\d?)$`)

/** Reads `10.20.0.0/24`, also with bits set behind the prefix; undefined for what is no range of addresses. */
export function readCidr(text: string): Cidr | undefined {
  const [, ...found] = form.exec(text) ?? []
  const [prefix = 33, ...parts] = found.map(Number).toReversed()
  if (found.length === 0 || prefix > 32 || parts.some(part => part > 255)) return undefined
  const address = parts.toReversed().reduce((sum, part) => sum * 256 + part, 0)
  return { base: address - (address % sizeOf(prefix)), prefix }
}

/** The one way to write it. */
export const writeCidr = ({ base, prefix }: Cidr): string =>
  `${[24, 16, 8, 0].map(shift => Math.floor(base / 2 ** shift) % 256).join('.')}/${prefix}`

/** Whether they have an address in common: then one holds the other. */
export const overlap = (a: Cidr, b: Cidr): boolean =>
  a.base < b.base + sizeOf(b.prefix) && b.base < a.base + sizeOf(a.prefix)

const sizeOf = (prefix: number): number => 2 ** (32 - prefix)

/** What is wrong with a text as a range in its one form, if anything. */
export function cidrFault(text: string): string | undefined {
  const cidr = readCidr(text)
  if (!cidr) return 'must be a range of IPv4 addresses, like 10.20.0.0/24'
  const right = writeCidr(cidr)
  return right === text ? undefined : `has bits set behind its prefix: did you mean ${right}?`
}
