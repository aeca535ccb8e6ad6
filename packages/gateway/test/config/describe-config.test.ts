// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the text contains a variable of a config
import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { describeConfig as shown } from '../../src/config/index.js'
import { folderForEach } from './config-folder.js'

const folder = folderForEach()
const secret = 'S3cr3t-abcdef-0123456789'

describe('a displayed config', () => {
  it.each([
    ['a header', { url: 'https://a.example', headers: { 'X-Key': secret } }],
    ['a bearer token', { url: 'https://a.example', headers: { Authorization: `Bearer ${secret}` } }],
    ['a variable of a child', { command: 'x', env: { ANY: secret } }],
    ['a value from outside', { command: 'x', args: ['${TOKEN}'] }],
    ['a value from outside within a text', { command: 'sh', args: ['-c', 'run --as ${TOKEN} now'] }],
    ['an argument after its name', { command: 'x', args: ['--api-key', secret] }],
    ['an argument with its name', { command: 'x', args: [`--token=${secret}`] }],
    ['an argument of a container', { command: 'docker', args: ['run', '-e', `ANY=${secret}`] }],
    ['an argument that looks like one', { command: 'x', args: [secret] }],
    [
      'a header in an argument',
      { command: 'npx', args: ['mcp-remote', 'https://a.example', '--header', `Authorization: Bearer ${secret}`] },
    ],
    ['a header with its option', { command: 'x', args: [`--header=Authorization: Bearer ${secret}`] }],
    ['a header without a space', { command: 'x', args: ['--header', `X-Own:${secret}`] }],
    ['a header with a secret name', { command: 'x', args: [`X-Api-Key:${secret}`] }],
    ['the value of a secret option that looks like a header', { command: 'x', args: ['--password', `${secret}: sunny`] }],
    ['a header after a short option', { command: 'curl', args: [`-HCookie: ${secret}`] }],
    ['a variable of a command in an object', { command: { path: 'x', args: [], env: { ANY: secret } } }],
    ['a query', { url: `https://a.example/mcp?k=${secret}` }],
    ['a part of the way', { url: `https://a.example/s/${secret}/mcp` }],
    ['a random user name in an address', { command: 'x', args: [`https://${secret}@a.example/mcp`] }],
    ['the password in an argument', { command: 'x', args: [`--url=https://me:${secret}@a.example`] }],
    ['a query in an argument', { command: 'x', args: [`--url=https://a.example?k=${secret}`] }],
    ['a file of variables', { command: 'x', envFile: 'x.env' }],
  ])('hides %s', async (_, server) => {
    await folder.write('x.env', `KEY=${secret}`)
    const config = await folder.load({ mcpServers: { a: server } }, { env: { TOKEN: secret } })
    expect(JSON.stringify(config.upstreams)).toContain(secret)
    expect(JSON.stringify(shown(config), undefined, 2)).not.toContain(secret)
    expect(JSON.stringify(shown(config), undefined, 2)).toContain('•••')
  })

  it("hides the gateway's own secrets", async () => {
    const env = {
      TOOLWIRE_API_KEY: secret,
      REDIS_URL: `redis://me:${secret}@r`,
      HOOK: secret,
    }
    const config = await folder.load(
      {
        mcpServers: { a: { command: 'x' } },
        toolwire: {
          webhook: { url: `https://h.example/?k=${secret}`, secret: '${HOOK}' },
          servers: { a: { tools: { t: { arguments: { apiKey: secret, deep: { v: '${HOOK}' }, root: '/srv' } } } } },
        },
      },
      { env },
    )
    const text = JSON.stringify(shown(config), undefined, 2)
    expect(text).not.toContain(secret)
    expect(text).toContain('/srv')
    expect(text).toContain('redis://me:•••@r')
  })

  it('shows all values that are not secret', async () => {
    const config = await folder.load({
      mcpServers: {
        a: { command: 'npx', args: ['-y', '@scope/server-files@2026.8.31', '/srv/data', '--port=80'], env: { MODE: 'r' } },
        b: { url: 'https://a.example/mcp' },
      },
    })
    expect(shown(config)).toMatchObject({
      port: 4180,
      upstreams: [
        {
          id: 'a',
          target: {
            command: 'npx',
            args: ['-y', '@scope/server-files@2026.8.31', '/srv/data', '--port=80'],
            env: { MODE: '•••' },
          },
        },
        { id: 'b', target: { url: 'https://a.example/mcp' } },
      ],
    })
  })

  it('includes a mask for secrets in other texts', async () => {
    const { secrets } = await folder.load({
      mcpServers: { a: { url: 'https://a.example', headers: { Authorization: `Bearer ${secret}` } } },
    })
    expect(secrets.mask(`401 for Bearer ${secret}, and ${secret}.`)).toBe('401 for •••, and •••.')
    expect(inspect(secrets, { depth: 9, showHidden: true }) + JSON.stringify({ secrets })).not.toContain(secret)
  })
})
