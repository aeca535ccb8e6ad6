// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the text contains a variable of a config
import { networkInterfaces } from 'node:os'
import { describe, expect, it } from 'vitest'
import { isOwnAddress } from '../../src/config/index.js'
import { isOwnCommand, ownCommand, refusedPorts, refusedPortWarnings, replicaAddress } from '../../src/config/own-address.js'
import { folderForEach } from './config-folder.js'

const folder = folderForEach()
const localNames = ['desk', '192.168.1.5', 'fe80::1']

describe('the address of an upstream', () => {
  it.each([
    ['http://127.0.0.1:4180/mcp', '127.0.0.1', true],
    ['http://localhost:4180/mcp/files', '127.0.0.1', true],
    ['http://LOCALHOST.:4180', '127.0.0.1', true],
    ['http://a.localhost:4180', '127.0.0.1', true],
    ['http://127.1:4180', '127.0.0.1', true],
    ['http://0x7f000001:4180', '127.0.0.1', true],
    ['http://[::1]:4180', 'localhost', true],
    ['http://[::ffff:127.0.0.1]:4180', '127.0.0.1', true],
    ['http://0.0.0.0:4180', '127.0.0.1', true],
    ['http://192.168.1.5:4180', '0.0.0.0', true],
    ['http://desk:4180', '::', true],
    ['http://[fe80::1]:4180', '::', true],
    ['http://127.0.0.1:4180', '0.0.0.0', true],
    ['http://192.168.1.5:4180', '192.168.1.5', true],
    ['http://127.0.0.1:4181/mcp', '127.0.0.1', false],
    ['http://192.168.1.5:4180', '127.0.0.1', false],
    ['http://192.168.1.6:4180', '0.0.0.0', false],
    ['https://localhost/mcp', '127.0.0.1', false],
  ])("%s is the gateway's own behind %s: %s", (url, host, expected) => {
    expect(isOwnAddress(url, { host, port: 4180, localNames })).toBe(expected)
  })

  it('has the default port of its scheme', () => {
    expect(isOwnAddress('http://localhost/mcp', { host: '127.0.0.1', port: 80 })).toBe(true)
    expect(isOwnAddress('https://localhost/mcp', { host: '127.0.0.1', port: 443 })).toBe(true)
    expect(isOwnAddress('http://localhost/mcp', { host: '127.0.0.1', port: 0 })).toBe(false)
  })
})

describe('a gateway as its own upstream', () => {
  it.each([
    [{ url: 'http://localhost:4180/mcp' }, {}],
    [{ url: 'http://127.0.0.1:5000/sse' }, { port: 5000 }],
    [{ url: '${SELF}' }, { port: 5001 }],
    [{ command: 'toolwire', args: ['up', '--stdio'] }, {}],
    [{ command: '/usr/local/bin/toolwire' }, {}],
    [{ command: 'npx', args: ['-y', '@toolwire/gateway@latest', 'up', '--stdio'] }, {}],
  ])('is refused at the start: %j', async (server, toolwire) => {
    const load = folder.load({ mcpServers: { self: server }, toolwire }, { env: { SELF: 'http://localhost:5001' } })
    await expect(load).rejects.toThrow(/mcp\.json:\d+: \/mcpServers\/self\/(url|command): this is the gateway itself/)
  })

  it('is refused with the port of the command line as well', async () => {
    const config = { mcpServers: { self: { url: 'http://localhost:5005' } } }
    await expect(folder.load(config, { flags: { port: 5005 } })).rejects.toThrow(/gateway itself/)
    await expect(folder.load(config)).resolves.toBeDefined()
  })

  it.each([
    { args: ['up', 'mcp.json'] },
    { args: ['up', '--config=../mcp.json'], cwd: 'sub' },
  ])('is refused by a path relative to its working folder, too: %j', async ({ args, cwd }) => {
    const server = { command: 'toolwire', args, ...(cwd && { cwd }) }
    await expect(folder.load({ mcpServers: { other: server } })).rejects.toThrow(/this is the gateway itself/)
  })

  it.each([
    { command: 'npx', args: ['@toolwire/gateway', 'up', 'other.json', '--stdio'] },
    { command: 'toolwire', args: ['up', '--config=other'] },
    { command: 'node', args: ['toolwire-tools.js'] },
    { command: 'npx', args: ['-y', '@modelcontextprotocol/server-filesystem', '/home/me/toolwire'] },
    { command: 'node', args: ['server.js', '--cwd', '/home/me/toolwire'] },
    { command: '/opt/server', args: ['/home/me/toolwire'] },
    { command: 'docker', args: ['run', '-i', 'image', '/toolwire'] },
    { url: 'http://localhost:4180', disabled: true },
  ])('is not confused with another server: %j', async (server) => {
    await expect(folder.load({ mcpServers: { other: server } })).resolves.toBeDefined()
  })
})

describe('a command that starts the gateway', () => {
  const own = { host: '127.0.0.1', port: 4180 }
  it.each([
    [['toolwire', 'up', '--stdio'], true],
    [['npx', '-y', '@toolwire/gateway', 'up', '--stdio'], true],
    [['npx', '-y', '@toolwire/gateway@0.1.0', '--stdio'], true],
    [['/usr/bin/node', '/opt/dist/toolwire.js', 'up', '--stdio', '/home/mcp.json', '--port', '4180'], true],
    [['node', '--require', './hook.js', '/opt/dist/toolwire.js', 'up'], true],
    [['npx', '-y', '-p', '@toolwire/gateway', 'toolwire', 'up', '--stdio'], true],
    [['cmd', '/c', 'npx', '-y', '@toolwire/gateway', 'up'], true],
    [['env', 'MODE=r', 'toolwire', 'up'], true],
    [['pnpm', 'dlx', '@toolwire/gateway', 'up'], true],
    [['npx', '--registry', 'https://npm.example', '@toolwire/gateway', 'up'], true],
    [['cmd', '/d', '/s', '/c', 'npx', '-y', '@toolwire/gateway', 'up'], true],
    [['node', '--env-file', '.env', '/opt/dist/toolwire.js', 'up'], true],
    [['npm', '--prefix', '/opt', 'exec', 'toolwire', 'up'], true],
    [['sudo', '-u', 'tools', '/usr/bin/nice', 'toolwire', 'up'], true],
    [['mise', 'exec', '--', 'toolwire', 'up'], true],
    [['npx', '--cache', '/tmp', 'server-files', '/home/me/toolwire'], false],
    [['npx', '--prefer-online', 'server-files', '/home/me/toolwire'], false],
    [['npx', '-y', 'server-files', '/home/me/toolwire'], false],
    [['toolwire', 'up', '--stdio', '--config=/home/mcp.json'], true],
    [['/usr/bin/node', '/opt/dist/toolwire.js', 'up', '--stdio', '/other/mcp.json'], false],
    [['toolwire', 'bridge', '--gateway', 'http://localhost:4180'], true],
    [['toolwire', 'bridge'], true],
    [['toolwire', 'bridge', '--gateway', 'https://far.example'], false],
    [['toolwire', 'check', '--', 'x'], false],
    [['node', 'server.js', 'up'], false],
  ] as const)('%j starts the gateway with /home/mcp.json: %j', ([command, ...args], expected) => {
    expect(isOwnCommand(command, args, own, { source: '/home/mcp.json', cwd: '/home' })).toBe(expected)
  })

  it('is recognized with any config, so that no import adds a gateway to itself', () => {
    expect(ownCommand('node', ['/opt/dist/toolwire.js', 'up', '--stdio', '/other/mcp.json'])).toEqual({
      verb: 'up',
      config: '/other/mcp.json',
    })
    expect(ownCommand('node', ['/opt/toolwire.js', 'bridge', '--gateway', 'https://far.example'])).toEqual({
      verb: 'bridge',
      url: 'https://far.example',
    })
    expect(ownCommand('node', ['server.js'])).toBeUndefined()
  })
})

describe('the address of a replica for the other replicas', () => {
  const outside = Object.values(networkInterfaces()).some((list) => list?.some(({ internal }) => !internal))

  it.each([
    ['127.0.0.1', undefined, 'http://127.0.0.1:4180'],
    ['::1', '', 'http://[::1]:4180'],
    ['10.0.0.7', undefined, 'http://10.0.0.7:4180'],
    ['0.0.0.0', '10.0.0.8', 'http://10.0.0.8:4180'],
    ['0.0.0.0', 'http://gateway-2.internal:80', 'http://gateway-2.internal'],
    ['0.0.0.0', 'http://[fe80::1]:4181/', 'http://[fe80::1]:4181'],
  ])('of one that listens at %s with the setting %s is %s', (host, given, expected) => {
    expect(replicaAddress(host, 4180, { TOOLWIRE_REPLICA_ADDRESS: given })).toBe(expected)
  })

  it.runIf(outside)('is one of its machine if it listens on all addresses', () => {
    const { hostname } = new URL(replicaAddress('0.0.0.0', 4180, {}))
    expect(hostname).not.toMatch(/^(0\.|127\.)/)
  })

  it.each(['https://10.0.0.7', '10.0.0.7:4180', 'gateway:4180', 'http://10.0.0.7/mcp', 'a b'])('cannot be %s', (given) => {
    expect(() => replicaAddress('0.0.0.0', 4180, { TOOLWIRE_REPLICA_ADDRESS: given })).toThrow(
      /^TOOLWIRE_REPLICA_ADDRESS is .*Write the address of this one as http:\/\/10\.0\.0\.7:4180$/,
    )
  })
})

it('the ports with a warning are those that fetch refuses', async () => {
  const ports = [...refusedPorts].flatMap((port) => [port - 1, port, port + 1])
  const refusedByFetch = async (port: number) => {
    const cause: unknown = await fetch(`http://127.0.0.1:${port}`, { signal: AbortSignal.timeout(5_000) }).then(
      () => undefined,
      (thrown: Error) => thrown.cause,
    )
    return cause instanceof Error && cause.message === 'bad port'
  }
  for (const port of ports) expect([port, await refusedByFetch(port)]).toEqual([port, refusedPorts.has(port)])
})

it.each([
  [{ port: 4180, console: {} }, 0],
  [{ port: 4190, console: false as const }, 1],
  [{ port: 4180, console: { port: 6000 } }, 1],
  [{ port: 6000, console: { port: 4190 } }, 2],
])('%j has %i warnings', (ports, count) => expect(refusedPortWarnings(ports)).toHaveLength(count))
