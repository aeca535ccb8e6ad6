/** The kind of an IP address. Forbidden ones are never called: link-local, multicast, reserved and documentation addresses. */
export type AddressKind = 'public' | 'private' | 'loopback' | 'forbidden'

type Range = readonly [network: string, bits: number, kind: AddressKind]

const ranges4: readonly Range[] = [
  ['0.0.0.0', 8, 'forbidden'],
  ['10.0.0.0', 8, 'private'],
  ['100.64.0.0', 10, 'private'],
  ['127.0.0.0', 8, 'loopback'],
  ['169.254.0.0', 16, 'forbidden'],
  ['172.16.0.0', 12, 'private'],
  ['192.0.0.0', 24, 'forbidden'],
  ['192.0.2.0', 24, 'forbidden'],
  ['192.88.99.0', 24, 'forbidden'],
  ['192.168.0.0', 16, 'private'],
  ['198.18.0.0', 15, 'forbidden'],
  ['198.51.100.0', 24, 'forbidden'],
  ['203.0.113.0', 24, 'forbidden'],
  ['224.0.0.0', 3, 'forbidden'],
]

/** The kind of an address in text form, IPv4 or IPv6; undefined if it is a name. */
export function addressKindOf(address: string): AddressKind | undefined {
  const four = parse4(address)
  if (four !== undefined) return kindOf4(four)
  const groups = parse6(address)
  return groups && kindOf6(groups)
}

function kindOf4(address: number): AddressKind {
  const inside = ([network, bits]: Range) => address >>> (32 - bits) === parse4(network)! >>> (32 - bits)
  return ranges4.find(inside)?.[2] ?? 'public'
}

function kindOf6(groups: readonly number[]): AddressKind {
  const [a = 0, b = 0, , , , f = 0, g = 0, h = 0] = groups
  const last4 = ((g << 16) | h) >>> 0
  const zeros = (count: number) => groups.slice(0, count).every((group) => group === 0)
  if (zeros(7) && h === 1) return 'loopback'
  // Addresses that embed an IPv4 address (mapped, NAT64, 6to4) are of the same kind as that address.
  if (zeros(5) && f === 0xffff) return kindOf4(last4)
  if (a === 0x64 && b === 0xff9b && groups.slice(2, 6).every((group) => group === 0)) return kindOf4(last4)
  if (a === 0x2002) return kindOf4(((b << 16) | (groups[2] ?? 0)) >>> 0)
  if ((a & 0xfe00) === 0xfc00) return 'private'
  const documentation = (a === 0x2001 && b === 0xdb8) || (a === 0x3fff && b < 0x1000)
  const teredoAndFriends = a === 0x2001 && b < 0x200
  return (a & 0xe000) === 0x2000 && !documentation && !teredoAndFriends ? 'public' : 'forbidden'
}

function parse4(text: string): number | undefined {
  const parts = text.split('.')
  if (parts.length !== 4 || !parts.every((part) => /^\d{1,3}$/.test(part) && Number(part) < 256)) return undefined
  return parts.reduce((sum, part) => sum * 256 + Number(part), 0)
}

/** Eight groups from any spelling, because URL normalizes all of them. */
function parse6(text: string): number[] | undefined {
  const bare = text.replace(/^\[|\]$/g, '').split('%', 1)[0]!
  if (!bare.includes(':') || !URL.canParse(`http://[${bare}]`)) return undefined
  const [head = '', tail] = new URL(`http://[${bare}]`).hostname.slice(1, -1).split('::')
  const front = head === '' ? [] : head.split(':')
  const back = tail ? tail.split(':') : []
  const middle = tail === undefined ? [] : new Array<string>(8 - front.length - back.length).fill('0')
  return [...front, ...middle, ...back].map((group) => Number.parseInt(group, 16))
}
