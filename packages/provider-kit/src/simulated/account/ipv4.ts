export interface Cidr {
  readonly base: number
  readonly prefix: number
}

export function parseAddress(text: string): number | undefined {
  const parts = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text)?.slice(1).map(Number)
  if (!parts || parts.some(part => part > 255)) return undefined
  return parts.reduce((address, part) => address * 256 + part, 0)
}

export const formatAddress = (address: number): string =>
  [24, 16, 8, 0].map(shift => Math.floor(address / 2 ** shift) % 256).join('.')

/** Reads `10.20.0.0/24`; undefined when it is no network, also when bits are set behind its prefix. */
export function parseCidr(text: string): Cidr | undefined {
  const [address = '', length = ''] = text.split('/', 2)
  const base = parseAddress(address)
  const prefix = /^\d{1,2}$/.test(length) ? Number(length) : 33
  if (base === undefined || prefix > 32 || base % 2 ** (32 - prefix) !== 0) return undefined
  return { base, prefix }
}

export const cidrSize = (cidr: Cidr): number => 2 ** (32 - cidr.prefix)

export const contains = (cidr: Cidr, address: number): boolean =>
  address >= cidr.base && address < cidr.base + cidrSize(cidr)
