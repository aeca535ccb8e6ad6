import { describe, expect, it } from 'vitest'
import { canonicalUri, coversServer } from '../../../src/client/oauth/discovery/canonical-uri.js'
import { addressKindOf } from '../../../src/client/oauth/egress/addresses.js'

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
    ['172.32.0.1', 'public'],
    ['8.8.8.8', 'public'],
    ['2606:4700::1111', 'public'],
    ['[2606:4700::1111]', 'public'],
    ['example.com', undefined],
  ])('AUTHC-028 %s is %s', (address, kind) => {
    expect(addressKindOf(address)).toBe(kind)
  })
})

describe('the name of a server', () => {
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
