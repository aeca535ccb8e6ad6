// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the text contains a variable of a config
import { describe, expect, it } from 'vitest'
import { folderForEach } from './config-folder.js'

const folder = folderForEach()
const first = async (content: string | object, more = {}) => (await folder.load(content, more)).upstreams[0]
const child = { kind: 'child', command: 'npx', args: ['-y', 'files'], env: {} }
const http = { kind: 'http', url: 'https://shop.example/mcp', headers: {} }

describe('a config in the format of', () => {
  const files = { command: 'npx', args: ['-y', 'files'] }
  const url = 'https://shop.example/mcp'
  it.each([
    ['Claude', { mcpServers: { files } }, child],
    ['VS Code', { servers: { files: { type: 'stdio', ...files } }, inputs: [] }, child],
    ["VS Code's settings", { mcp: { servers: { files } } }, child],
    ['Zed', { context_servers: { files: { source: 'custom', ...files, settings: {} } } }, child],
    ['an old version of Zed', { context_servers: { files: { command: { path: 'npx', args: ['-y', 'files'] } } } }, child],
    [
      'an old version of Zed with variables',
      { context_servers: { files: { command: { path: 'npx', args: ['-y', 'files'], env: { MODE: 'r' } } } } },
      { ...child, env: { MODE: 'r' } },
    ],
    ['opencode', { mcp: { files: { type: 'local', command: ['npx', '-y', 'files'], environment: {} } } }, child],
    ['Amp', { 'amp.mcpServers': { files } }, child],
    ['Cursor', { mcpServers: { shop: { url } } }, http],
    ['Windsurf', { mcpServers: { shop: { serverUrl: url } } }, http],
    ['Gemini CLI', { mcpServers: { shop: { httpUrl: url, trust: true } } }, http],
    ['Claude Code', { mcpServers: { shop: { type: 'http', url } } }, http],
    ['opencode with a remote server', { mcp: { shop: { type: 'remote', url } } }, http],
  ])('%s is read', async (_, config, target) => {
    const { upstreams, warnings } = await folder.load(config)
    expect(upstreams.map((one) => one.target)).toEqual([target])
    expect(warnings).toEqual([])
  })

  it('Codex is read, with its headers from variables', async () => {
    const text = `model = "o3" # a comment
[mcp_servers.files]
command = "npx"
args = [
  "-y", # yes
  'files',
]
env = { MODE = "r" }
env_vars = ["LANG"]
tool_timeout_sec = 120
disabled_tools = ["rm"]
[mcp_servers.shop]
url = "https://shop.example/mcp"
bearer_token_env_var = "SHOP_TOKEN"
http_headers = { "X-Region" = "eu" }
env_http_headers = { "X-Team" = "TEAM" }
[mcp_servers.off]
command = "x"
enabled = false
`
    const env = { SHOP_TOKEN: 'token-1', TEAM: 'blue', LANG: 'C' }
    const { upstreams, warnings } = await folder.load(text, { name: 'config.toml', env })
    expect(upstreams).toMatchObject([
      {
        target: { ...child, env: { MODE: 'r', LANG: 'C' } },
        timeout: { idleMs: 120_000, totalMs: 120_000 },
        tools: { rm: { hidden: true } },
      },
      { target: { ...http, headers: { 'X-Region': 'eu', 'X-Team': 'blue', Authorization: 'Bearer token-1' } } },
      { id: 'off', disabled: true },
    ])
    expect(warnings).toEqual([])
  })

  it('an editor is read, with comments, trailing commas and a // within a text', async () => {
    const target = (await first('{ // servers\n "mcpServers": { /* one */ "a": { "url": "https://a.example/x//y", }, }, }'))
      ?.target
    expect(target).toEqual({ ...http, url: 'https://a.example/x//y' })
  })
})

describe('the entry of a server', () => {
  it.each([
    [{ command: 'x' }, 'child'],
    [{ url: 'https://a.example/mcp' }, 'http'],
    [{ url: 'https://a.example/sse' }, 'sse'],
    [{ url: 'https://a.example/v1/sse/?key=1' }, 'sse'],
    [{ url: 'https://a.example/sse/messages' }, 'http'],
    [{ httpUrl: 'https://a.example/sse' }, 'http'],
    [{ type: 'http', url: 'https://a.example/sse' }, 'http'],
    [{ type: 'sse', url: 'https://a.example/mcp' }, 'sse'],
    [{ type: 'streamable-http', url: 'https://a.example' }, 'http'],
    [{ type: 'streamableHttp', url: 'https://a.example' }, 'http'],
    [{ type: 'stdio', command: 'x' }, 'child'],
    [{ transport: 'sse', url: 'https://a.example' }, 'sse'],
    [{ type: 'http', command: 'x', url: 'https://a.example' }, 'http'],
  ])('has its transport inferred: %j', async (server, kind) => {
    expect((await first({ mcpServers: { a: server } }))?.target.kind).toBe(kind)
  })

  it.each([
    [{}, /mcp\.json:3: \/mcpServers\/a: this server has neither a `command` nor a `url`/],
    [{ url: 'https://a.example', command: 'x' }, /both a `command` and a `url`/],
    [{ type: 'stdio', url: 'https://a.example' }, /\/mcpServers\/a\/type: a server of type stdio needs a `command`/],
    [{ type: 'sse', command: 'x' }, /needs a `url`/],
    [{ type: 'ws', url: 'https://a.example' }, /WebSocket/],
    [{ type: 'htpp', url: 'https://a.example' }, /expected one of stdio, http/],
    [{ command: 'x', args: 'y' }, /\/mcpServers\/a\/args: expected a list/],
    [{ command: 'x', args: [{}] }, /\/mcpServers\/a\/args\/0: expected a string/],
    [{ command: 'x', env: { A: [] } }, /\/mcpServers\/a\/env\/A: expected a string/],
    [{ command: 5 }, /\/mcpServers\/a\/command: expected a string/],
    [{ command: 'x', disabled: 'yes' }, /expected true or false/],
    [{ command: 'x', timeout: -1 }, /expected a number above 0/],
    [{ url: 'shop.example/mcp' }, /is not an address/],
    [{ url: 'file:///etc/passwd' }, /write http/],
    [{ url: 'https://me:hunter2@a.example' }, /send them as a header/],
    [{ url: 'https://a.example', headers: { 'X-A': 'a\r\nX-B: hunter2' } }, /a header cannot carry/],
    [{ url: 'https://a.example', headers: { 'X A': 'hunter2' } }, /name of a header/],
  ])('is refused if it is ambiguous or invalid: %j', async (server, message) => {
    const error = await folder.load({ mcpServers: { a: server } }).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ name: 'ConfigError', message: expect.stringMatching(message), file: folder.at('mcp.json') })
    expect(String(error)).not.toContain('hunter2')
  })

  it('is refused if it or the list of servers is not an object', async () => {
    await expect(folder.load({ mcpServers: { a: 'npx' } })).rejects.toThrow(/mcp\.json:3: \/mcpServers\/a: an object/)
    await expect(folder.load({ mcpServers: [] })).rejects.toThrow(/mcp\.json:2: \/mcpServers: an object/)
  })
})

describe('a server', () => {
  it('may have unknown keys, which are ignored with a warning', async () => {
    const { upstreams, warnings } = await folder.load({
      mcpServers: { a: { command: 'x', alwaysAllow: ['y'], flux: 3 } },
      theme: 'dark',
    })
    expect(upstreams).toHaveLength(1)
    expect(warnings).toEqual(['/mcpServers/a: "flux" is not known here and is ignored'])
  })

  it.each([
    ['files', 'files'],
    ['My Files (work)', 'my-files-work'],
    ['Café__Ünï', 'cafe_uni'],
    ['@scope/pkg.name', 'scope-pkg-name'],
    ['__proto__', 'proto'],
    ['a_b-c9', 'a_b-c9'],
    ['ＦＵＬＬ', 'full'],
  ])('called %j has the id %j', async (name, id) => {
    const config = await folder.load(`{"mcpServers":{${JSON.stringify(name)}:{"command":"x"}}}`)
    expect(config.upstreams.map((one) => one.id)).toEqual([id])
  })

  it('has a unique and valid id', async () => {
    const server = { command: 'x' }
    await expect(folder.load({ mcpServers: { 'a b': server, 'A-B': server } })).rejects.toThrow(
      /"A-B" and "a b" both get the id "a-b"/,
    )
    await expect(folder.load({ mcpServers: { a: server }, servers: { a: server } })).rejects.toThrow(/another server called "a"/)
    await expect(folder.load({ mcpServers: { 名前: server } })).rejects.toThrow(/this name gives no id/)
    await expect(folder.load({ mcpServers: { ['a'.repeat(33)]: server } })).rejects.toThrow(/longer than 32 characters/)
  })

  it('may be disabled in either way, and may then refer to missing variables', async () => {
    const { upstreams } = await folder.load({
      mcpServers: {
        a: { command: 'x', args: ['${NONE}'], envFile: 'none.env', disabled: true },
        b: { url: '${NONE}', enabled: false },
      },
    })
    expect(upstreams.map(({ disabled }) => disabled)).toEqual([true, true])
    expect(upstreams[0]?.target).toMatchObject({ args: ['${NONE}'] })
  })

  it('has timeouts in milliseconds, or in seconds if the number is too small for them', async () => {
    const server = (timeout: number) => ({ command: 'x', timeout })
    const { upstreams } = await folder.load({ mcpServers: { a: server(30_000), b: server(60) } })
    expect(upstreams.map(({ timeout }) => timeout?.totalMs)).toEqual([30_000, 60_000])
    const seconds = { command: 'x', tool_timeout_sec: 1e9 }
    const longest = await folder.load({ mcpServers: { a: server(1e12), b: seconds } })
    expect(longest.upstreams.map(({ timeout }) => timeout?.totalMs)).toEqual([2_147_483_647, 2_147_483_647])
  })

  it('offers the tools that its host allows', async () => {
    const { upstreams } = await folder.load({
      mcpServers: {
        a: { command: 'x', includeTools: ['read(path)', 'list'], excludeTools: ['rm'], disabledTools: ['never read'] },
      },
    })
    expect(upstreams[0]).toMatchObject({ only: ['read', 'list'], tools: { rm: { hidden: true } } })
  })

  it('hides a tool that its host excludes, despite other settings, unless it is shown explicitly', async () => {
    const { upstreams } = await folder.load({
      mcpServers: { a: { command: 'x', excludeTools: ['wipe', 'show'] } },
      toolwire: { servers: { a: { tools: { wipe: { hints: { destructive: true } }, show: { hidden: false }, more: {} } } } },
    })
    expect(upstreams[0]?.tools).toEqual({
      wipe: { hidden: true, hints: { destructive: true } },
      show: { hidden: false },
      more: {},
    })
  })
})
