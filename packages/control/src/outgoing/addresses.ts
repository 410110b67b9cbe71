import { BlockList, isIP } from 'node:net'

/**
 * Where a URL given by a user may not lead: this machine, private networks, link-local and with it every cloud's
 * metadata service, and whatever else is not the public internet. From the IANA special-purpose registries.
 */
const forbiddenRanges = [
  '0.0.0.0/8', // this network
  '10.0.0.0/8', // private
  '100.64.0.0/10', // carrier-grade NAT; Alibaba's metadata is in it
  '127.0.0.0/8', // loopback
  '169.254.0.0/16', // link-local; metadata of EC2, GCE, Azure, OpenStack
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocol assignments; Oracle's metadata is in it
  '192.0.2.0/24', // documentation
  '192.88.99.0/24', // 6to4 relays
  '192.168.0.0/16', // private
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, broadcast
  '168.63.129.16/32', // Azure's host agent: public by number, the host by meaning
  '::/128',
  '::1/128', // loopback
  '64:ff9b:1::/48', // NAT64 of a local network: where in it the IPv4 address sits is that network's choice
  '100::/64', // discard
  '2001:db8::/32', // documentation
  '3fff::/20', // documentation
  '5f00::/16', // segment routing
  'fc00::/7', // unique local; fd00:ec2::254 is EC2's metadata
  'fe80::/10', // link-local
  'fec0::/10', // site-local
  'ff00::/8', // multicast
]

/** Prefixes under which an IPv6 address carries an IPv4 one, and where in its 16 bytes. */
const carriers: readonly { prefix: string; at: number }[] = [
  { prefix: '00000000000000000000ffff', at: 12 }, // IPv4-mapped
  { prefix: '000000000000000000000000', at: 12 }, // IPv4-compatible, long deprecated
  { prefix: '0064ff9b0000000000000000', at: 12 }, // NAT64
  { prefix: '2002', at: 2 }, // 6to4
]

/** A set of CIDR ranges, IPv4 and IPv6. Throws on what is not one. */
export function addressRanges(cidrs: readonly string[]): BlockList {
  const list = new BlockList()
  for (const cidr of cidrs) {
    const [address = '', length = ''] = cidr.split('/')
    const family = isIP(address)
    const bits = Number(length)
    if (!family || !/^\d+$/.test(length) || bits > (family === 4 ? 32 : 128))
      throw new RangeError(`not a CIDR: ${cidr}`)
    list.addSubnet(address, bits, family === 4 ? 'ipv4' : 'ipv6')
  }
  return list
}

const forbidden = addressRanges(forbiddenRanges)
const teredo = '20010000'

/** Whether a user's URL may lead to this address; `allowed` are ranges an operator has opened. */
export function mayReach(address: string, allowed: BlockList): boolean {
  const family = isIP(address)
  if (family === 0) return false
  if (family === 4) return allowed.check(address) || !forbidden.check(address)
  if (allowed.check(address, 'ipv6')) return true
  const bytes = ipv6Bytes(address)
  const hex = bytes.toString('hex')
  // Teredo hides an address inverted, behind a relay nobody runs any more.
  if (hex.startsWith(teredo) || forbidden.check(address, 'ipv6')) return false
  const carrier = carriers.find(({ prefix }) => hex.startsWith(prefix))
  return carrier ? mayReach([...bytes.subarray(carrier.at, carrier.at + 4)].join('.'), allowed) : true
}

/** The 16 bytes of an IPv6 address in any of its spellings. */
function ipv6Bytes(address: string): Buffer {
  const bare = address.replace(/%.*$/, '')
  const dotted = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(bare)
  const pair = (high: string, low: string) => ((Number(high) << 8) | Number(low)).toString(16)
  const text = dotted ? `${dotted[1]}${pair(dotted[2]!, dotted[3]!)}:${pair(dotted[4]!, dotted[5]!)}` : bare
  const [head = '', tail] = text.split('::')
  const groups = (part: string) => (part === '' ? [] : part.split(':'))
  const left = groups(head)
  const right = tail === undefined ? [] : groups(tail)
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => '0')
  return Buffer.from([...left, ...zeros, ...right].map(group => group.padStart(4, '0')).join(''), 'hex')
}
