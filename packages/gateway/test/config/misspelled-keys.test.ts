// Misspelled keys: if ignored, they would silently drop servers, settings or restrictions.
import { sanitizing } from 'toolwire/relay'
import { describe, expect, it } from 'vitest'
import { folderForEach } from './config-folder.js'

const folder = folderForEach()
const files = { command: 'x' }

describe('a top-level key of the config', () => {
  it.each([
    ['mcpServer', { mcpServer: { files } }, /\/mcpServer: this name is not known; did you mean "mcpServers"\?/],
    ['mcpservers', { mcpservers: { files } }, /did you mean "mcpServers"/],
    ['mcp_server', { mcp_server: { files } }, /did you mean "mcp_servers"/],
    ['server', { server: { files } }, /did you mean "servers"/],
    ['mcp.mcpServer', { mcp: { mcpServer: { files } } }, /\/mcp\/mcpServer: .*did you mean "mcpServers"/],
    ['toolWire', { mcpServers: { files }, toolWire: { policy: 'policy.yaml' } }, /did you mean "toolwire"/],
  ])('that resembles a known one is refused with its line: %s', async (_, config, message) => {
    await expect(folder.load(config)).rejects.toThrow(message)
    await expect(folder.load(config)).rejects.toMatchObject({ line: expect.any(Number) })
  })

  it.each([
    ['of another program', { mcpServers: { files }, server: { port: 4096 }, tools: {}, model: 'x' }],
    ['that is not an object', { mcpServers: { files }, mcpServer: 'note' }],
    ['next to the correct key', { mcpServers: { files }, mcp_servers: {}, mcpServer: {}, servers: {} }],
  ])('%s is ignored', async (_, config) => {
    expect((await folder.load(config)).upstreams.map(({ id }) => id)).toEqual(['files'])
  })
})

describe('a key of a server', () => {
  it.each([
    'disabledTool',
    'excludetools',
    'includeTool',
    'enabled_tool',
    'disable',
  ])('that resembles a restricting one is refused: %s', async (key) => {
    await expect(folder.load({ mcpServers: { files: { ...files, [key]: ['write'] } } })).rejects.toThrow(/did you mean "/)
  })

  it('that resembles another one gets a warning with a suggestion', async () => {
    const { warnings } = await folder.load({ mcpServers: { files: { ...files, enviroment: { A: 'b' } } } })
    expect(warnings).toEqual(['/mcpServers/files: "enviroment" is not known here and is ignored; did you mean "environment"?'])
  })
})

it('for the settings of a server with a similar name is refused, whatever may still be imported', async () => {
  const toolwire = { import: ['./other.json'], servers: { fiels: { only: ['read'] } } }
  await folder.write('other.json', { mcpServers: { more: files } })
  await expect(folder.load({ mcpServers: { files }, toolwire })).rejects.toThrow(/did you mean 'files'/)
  const others = { ...toolwire, servers: { warehouse: { only: ['read'] } } }
  expect((await folder.load({ mcpServers: { files }, toolwire: others })).warnings.join()).toContain('no server of this name')
})

describe('settings', () => {
  it.each(sanitizing.sanitizeRules)('know the sanitize rules of the library: %s', async (rule) => {
    for (const action of sanitizing.sanitizeActions) {
      const { guard } = await folder.load({
        mcpServers: { files },
        toolwire: { guard: { sanitize: { rules: { [rule]: action } } } },
      })
      expect(guard.sanitize).toEqual({ rules: { [rule]: action } })
    }
  })

  it('refuse other rules with a suggestion', async () => {
    const toolwire = { guard: { sanitize: { rules: { secret: 'strip' } } } }
    await expect(folder.load({ mcpServers: { files }, toolwire })).rejects.toThrow(/did you mean 'secrets'/)
  })

  it('may name tools as optional', async () => {
    const only = ['read', { tool: 'write', optional: true }, { tool: 'list' }]
    const tools = { wipe: { hidden: true, optional: true } }
    const { upstreams } = await folder.load({ mcpServers: { files }, toolwire: { servers: { files: { only, tools } } } })
    expect(upstreams).toMatchObject([{ only: ['read', 'write', 'list'], optional: ['write'], tools }])
    const wrong = { servers: { files: { only: [{ tool: 'write', optinal: true }] } } }
    await expect(folder.load({ mcpServers: { files }, toolwire: wrong })).rejects.toThrow(/did you mean 'optional'/)
  })
})
