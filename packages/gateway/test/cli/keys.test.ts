// Keys without a running gateway: they are created where the next one finds them.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the text contains a variable of a config
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { expect, it, onTestFinished } from 'vitest'
import { clean, folder, program, toolwire } from '../support/run-program.js'

const config = JSON.stringify({ mcpServers: {}, toolwire: { dataDir: 'data', callers: { loopback: false, apiKeys: true } } })

function place() {
  const files = folder({ 'mcp.json': config })
  onTestFinished(() => files[Symbol.dispose]())
  const env = { ...clean(files.path), TOOLWIRE_URL: undefined, TOOLWIRE_PORT: '9', TOOLWIRE_CONFIG: 'mcp.json' }
  const keys = (...words: string[]) => toolwire(['keys', ...words], { env, cwd: files.path })
  return { ...files, env, keys }
}

async function gateway({ path, env }: ReturnType<typeof place>) {
  const child = spawn(process.execPath, [program, 'up', '--json', '--port', '0', '--no-console'], {
    cwd: path,
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const ended = once(child, 'exit')
  const stop = async () => {
    child.kill()
    await ended
  }
  onTestFinished(stop)
  const [line] = await once(createInterface(child.stdout), 'line')
  return { url: new URL(JSON.parse(String(line)).url).origin, pid: child.pid, stop }
}

it('a key made without a gateway is valid at the next one, and is in its audit log; one revoked there is not', async () => {
  const at = place()
  const { stdout, code } = await at.keys('create', 'ops', '--scope', 'toolwire:admin', '--for', '1h')
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^\S{30,}\n$/)])
  const other = JSON.parse((await at.keys('create', 'other', '--scope', 'toolwire:admin', '--json')).stdout)
  expect(await at.keys('create', 'both', '--scope', 'a b')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('The scope "a b" contains a space'),
  })
  for (const [wrong, words] of [
    ['must have 1 to 200 characters', ['']],
    ['must have 1 to 200 characters', ['a'.repeat(300)]],
    ['scopes, of 1 to 200 characters', ['both', '--scope', 'a'.repeat(300)]],
  ] as const)
    expect(await at.keys('create', ...words)).toMatchObject({ code: 2, stderr: expect.stringContaining(wrong) })
  const { keys } = JSON.parse((await at.keys('list', '--json')).stdout)
  expect(keys.map(({ caller }: { caller: string }) => caller).sort()).toEqual(['ops', 'other'])
  expect(JSON.stringify(keys)).not.toContain('hash')
  expect((await at.keys('revoke', other.id)).code).toBe(0)
  expect(await at.keys('revoke', other.id)).toMatchObject({ code: 1, stderr: expect.stringContaining('There is no key') })
  const { url } = await gateway(at)
  const status = (key: string) => fetch(`${url}/api/v1/keys`, { headers: { authorization: `Bearer ${key}` } })
  expect((await status(stdout.trim())).status).toBe(200)
  expect((await status(other.key)).status).toBe(401)
  const env = { ...at.env, TOOLWIRE_URL: url, TOOLWIRE_API_KEY: stdout.trim() }
  const audit = await toolwire(['audit', '--json', '--caller', 'operator'], { env, cwd: at.path })
  expect(audit.stdout).toMatch(/toolwire\/add-key[\s\S]*toolwire\/revoke-key|toolwire\/revoke-key[\s\S]*toolwire\/add-key/)
})

it('while a gateway uses the data directory, no other process makes keys in it: the error names its process and --gateway', async () => {
  const at = place()
  const { pid, stop, url } = await gateway(at)
  const { code, stderr } = await at.keys('create', 'ops', '--data-dir', 'data')
  expect([code, stderr]).toEqual([1, expect.stringMatching(new RegExp(`in use by process ${pid}.*--gateway`))])
  expect((await at.keys('list')).code).toBe(1)
  // The gateway accepts the credential that it has stored for this account.
  expect((await at.keys('create', 'more', '--gateway', url)).code).toBe(0)
  const elsewhere = folder()
  onTestFinished(() => elsewhere[Symbol.dispose]())
  const refused = await toolwire(['keys', 'create', 'more', '--gateway', url], { env: clean(elsewhere.path), cwd: at.path })
  expect([refused.code, refused.stderr]).toEqual([
    3,
    expect.stringMatching(/management\.token.*TOOLWIRE_DATA_DIR.*TOOLWIRE_API_KEY/s),
  ])
  await stop()
  expect((await at.keys('create', 'ops')).code).toBe(0)
})

it('servers with unset variables do not prevent creating a key', async () => {
  const files = folder({
    'mcp.json': '{ "mcpServers": { "a": { "command": "${NOT_SET_HERE}" } }, "toolwire": { "dataDir": "data" } }',
  })
  onTestFinished(() => files[Symbol.dispose]())
  const env = { ...clean(files.path), TOOLWIRE_URL: undefined, TOOLWIRE_PORT: '9' }
  expect((await toolwire(['keys', 'create'], { env, cwd: files.path })).code).toBe(0)
})
