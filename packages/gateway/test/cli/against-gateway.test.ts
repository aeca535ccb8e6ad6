// Commands that need a running gateway, against one.
import { writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningGateway, runningGateway } from '../support/cli-gateway.js'
import { commandHere } from '../support/command-here.js'
import { inTerminal, keys } from '../support/pseudo-terminal.js'
import { type Ended, toolwire, until } from '../support/run-program.js'

let gateway: RunningGateway
beforeAll(async () => {
  gateway = await runningGateway()
})
afterAll(async () => {
  expect(await gateway.stop()).toBe(0)
})

const run = (...words: string[]) => toolwire(words, { env: gateway.env, cwd: gateway.path })
/** The same in this process, for output that other tests check with the program. */
const here = (...words: string[]) => commandHere(words, { env: gateway.env, cwd: gateway.path })
const json = async (...words: string[]) => JSON.parse((await here(...words, '--json')).stdout)
const write = ['call', 'strange__write', 'text=a', 'times=1', 'loud=true', 'where=here']

type Asked = { readonly id: string; readonly caller: string; readonly arguments: object }

/** The approval of a running call. Fails if the call ends before. */
function waiting(call: Promise<Ended>): Promise<Asked> {
  const early = call.then(({ code, stdout, stderr }): never => {
    throw new Error(`The call ended with ${code} without an approval: ${stdout}${stderr}`)
  })
  return Promise.race([
    until(async () => ((await gateway.api('/approvals')) as { approvals: Asked[] }).approvals[0] as Asked),
    early,
  ])
}

describe('up', () => {
  it('logs lines of JSON on stderr, and prints its address', async () => {
    await until(() => /The gateway listens.*\n/.test(gateway.stderr()))
    const whole = gateway.stderr().split('\n').slice(0, -1)
    const lines = whole.map((line) => JSON.parse(line))
    expect(lines.every(({ time, level, message }) => time && level && message)).toBe(true)
    expect(lines.find(({ url }) => url)).toMatchObject({ url: `${gateway.url}/mcp`, servers: ['shop', 'strange'] })
  })

  it('refuses a config with a mistake, with its line', async () => {
    writeFileSync(`${gateway.path}/bad.json`, '{\n  "mcpServers": { "a": { "comand": "x" } }\n}')
    const { code, stderr } = await run('up', 'bad.json', '--port', '0', '--data-dir', 'other')
    expect(code).toBe(2)
    expect(stderr).toMatch(/bad\.json:2: /)
  })

  it('refuses a data directory that another gateway uses', async () => {
    const { code, stderr } = await run('up', 'mcp.json', '--port', '0', '--data-dir', 'data')
    expect(code).toBe(1)
    expect(stderr).toMatch(/^toolwire: .*\d+.*$/m)
  })
})

describe('through the gateway', () => {
  it('tools have the names of their servers, and are called by them', async () => {
    const { tools } = JSON.parse((await run('list', '--json')).stdout)
    expect(tools.map(({ name }: { name: string }) => name)).toContain('shop__search')
    const { stdout, code } = await run('call', 'shop__search', 'query=mug')
    expect([code, JSON.parse(stdout).hits[0].id]).toEqual([0, 'mug'])
  })

  it('a name without its server is resolved', async () => {
    expect((await here('call', 'search', 'query=mug')).stderr).toBe(
      'toolwire: There is no tool "search"; did you mean shop__search?\n',
    )
  })

  it('a call that the rules deny is refused, with the reason', async () => {
    const { code, stdout, stderr } = await here('call', 'shop__search', 'query=forbidden')
    expect(code).not.toBe(0)
    expect(stdout + stderr).toContain('it is secret')
  })
})

describe('status', () => {
  it('shows the servers and their states', async () => {
    const { stdout } = await run('status')
    expect(stdout).toContain(`The gateway at ${gateway.url}`)
    expect(stdout).toMatch(/^shop +ready +/m)
    expect(stdout).toMatch(/^ {2}calls under way: 0\n {2}approvals pending: 0$/m)
    expect(await json('status')).toMatchObject({
      status: 'degraded',
      troubles: [expect.stringContaining('withheld (strange__hide)')],
      servers: [{ id: 'shop', state: 'ready' }, { id: 'strange' }],
    })
  })
})

describe('doctor', () => {
  it('names the config that the gateway uses if it is another one', async () => {
    writeFileSync(`${gateway.path}/other.json`, '{ "mcpServers": {}, "toolwire": { "dataDir": "data" } }')
    const served = `${gateway.path}/mcp.json`
    const warnings = async (config: string) => {
      const { findings } = await json('doctor', config, '--offline')
      return findings.filter(({ message }: { message: string }) => message.includes('serves'))
    }
    expect(await warnings('other.json')).toEqual([
      {
        ...{ check: 'gateway', is: 'doubtful' },
        message: `the gateway at ${gateway.url} serves ${served}, but this checks ${gateway.path}/other.json. Check its config with toolwire doctor ${served}`,
      },
    ])
    expect(await warnings('mcp.json')).toEqual([])
    expect((await here('doctor', 'other.json', '--offline')).stderr).not.toContain('No problems')
  })
})

describe('a pending call', () => {
  it('is listed, approved by the beginning of its id, and made once', async () => {
    const call = run(...write)
    const asked = await waiting(call)
    const { stdout } = await run('pending')
    expect(stdout).toContain(asked.id)
    expect(stdout).toContain('{"text":"a","times":1,"loud":true,"where":"here"}')
    const approved = await run('approve', asked.id.slice(0, 8))
    expect([approved.code, approved.stdout]).toEqual([0, 'Approved strange__write once\n'])
    expect(approved.stderr).toContain('"text": "a"')
    expect(approved.stderr).toMatch(/^time left: \d+ (s|min)$/m)
    expect(await call).toMatchObject({
      ...{ code: 0, stdout: 'wrote {"text":"a","times":1,"loud":true,"where":"here"}\n' },
      // Only one line, also without a terminal.
      stderr: expect.stringMatching(new RegExp(`^Waiting for approval\\. .*toolwire approve ${asked.id}.*\\n$`)),
    })
    expect(await here('approve', asked.id)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('It may be decided already'),
    })
  })

  it('UX-001 is denied with a reason for the caller', async () => {
    const call = here(...write, '--quiet')
    const asked = await waiting(call)
    const denied = await run('deny', asked.id, 'not', 'today', '--json')
    expect(JSON.parse(denied.stdout)).toEqual({ id: asked.id, decision: 'deny', reason: 'not today' })
    const { code, stdout, stderr } = await call
    expect(code).not.toBe(0)
    expect(stdout + stderr).toContain('not today')
    expect(stdout).not.toContain('wrote')
  })

  it('is decided at the terminal only by a fully typed yes', async () => {
    const screen = inTerminal(['watch'], { env: gateway.env })
    const first = here(...write)
    await screen.shows('arguments, exactly as they will be sent:')
    const shown = await screen.shows('yes approves it once')
    expect(shown).toContain('"where": "here"')
    screen.type(keys.enter)
    await screen.shows('It stays pending')
    const left = await waiting(first)
    screen.kill()
    await here('deny', left.id)
    expect((await first).stdout).not.toContain('wrote')

    const again = inTerminal(['watch'], { env: gateway.env })
    const second = here(...write)
    await again.shows('yes approves it once')
    again.type(`y${keys.enter}`)
    await again.shows('Type yes, or no with an optional reason, or press Enter')
    again.type(`es${keys.enter}`)
    await again.shows('Allowed')
    expect((await second).stdout).toContain('wrote')
    again.type(keys.interrupt)
    await again.ended
  })

  it('leaves the screen when it is decided elsewhere', async () => {
    const screen = inTerminal(['watch'], { env: gateway.env })
    const call = here(...write)
    await screen.shows('yes approves it once')
    await here('deny', (await waiting(call)).id)
    await screen.shows('It is no longer pending')
    await call
    screen.kill()
  })

  it('is allowed together with similar calls for a while', async () => {
    const call = here(...write)
    const { id } = await waiting(call)
    const schema = '{"properties":{"text":{"const":"a"}}}'
    expect((await run('approve', id, '--always', '--for', '30m', '--arguments', schema)).stdout).toContain(
      'matching calls for 30 min',
    )
    expect((await call).code).toBe(0)
    expect(await here(...write)).toMatchObject({ code: 0, stdout: expect.stringContaining('wrote') })
  })

  it.for([
    [['approve', 'zzz'], 1, 'No pending call has the id zzz'],
    [['approve', 'a', '--for', '1h'], 2, '--always'],
    [['approve', 'a', '--always', '--for', '9h'], 2, '--for is longer than 8h. Choose a shorter time'],
    [['approve', 'a', '--always', '--arguments', '[]'], 2, '--arguments must be a JSON Schema'],
    [['approve', 'a', '--always', '--arguments', '@nope.json'], 2, 'The file nope.json cannot be read'],
    [['watch'], 2, 'watch needs a terminal'],
  ] as const)('%j is refused with an explanation', async ([words, code, message]) => {
    expect(await here(...words)).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(message) })
  })
})

describe('audit', () => {
  it('is searched by tool, caller, time and words', async () => {
    await here('call', 'shop__search', 'query=shirt')
    const { calls } = await json('audit', '--tool', 'shop__search', '--from', '1h', '--limit', '1')
    expect(calls).toHaveLength(1)
    expect(calls[0]).toMatchObject({ tool: 'shop__search', server: 'shop', outcome: 'ok' })
    expect((await json('audit', '--caller', 'nobody')).calls).toEqual([])
    expect((await json('audit', '--to', '2020-01-01')).calls).toEqual([])
    expect((await json('audit', '--outcome', 'refused')).calls.length).toBeGreaterThan(0)
    await here('call', 'shop__order', 'id=poster', '--yes')
    expect((await json('audit', '--outcome', 'error')).calls[0]).toMatchObject({ tool: 'shop__order' })
    const none = await here('audit', '--outcome', 'failed', '--tool', 'shop__order')
    expect(none).toMatchObject({
      code: 0,
      stdout: '',
      stderr: expect.stringMatching(/^No recorded calls match\. .*: 1 error\. /),
    })
    expect((await here('audit', '--outcome', 'failed', '--tool', 'nothing')).stderr).toBe('No recorded calls match\n')
    expect((await run('audit', 'shop__search')).stdout).toMatch(/^\d{4}-\d\d-\d\d .* shop: shop__search +ok /m)
  })

  it('is exported and verified without the gateway, and a changed line is found', async () => {
    const { stdout } = await run('audit', 'export', '--format', 'ndjson')
    writeFileSync(`${gateway.path}/audit.ndjson`, stdout)
    expect(await json('audit', 'verify', '--file', 'audit.ndjson')).toMatchObject({ ok: true })
    const lines = stdout.split('\n')
    writeFileSync(`${gateway.path}/changed.ndjson`, lines.with(2, lines[2]!.replace('"at":1', '"at":2')).join('\n'))
    const changed = await run('audit', 'verify', '--file', 'changed.ndjson')
    expect(changed).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^The log was altered: line 3, record 3: /),
    })
  })

  it('is verified at the gateway, against an earlier head', async () => {
    const { head, ok } = await json('audit', 'verify')
    expect(ok).toBe(true)
    expect((await here('audit', 'verify', '--head', `${head.sequence}:${head.hash}`)).code).toBe(0)
    expect(await here('audit', 'verify', '--head', `${head.sequence}:${'0'.repeat(64)}`)).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('has another hash'),
    })
    expect((await here('audit', 'verify', '--head', `${head.sequence + 999}:${head.hash}`)).stdout).toContain(
      'The log ends before',
    )
  })

  it('is exported as CSV for spreadsheets', async () => {
    expect((await here('audit', 'export', '--format', 'csv')).stdout).toMatch(/^sequence,time,caller,server,tool/)
  })

  it('is followed as it grows', async () => {
    const screen = inTerminal(['audit', '--follow', '--tool', 'shop__search'], { env: gateway.env })
    // The command shows later records only, and does not report when it is ready.
    await until(async () => {
      await gateway.api('/tools/shop__search/call', { arguments: { query: 'mug' } })
      return screen.text.includes('is called with')
    })
    await screen.shows('shop: shop__search  is called with')
    await screen.shows('shop: shop__search  ok')
    screen.type(keys.interrupt)
    expect(await screen.ended).toBe(0)
  })
})

describe('pins', () => {
  it('lists accepted tools, and reports a known tool as unchanged', async () => {
    const { accepted } = await json('pins')
    expect(accepted.map(({ tool }: { tool: string }) => tool)).toContain('shop__search')
    expect(await run('pins', 'diff', 'shop__search')).toMatchObject({
      code: 0,
      stderr: 'shop__search has not changed since it was accepted\n',
    })
    expect(await here('pins', 'accept', 'shop__serach')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('did you mean shop__search'),
    })
  })

  it('shows the changes of a withheld tool, and accepts it by its hash', async () => {
    const { waiting: kept } = await json('pins')
    expect(kept.map(({ tool }: { tool: string }) => tool)).toContain('strange__hide')
    const { stdout } = await here('pins', 'diff', 'strange__hide')
    expect(stdout).toContain('strange__hide of strange is new')
    expect(stdout).toContain('Says\\u{202e}')
    const { hash } = kept.find(({ tool }: { tool: string }) => tool === 'strange__hide')
    expect((await here('pins', 'accept', 'strange__hide')).stderr).toContain(`--hash ${hash}`)
    expect(await here('pins', 'accept', 'strange__hide', '--hash', 'sha256:no')).toMatchObject({ code: 1 })
    expect((await run('pins', 'accept', 'strange__hide', '--hash', hash)).stdout).toBe(`Accepted strange__hide as ${hash}\n`)
    expect((await here('call', 'strange__hide')).code).toBe(0)
  })
})

describe('keys', () => {
  it('are created, listed without the secret, and revoked', async () => {
    const created = await run('keys', 'create', 'nightly', '--scope', 'a:read', '--scope', 'b', '--for', '30d')
    expect(created.stdout).toMatch(/^tw_[0-9a-f]{16}_[\w-]{43}\n$/)
    const { keys: all } = await json('keys', 'list')
    const key = all.find(({ caller }: { caller: string }) => caller === 'nightly')
    expect(key.scopes).toEqual(['a:read', 'b'])
    expect(key.expiresAt).toBeGreaterThan(Date.now() + 29 * 86_400_000)
    expect((await here('keys', 'list')).stdout).not.toContain(created.stdout.trim())
    expect((await run('keys', 'revoke', key.id)).code).toBe(0)
    expect(await here('keys', 'revoke', key.id)).toMatchObject({ code: 1, stderr: expect.stringContaining('There is no key') })
  })
})

describe('completion', () => {
  it('offers the tools of the gateway, their arguments and the values of these', async () => {
    const words = async (...typed: string[]) => (await here('completion', 'words', ...typed)).stdout.trim().split('\n')
    // Completion has a short timeout, so on a busy machine it may be empty.
    await expect.poll(async () => (await run('completion', 'words', 'call', 'shop__s')).stdout).toBe('shop__search\n')
    await expect.poll(() => words('call', 'strange__write', 'text=a', '')).toEqual(['times=', 'loud=', 'where='])
    await expect.poll(() => words('call', 'strange__write', 'where=')).toEqual(['where=here', 'where=there'])
  })
})
