// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables as people type them on the command line
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { prompt, server } from 'toolwire'
import { listen } from 'toolwire/node'
import { describe, expect, it, vi } from 'vitest'
import { checkCommand } from '../src/index.js'
import { allRevisions } from '../src/revisions.js'
import { SharedState, TargetServer } from '../src/session/target-server.js'
import { faulty } from './faulty.js'
import { shop } from './shop.js'

/** Runs the command line, and returns its exit code and its output. */
async function run(...words: string[]): Promise<{ code: number | undefined; text: string; out: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'check-'))
  const out = join(folder, 'report.json')
  let code: number | undefined
  let text = ''
  const write = (piece: string) => {
    text += piece
  }
  const exit = (ended: number) => {
    code = ended
  }
  const command = checkCommand({ name: 'toolwire check', exit, open: () => ({ print: write }) })
  command.configureOutput({ writeOut: write, writeErr: write })
  await command.parseAsync(['--format', 'json', '--out', out, ...words], { from: 'user' }).catch((thrown: unknown) => {
    if (!(thrown instanceof Error && 'exitCode' in thrown)) throw thrown
  })
  return { code, text, out: await readFile(out, 'utf8').catch(() => '') }
}

const few = ['--revision', '2025-11-25', '--only', 'base-ping', '--timeout', '1000']

describe('The command check', () => {
  it('ends with 0 if no obligatory check is missing, and writes the report', async () => {
    const listening = await listen(shop(), { signals: false })
    const { code, out } = await run(...few, listening.url)
    await listening.close()
    expect(code).toBe(0)
    expect(JSON.parse(out).results).toMatchObject([
      { id: 'base-ping', outcome: 'enforced' },
      { id: 'base-ping-before-opening', outcome: 'not-tried' },
    ])
  })

  it.each([['--json'], ['--quiet'], ['--no-color']])('accepts %s like the other commands', async (flag) => {
    const listening = await listen(shop(), { signals: false })
    const { code, text } = await run(...few, flag, listening.url)
    await listening.close()
    expect({ code, text }).toEqual({ code: 0, text: '' })
  })

  it('prints JSON with --json, and shows its progress on a terminal', async () => {
    const listening = await listen(shop(), { signals: false })
    const printed: string[] = []
    const lines: (string | undefined)[] = []
    const options: unknown[] = []
    const command = checkCommand({
      name: 'toolwire-check',
      exit: () => {},
      open: (flags) => {
        options.push(flags.json, flags.quiet, flags.color)
        return { print: (text) => void printed.push(text), progress: (line) => void lines.push(line) }
      },
    })
    await command.parseAsync([...few, '--json', '--no-color', listening.url], { from: 'user' })
    await listening.close()
    expect(options).toEqual([true, undefined, false])
    expect(JSON.parse(printed.join('')).results).toHaveLength(2)
    expect(lines.map((line) => line?.replace(/\d+ s$/, 'n s'))).toEqual([
      'Connecting',
      '1 of 2 tried, n s',
      '2 of 2 tried, n s',
      undefined,
    ])
  })

  it('ends with 1 if an obligatory check is missing', async () => {
    await using server = await faulty({
      changeMessage: (reply, { method }) => (method === 'ping' ? { ...reply, result: { pong: true } } : reply),
    })
    expect((await run(...few, server.url)).code).toBe(1)
  })

  it('ends with 0 if only recommended checks are missing', async () => {
    await using server = await faulty({
      changeMessage: (reply, { method }) =>
        method === 'tools/list' && 'error' in reply ? { ...reply, error: { code: 1, message: '' } } : reply,
    })
    expect((await run('--revision', '2025-11-25', '--only', 'page-unknown', server.url)).code).toBe(0)
  })

  it('ends with 4 if no target could be connected', async () => {
    expect((await run(...few, 'http://127.0.0.1:9/mcp')).code).toBe(4)
  })

  it.each<[why: string, words: string[]]>([
    ['2026-07-28 was not checked: ', ['--revision', '2026-07-28']],
    ['The server has no tool misspelt. Check its name', ['--tool', 'misspelt={}']],
    ['The server has no tool misspelt. Check its name', ['--slow', 'misspelt={}']],
  ])('ends with 4 if not all that was named could be checked: %s', async (why, words) => {
    const prompts = { hello: prompt({ description: 'Says hello', run: () => 'Hello' }) }
    const app = server({ name: 'old', version: '1', revisions: ['2025-11-25'], prompts })
    const listening = await listen(app, { signals: false })
    const { code, out } = await run(...few, ...words, listening.url)
    await listening.close()
    const { trouble, results } = JSON.parse(out)
    expect({ code, trouble }).toEqual({ code: 4, trouble: expect.stringContaining(why) })
    expect(results).toMatchObject([{ id: 'base-ping', outcome: 'enforced' }, {}])
  })

  it.each<[why: string, words: string[]]>([
    ['The rate limit of the server was reached', ['--only', 'base-ping', '--only', 'base-id-echoed']],
    ['The timeout of the whole check (--total) was reached', ['--total', '1500', '--timeout', '30000']],
    ['No MUST was tried', ['--only', 'stdio-only-messages']],
    ['No demand was tried', ['--only', 'cancel-honoured']],
    ['No demand was tried', ['--only', 'meta-server-named']],
  ])('ends with 4 if it could not try what it should: %s', async (why, words) => {
    const isPing = ({ body }: { body: Buffer }) => body.includes('"ping"')
    await using limited = await faulty({
      before: (request) => (words.includes('--total') && isPing(request) ? new Promise(() => {}) : Promise.resolve()),
      instead: (request) => (isPing(request) ? { status: 429 } : undefined),
    })
    const only = words.includes('--only') ? [] : ['--only', 'base-ping']
    const { code, out } = await run('--revision', '2025-11-25', ...only, ...words, limited.url)
    expect({ code, trouble: JSON.parse(out).trouble }).toEqual({ code: 4, trouble: expect.stringContaining(why) })
  })

  it('explains a failed connection with the message of the connection, the program or the endpoint', async () => {
    const why = async (...words: string[]) => JSON.parse((await run(...few, ...words)).out).trouble
    expect(await why('http://127.0.0.1:9/mcp')).toMatch(
      /^initialize got no answer: .*ECONNREFUSED.*\. Start the server, or check the address$/,
    )
    const program = ['--', process.execPath, '-e', 'console.error("no such module"); process.exit(3)']
    expect(await why(...program)).toBe('initialize got no answer: the program ended with code 3 and printed: no such module')
    const stray = ['--', process.execPath, '-e', 'console.log("usage: server <port>")']
    expect(await why(...stray)).toBe('initialize got no answer: the program ended with code 0 and printed: usage: server <port>')
    expect(await why('--', 'no-such-server')).toMatch(/^no-such-server cannot be started: it was not found\. Install it/)
    for (const text of ['', '{"jsonrpc":"2.0","id":1001,"error":{"code":-32001,"message":"Unauthorized"}}']) {
      const type = { 'content-type': 'application/json' }
      const locked = createServer((_, response) => response.writeHead(401, type).end(text)).listen(0, '127.0.0.1')
      await once(locked, 'listening')
      const { port } = locked.address() as AddressInfo
      expect(await why(`http://127.0.0.1:${port}/mcp`)).toMatch(/HTTP 401\)\. If the server needs credentials, .*--header/)
      locked.close()
    }
  })

  it('refuses a second server and an unwritable report as usage errors', async () => {
    await expect(run(...few, 'http://127.0.0.1:9/mcp', 'http://127.0.0.1:9/b')).rejects.toMatchObject({
      ...{ name: 'CheckUsageError', message: expect.stringContaining('Omit http://127.0.0.1:9/b') },
    })
    await expect(run(...few, '--out', '/nowhere/report', 'http://127.0.0.1:9/mcp')).rejects.toMatchObject({
      ...{ name: 'CheckUsageError', message: expect.stringContaining('The report cannot be written: ENOENT') },
    })
  })

  it('notices an unwritable report before the check, and prints a report that becomes unwritable during the check', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'check-'))
    const out = join(folder, 'gone/report.json')
    let requests = 0
    await using server = await faulty({
      before: async () => {
        requests++
        await rm(join(folder, 'gone'), { recursive: true, force: true })
      },
    })
    const printed: string[] = []
    const check = () => {
      const open = () => ({ print: (text: string) => void printed.push(text) })
      const command = checkCommand({ name: 'toolwire-check', exit: () => {}, open })
      return command.parseAsync([...few, '--json', '--out', out, server.url], { from: 'user' })
    }
    await expect(check()).rejects.toThrow('The report cannot be written: ENOENT')
    expect({ requests, printed }).toEqual({ requests: 0, printed: [] })
    await mkdir(join(folder, 'gone'))
    await expect(check()).rejects.toThrow('The report cannot be written: ENOENT')
    expect(JSON.parse(printed.join('')).connected).toBe(true)
  })

  it('does not take properties that every object inherits for arguments of a tool', () => {
    const [revision] = allRevisions
    const target = { url: 'http://127.0.0.1:9/mcp' }
    const server = new TargetServer({
      target,
      revision: revision!,
      options: { tools: { search: {} } },
      common: new SharedState(),
    })
    expect(server.argumentsFor({ name: 'search' })).toEqual({})
    expect(server.argumentsFor({ name: 'constructor' })).toBeUndefined()
  })

  it.each([
    [['--revision', '1900-01-01', 'http://x/'], 'Use one of:'],
    [['--only', 'nothing-begins-like-this', 'http://x/'], 'No check id begins with this'],
    [['--tool', 'echo=[1]', 'http://x/'], 'Write name='],
    [['--slow', 'a={}', '--slow', 'b={}', 'http://x/'], 'Name one slow tool only'],
    [['--timeout', 'soon', 'http://x/'], 'whole number'],
    [['--header', 'no value', 'http://x/'], 'Name: value'],
    [['--format', 'pdf', 'http://x/'], 'Allowed choices'],
    [[], 'missing required argument'],
  ])('ends with 2 for %j, and says why', async (words, why) => {
    const { code, text } = await run(...words)
    expect(code).toBe(2)
    expect(text).toContain(why)
  })

  it('sends the given headers', async () => {
    const authorizations = new Set<string | undefined>()
    await using server = await faulty({
      changeRequest: ({ headers }) => {
        authorizations.add(headers.authorization)
        return undefined
      },
    })
    await run(...few, '--header', 'Authorization: Bearer secret', server.url)
    expect(authorizations).toEqual(new Set(['Bearer secret']))
    vi.stubEnv('CHECK_TOKEN', 'kept')
    await run(...few, '--header', 'Authorization: Bearer ${CHECK_TOKEN}', server.url)
    vi.unstubAllEnvs()
    expect(authorizations).toEqual(new Set(['Bearer secret', 'Bearer kept']))
    const unset = run(...few, '--header', 'Authorization: ${NO_SUCH_VARIABLE}', server.url)
    await expect(unset).rejects.toThrow('The variable NO_SUCH_VARIABLE is not set')
  })

  it('prints help with examples and exit codes', async () => {
    const { code, text } = await run('--help')
    expect(code).toBe(0)
    expect(text).toContain('toolwire check https://shop.example/mcp')
    expect(text).toContain('4  no connection could be made')
  })
})
