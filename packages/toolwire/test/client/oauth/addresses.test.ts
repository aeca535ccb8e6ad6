import fc from 'fast-check'
import ipaddr from 'ipaddr.js'
import { describe, expect, it } from 'vitest'
import { canonicalUri, coversServer } from '../../../src/client/oauth/discovery/canonical-uri.js'
import { addressKindOf } from '../../../src/client/oauth/egress/addresses.js'
import { howMany } from '../../soak.js'

/** Public anycast services, and IPv4 or IPv6 addresses that contain a public IPv4 address. */
const reachable = ['unicast', 'amt', 'as112', 'as112v6', '6to4', 'rfc6052']

describe('addresses', () => {
  it.each([
    ['127.0.0.1', 'loopback'],
    ['127.255.0.9', 'loopback'],
    ['::1', 'loopback'],
    ['::ffff:127.0.0.1', 'loopback'],
    ['10.1.2.3', 'private'],
    ['172.31.255.255', 'private'],
    ['192.168.0.1', 'private'],
    ['100.64.0.1', 'private'],
    ['fd12::1', 'private'],
    ['::ffff:10.0.0.1', 'private'],
    ['64:ff9b::a00:1', 'private'],
    ['2002:a00:1::', 'private'],
    ['169.254.169.254', 'forbidden'],
    ['::ffff:169.254.169.254', 'forbidden'],
    ['::ffff:a9fe:a9fe', 'forbidden'],
    ['fe80::1', 'forbidden'],
    ['fe80::1%eth0', 'forbidden'],
    ['0.0.0.0', 'forbidden'],
    ['::', 'forbidden'],
    ['224.0.0.1', 'forbidden'],
    ['255.255.255.255', 'forbidden'],
    ['ff02::1', 'forbidden'],
    ['2001::1', 'forbidden'],
    ['::127.0.0.1', 'forbidden'],
    ['3fff:fff::1', 'forbidden'],
    ['3fff:1000::1', 'public'],
    ['172.32.0.1', 'public'],
    ['8.8.8.8', 'public'],
    ['2606:4700::1111', 'public'],
    ['[2606:4700::1111]', 'public'],
    ['example.com', undefined],
  ])('AUTHC-028 %s is %s', (address, kind) => {
    expect(addressKindOf(address)).toBe(kind)
  })

  it('AUTHC-028 are public only if ipaddr.js knows no other use for them', () => {
    const byte = fc.oneof(fc.nat(255), fc.constantFrom(0, 10, 100, 127, 169, 172, 192, 198, 203, 224, 255))
    const four = fc.tuple(byte, byte, byte, byte).map((bytes) => bytes.join('.'))
    const special = [
      0, 1, 2, 0x10, 0x20, 0x30, 0x64, 0x100, 0x2001, 0x2002, 0x3fff, 0x5f00, 0xdb8, 0xfc00, 0xfe80, 0xfec0, 0xff02, 0xff9b,
      0xffff,
    ]
    const group = fc.oneof(fc.nat(0xffff), fc.constantFrom(...special))
    const six = fc
      .tuple(group, group, group, fc.array(fc.oneof(fc.constant(0), group), { minLength: 5, maxLength: 5 }))
      .map(([first, second, third, rest]) => [first, second, third, ...rest].map((one) => one.toString(16)).join(':'))
    fc.assert(
      fc.property(fc.oneof(four, six), (address) => {
        const range = ipaddr.process(address).range()
        const isPublic = addressKindOf(address) === 'public'
        if (isPublic) expect(reachable).toContain(range)
        if (range === 'unicast' && (!address.includes(':') || /^[23]\w{3}:/.test(address))) expect(isPublic).toBe(true)
      }),
      { numRuns: howMany(2_000, 200_000), seed: 14 },
    )
  })
})

describe('the URL of a server', () => {
  it.each([
    ['HTTPS://MCP.Example.COM/mcp#part', 'https://mcp.example.com/mcp'],
    ['https://mcp.example.com/', 'https://mcp.example.com'],
    ['https://mcp.example.com:443/mcp/', 'https://mcp.example.com/mcp'],
    ['https://mcp.example.com:8443/Path', 'https://mcp.example.com:8443/Path'],
  ])('AUTHC-007 is canonical: %s', (url, canonical) => {
    expect(canonicalUri(url)).toBe(canonical)
  })

  it.each([
    ['https://a.example/mcp', true],
    ['https://A.example/mcp/', true],
    ['https://a.example', true],
    ['https://a.example/mc', false],
    ['https://a.example/mcp/more', false],
    ['https://a.example.evil/mcp', false],
    ['https://b.example/mcp', false],
    ['http://a.example/mcp', false],
    ['https://a.example:8443/mcp', false],
    ['https://a.example/mcp#x', false],
    ['https://a.example@evil.example/mcp', false],
    ['mcp', false],
  ])('is covered by %s: %s', (resource, expected) => {
    expect(coversServer(resource, 'https://a.example/mcp')).toBe(expected)
  })
})
