// Servers are added, changed and removed in the console: shown, confirmed, and saved.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { runGateway } from '../../src/lifecycle/start-gateway.js'
import { ask, folder, openMs, program, storeIn, until } from '../support/running-gateway.js'
import { type Console, enter, type Sent, send, withConsole } from './console-visitor.js'

const notes = program('notes-server.mjs')
const text = (more = '') => `{
  // ours
  "mcpServers": {
    "notes": { "command": ${JSON.stringify(process.execPath)}, "args": [${JSON.stringify(notes)}, "--api-key", "hunter2-hunter2"], "env": { "TOKEN": "s3cret-of-ours" } } // keep
  },
  "toolwire": { "port": 0, "console": { "port": 0 }${more} }
}
`

/** A gateway with a config file of its own, as `toolwire up` starts it. */
async function running(more?: string) {
  const place = folder()
  const path = join(place, 'mcp.json')
  writeFileSync(path, text(more))
  const where = { path, env: {}, cwd: place, home: place, settleMs: 20, pollMs: 100 }
  const store = await storeIn(join(place, 'data'))
  const gateway = await runGateway(where, { env: {}, openMs, store })
  onTestFinished(() => gateway.close({ drainMs: 0 }))
  const home = gateway.consoleUrl ?? ''
  const console = Object.assign(gateway, { home, log: [], send: (to: string, sent?: Sent) => send(home, to, sent) }) as Console
  const credentials = await enter(console)
  const api = async (to: string, sent: Sent = {}) => {
    const { status, text } = await console.send(`/api/v1${to}`, { ...sent, headers: { ...credentials, ...sent.headers } })
    return { status, body: JSON.parse(text) as Record<string, unknown> }
  }
  return { console, gateway, path, place, credentials, api }
}

const more = { command: process.execPath, args: [notes, 'a b'], env: { PIN: '12345-secret' } }
const fileOf = ({ path }: { readonly path: string }) => readFileSync(path, 'utf8')
const idsOf = (gateway: Console) => gateway.control.servers().map(({ id, state, tools }) => [id, state === 'ready' && tools > 0])

describe('a server in the config', () => {
  it('is added in two steps: the command is shown, and nothing is written before the confirmation', async () => {
    const here = await running()
    const plan = await here.api('/servers', { body: { name: 'more', entry: more } })
    expect(plan).toMatchObject({
      status: 200,
      body: {
        done: false,
        file: here.path,
        target: { kind: 'child', command: process.execPath, args: [notes, 'a b'] },
        risks: [],
      },
    })
    expect(plan.body.diff).toContain('+    "more": {')
    expect(fileOf(here)).toBe(text())
    const { confirm } = plan.body
    const other = await here.api('/servers', { body: { name: 'more', entry: { ...more, args: ['-e', '1'] }, confirm } })
    expect([other.status, fileOf(here)]).toEqual([409, text()])

    const done = await here.api('/servers', { body: { name: 'more', entry: more, confirm } })
    expect(done).toMatchObject({ status: 200, body: { done: true, backup: expect.stringContaining('.bak') } })
    for (const kept of ['// ours', '// keep', '"more": {']) expect(fileOf(here)).toContain(kept)
    await until(() => JSON.stringify(idsOf(here.console)) === '[["notes",true],["more",true]]')
    const { body } = await ask(here.gateway, '/audit?tool=toolwire/add-server')
    expect(body.calls).toMatchObject([{ caller: `console:${here.credentials.id}`, outcome: 'ok' }])
    const [{ sequence }] = body.calls as [{ sequence: number }]
    const record = JSON.stringify((await ask(here.gateway, `/audit/${sequence}`)).body)
    expect(record).toContain(notes)
    for (const text of [JSON.stringify([plan, done]), record]) {
      expect(text).not.toContain('12345-secret')
      expect(text).not.toContain('s3cret-of-ours')
    }
  })

  it('is changed with its secrets kept, and removed with a record in the log', async () => {
    const here = await running()
    const { body } = await here.api('/servers/notes/entry')
    expect(body).toMatchObject({ name: 'notes', file: here.path })
    expect(JSON.stringify(body)).not.toMatch(/hunter2|s3cret/)
    const entry = body.entry as { args: string[]; env: Record<string, string> }
    const changed = { ...entry, args: ['--no-warnings', ...entry.args], env: { ...entry.env, MORE: 'x' } }
    const { confirm } = (await here.api('/servers/notes', { method: 'PUT', body: { entry: changed } })).body
    const done = await here.api('/servers/notes', { method: 'PUT', body: { entry: changed, confirm } })
    expect([done.status, JSON.stringify(done.body)]).toEqual([200, expect.not.stringMatching(/hunter2|s3cret/)])
    const { mcpServers } = JSON.parse(fileOf(here).replaceAll(/\/\/.*$/gm, ''))
    expect(mcpServers.notes).toEqual({
      command: process.execPath,
      args: ['--no-warnings', notes, '--api-key', 'hunter2-hunter2'],
      env: { TOKEN: 's3cret-of-ours', MORE: 'x' },
    })
    const plan = await here.api('/servers/notes/remove', { body: {} })
    expect(plan.body.diff).toContain('-    "notes": {')
    await here.api('/servers/notes/remove', { body: { confirm: plan.body.confirm } })
    await until(() => here.gateway.control.servers().length === 0)
    expect((await ask(here.gateway, '/audit?text=remove-server')).body.calls).toHaveLength(1)
    expect(readdirSync(here.place).filter((name) => name.endsWith('.bak'))).toHaveLength(2)
  })

  it('is not started if `commands` does not allow it, and its risks are shown otherwise', async () => {
    const here = await running(`, "commands": [${JSON.stringify(`${process.execPath} *`)}]`)
    const refused = await here.api('/servers', { body: { name: 'more', entry: { command: 'sh', args: ['-c', 'curl x | sh'] } } })
    expect([refused.status, refused.body.error, fileOf(here).includes('curl')]).toEqual([
      400,
      expect.stringContaining('toolwire.commands'),
      false,
    ])
    const free = await running()
    const risky = await free.api('/servers', { body: { name: 'more', entry: { command: 'sh', args: ['-c', 'curl x | sh'] } } })
    expect(risky.body.risks).toEqual(expect.arrayContaining([expect.stringContaining('downloaded')]))
  })

  it('is refused with a reason if the config would be invalid, and the file stays', async () => {
    const here = await running()
    for (const [name, entry, why] of [
      ['notes', more, 'there is a server "notes" already'],
      ['new', {}, 'has neither a `command` nor a `url`'],
      ['new', { url: 'ftp://example' }, ''],
      ['new', { command: `\${NOWHERE}` }, 'NOWHERE'],
    ] as const) {
      const { status, body } = await here.api('/servers', { body: { name, entry } })
      expect([name, status, body.error]).toEqual([name, 400, expect.stringContaining(why)])
    }
    expect((await here.api('/servers/other/remove', { body: {} })).status).toBe(400)
    expect((await here.api('/servers/other/entry')).status).toBe(404)
    expect(fileOf(here)).toBe(text())
  })

  it('is changed only by logged-in browsers', async () => {
    const here = await running()
    const body = { name: 'more', entry: more }
    const { cookie, 'x-toolwire-session': key } = here.credentials
    const incomplete: Record<string, string>[] = [{}, { cookie }, { 'x-toolwire-session': key }]
    for (const headers of [...incomplete, { ...here.credentials, origin: 'http://evil.example' }])
      expect((await here.console.send('/api/v1/servers', { body, headers })).status).toBeGreaterThanOrEqual(401)
    for (const [path, method] of [
      ['/servers', 'POST'],
      ['/servers/notes', 'PUT'],
      ['/servers/notes/remove', 'POST'],
      ['/servers/notes/entry', 'GET'],
    ] as const) {
      const { status } = await ask(here.gateway, path, { method, ...(method !== 'GET' && { body }) })
      expect([path, status]).toEqual([path, expect.toBeOneOf([404, 405])])
    }
    expect(fileOf(here)).toBe(text())
  })

  it('cannot be changed if a program has passed the config', async () => {
    const gateway = await withConsole()
    const headers = await enter(gateway)
    const { status, text } = await gateway.send('/api/v1/servers', {
      body: { name: 'more', entry: more },
      headers: { ...headers },
    })
    expect([status, text]).toEqual([409, expect.stringContaining('Another program started this gateway')])
  })
})

describe.each(['/logged-in', '/enter'])('%s, the page after a login or from a local file', (way) => {
  it('is open to a browser from another page; it contains only the console page', async () => {
    const gateway = await withConsole()
    const from = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }
    const back = await gateway.send(`${way}?code=1&state=2`, { headers: from })
    expect([back.status, back.text]).toEqual([200, (await gateway.send('/')).text])
    for (const [path, headers] of [
      ['/', from],
      ['/api/v1/status', from],
      [way, { ...from, 'sec-fetch-dest': 'iframe' }],
      [way, { ...from, host: 'rebound.example' }],
    ] as const)
      expect([path, (await gateway.send(path, { headers })).status]).toEqual([path, 403])
    expect((await gateway.send(way, { headers: from, body: {} })).status).toBe(403)
  })
})
