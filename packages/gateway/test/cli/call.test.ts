// Commands with direct connections: the example shop, the official everything server, one over HTTP, and one with hostile texts.

import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { fileURLToPath } from 'node:url'
import { jsonSchema, server, tool } from 'toolwire'
import { listen } from 'toolwire/node'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { eachNth } from '../../../toolwire/test/soak.js'
import { commandHere } from '../support/command-here.js'
import { clean, everything, folder, shop, toolwire } from '../support/run-program.js'

const strange = ['--', process.execPath, fileURLToPath(new URL('../programs/strange-server.mjs', import.meta.url))]
const json = (text: string) => JSON.parse(text)

describe('list', () => {
  it('shows the tools of a program, their arguments and their claims', async () => {
    const { code, stdout } = await toolwire(['list', ...shop])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^TOOL +ARGUMENTS +CLAIMS +ABOUT$/m)
    expect(stdout).toMatch(/^search +query \[limit\] +reads \(unverified\) +Finds items/m)
    expect(stdout).toMatch(/^order +id +destructive /m)
  })

  it('prints the exact definitions, and resources and prompts, as JSON', async () => {
    const { stdout } = await commandHere(['list', '--all', '--json', ...shop])
    const { server: about, tools, resources, prompts } = json(stdout)
    expect(about).toMatchObject({ name: 'shop', version: '1.0.0' })
    expect(tools.map(({ name }: { name: string }) => name)).toEqual(['search', 'order', 'restock'])
    expect(tools[0].inputSchema.properties.limit).toEqual({ type: 'integer', minimum: 1, maximum: 50 })
    expect([resources[0].uri, prompts[0].name]).toEqual(['shop://opening-hours', 'gift'])
  })

  it('connects to the official server', async () => {
    const { code, stdout } = await commandHere(['list', '--json', ...everything])
    expect(code).toBe(0)
    const names = json(stdout).tools.map(({ name }: { name: string }) => name)
    // The second tool is offered only to clients with elicitation, as the gateway has.
    expect(names).toEqual(expect.arrayContaining(['echo', 'trigger-elicitation-request']))
  })

  it('shows hidden characters in a description', async () => {
    const { stdout } = await commandHere(['list', ...strange])
    expect(stdout).toContain('Says\\u{202e} what is not seen')
  })
})

it('a program that is not a server is shown once with the line that it printed', async () => {
  const { code, stderr } = await commandHere(['list', '--', process.execPath, '-e', 'console.log("only this")'])
  expect([code, stderr.match(/^only this$/gm), stderr.match(/: only this$/gm)]).toEqual([4, ['only this'], null])
})

describe('call', () => {
  it('reads arguments by the schema, and prints the structured result once', async () => {
    const { code, stdout, stderr } = await toolwire(['call', 'search', 'query=m', 'limit=1', ...shop])
    expect(json(stdout)).toEqual({ hits: [{ id: 'mug', price: 9, stock: 12 }] })
    expect([code, stderr]).toEqual([0, ''])
  })

  const written = [
    ['--json', '{"query":"shirt"}'],
    ['--json={"query":"shirt"}'],
    ['--input', '{"query":"shirt"}'],
    ['--input', '@all.json'],
    ['--input', '-'],
    ['query:="shirt"'],
    ['query=@word'],
  ]

  it.for(eachNth(written, 2))('accepts arguments as %s', async (words) => {
    using files = folder({ 'all.json': '{"query":"shirt"}', word: 'shirt' })
    const command = words.includes('-') ? toolwire : commandHere
    const { stdout } = await command(['call', 'search', ...words, ...shop], { cwd: files.path, stdin: '{"query":"shirt"}' })
    expect(json(stdout).hits).toHaveLength(1)
  })

  it('prints the whole result as JSON, and exits with 1 if the tool failed', async () => {
    const { code, stdout } = await commandHere(['call', 'order', 'id=poster', '--json', ...shop])
    expect(json(stdout)).toMatchObject({ isError: true, content: [{ type: 'text', text: 'Poster is sold out' }] })
    expect(code).toBe(1)
  })

  it("reports the failure on stderr, and the tool's message on stdout", async () => {
    expect(await toolwire(['call', 'order', 'id=poster', ...shop])).toEqual({
      code: 1,
      stdout: 'Poster is sold out\n',
      stderr: 'order failed:\n',
    })
  })

  const mistakes = [
    [['call', 'serch', 'query=a', ...shop], 2, 'There is no tool "serch"; did you mean search?'],
    [['call', 'search', ...shop], 2, 'search needs query. See toolwire inspect search'],
    [['call', 'search', 'qery=mug', ...shop], 2, 'search needs query, and does not have qery. See toolwire inspect search'],
    [['call', 'search', 'query=a', 'limit=many', ...shop], 2, 'limit must be a whole number'],
    [['call', 'search', 'query=a', 'limit=99', ...shop], 2, '/limit'],
    [['call', 'search', 'qery=a', 'query=b', ...shop], 2, 'qery'],
    [['call', 'search', 'query', ...shop], 2, '"query" is not an argument. Write name=value'],
    [['call', 'search', 'query=a', 'https://a.example/mcp', ...shop], 2, 'Name an address or a command after --, not both'],
    [['call', 'search', 'query=a'], 4, 'No gateway answers at http://127.0.0.1:9. Start one with toolwire up'],
    [['list', 'http://127.0.0.1:9/mcp'], 4, '127.0.0.1:9. Start the server, or check the address'],
    [['list', '--', '/nowhere/server'], 4, '/nowhere/server'],
    [['list', '--', '/bin/false'], 4, 'exited'],
    [['list', '--revision', 'nope', ...shop], 2, 'nope'],
    [['list', 'ftp://a'], 2, 'ftp://a is not an address'],
  ] as const

  it.for(eachNth(mistakes, 2))('%j exits with %d and an error message', async ([words, code, message]) => {
    const ended = await commandHere([...words])
    expect(ended.stderr).toMatch(/^toolwire: /)
    expect(ended.stderr).toContain(message)
    expect(ended.stderr).not.toMatch(/^\s+at /m)
    expect(ended.stderr).not.toMatch(/^toolwire: (server\/discover|initialize|connect)/)
    expect([ended.code, ended.stdout]).toEqual([code, ''])
  })

  it('shows a stack trace only on request', async () => {
    expect((await commandHere(['call', 'search', '--debug', ...shop])).stderr).toMatch(/^\s+at /m)
  })

  it('shows hidden characters, which cannot control the terminal', async () => {
    const { stdout } = await toolwire(['call', 'hide', ...strange])
    expect(stdout).toBe('red \\u{1b}[31mred\\u{202e} \\u{200b}end\n')
    expect((await commandHere(['call', 'hide', '--json', ...strange])).stdout).toMatch(/^[ -~\n]*$/)
  })

  it('saves images and audio under names of its own, and overwrites nothing', async () => {
    using files = folder({ 'picture-1.png': 'mine' })
    const { stdout } = await toolwire(['call', 'picture', ...strange], { cwd: files.path })
    expect(stdout).toBe(`image (image/png): picture-2.png
audio (audio/../../evil): picture-1.bin
link: Mug shop://items/mug (application/json)
resource: file:///a.txt
inside\\u{7}
`)
    expect(readdirSync(files.path).sort()).toEqual(['picture-1.bin', 'picture-1.png', 'picture-2.png'])
    expect(readFileSync(`${files.path}/picture-1.png`, 'utf8')).toBe('mine')
    expect(readFileSync(`${files.path}/picture-2.png`).subarray(1, 4).toString()).toBe('PNG')
    await toolwire(['call', 'picture', '--out', 'there', ...strange], { cwd: files.path })
    expect(existsSync(`${files.path}/there/picture-1.png`)).toBe(true)
  })

  it('makes no call if the folder for files is unusable', async () => {
    using files = folder({ taken: '' })
    const { code, stdout, stderr } = await commandHere(['call', 'picture', '--out', 'taken', ...strange], { cwd: files.path })
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain(`Files cannot be saved in ${files.path}/taken: `)
  })

  it('shows the other results if an image cannot be saved, and fails', async () => {
    using files = folder()
    const { code, stdout } = await commandHere(['call', 'picture', ...strange], { cwd: `${files.path}/gone` })
    expect(stdout).toMatch(
      /^image \(image\/png\): could not be saved: ENOENT.*\naudio \(.*\): could not be saved: ENOENT.*\nlink: Mug/,
    )
    expect(stdout).toContain('inside')
    expect(code).toBe(1)
  })

  it('saves the image of the official server', async () => {
    using files = folder()
    const { stdout } = await toolwire(['call', 'get-tiny-image', ...everything], { cwd: files.path })
    expect(stdout).toContain('image (image/png): get-tiny-image-1.png')
    expect(statSync(`${files.path}/get-tiny-image-1.png`).size).toBeGreaterThan(100)
  })

  it('gives up after its timeout', async () => {
    const { code, stderr } = await toolwire(['call', 'slow', '--timeout', '0.3', ...strange])
    expect(code).toBe(4)
    expect(stderr).toMatch(/^toolwire: The server did not answer within 0\.3 s.*\n$/)
  })
})

describe('inspect', () => {
  it('shows arguments with their limits, claims as claims, and the hash', async () => {
    const { stdout } = await toolwire(['inspect', 'search', ...shop])
    expect(stdout).toContain('  query: string  A part of the name')
    expect(stdout).toContain('  limit?: integer (minimum 1, maximum 50)')
    expect(stdout).toContain('Claims (by the server, unverified unless it is trusted)\n  readOnly: true')
    expect(stdout).toMatch(/sha256:[0-9a-f]{64}\n$/)
  })

  it("prints the guard's view as JSON: claims, effective hints, and the pinned hash", async () => {
    const plain = json((await commandHere(['inspect', 'search', '--json', ...shop])).stdout)
    expect([plain.claims.readOnly, plain.hints.readOnly]).toEqual([true, false])
    expect(plain.definition.name).toBe('search')
    const trusted = json((await commandHere(['inspect', 'search', '--json', '--trust', ...shop])).stdout)
    expect(trusted.hints.readOnly).toBe(true)
    expect(trusted.hash).toBe(plain.hash)
  })
})

describe('a server at an address', () => {
  let url: string
  let close: () => Promise<void>
  const headerValues: (string | undefined)[] = []
  const app = server({
    name: 'adder',
    version: '1.0.0',
    tools: {
      add: tool({
        description: 'Adds',
        hints: { readOnly: true },
        input: jsonSchema<{ a: number; b: number }>({
          type: 'object',
          properties: { a: { type: 'number' }, b: { type: 'number' } },
          required: ['a', 'b'],
        }),
        run: ({ a, b }) => `${a + b}`,
      }),
    },
  })
  beforeAll(async () => {
    const listening = await listen(app, {
      port: 0,
      authenticate: (request) => {
        headerValues.push(request.header('x-test'))
        return { id: 'somebody', scopes: [] }
      },
    })
    url = listening.url
    close = () => listening.close()
  })
  afterAll(() => close())

  it('is called with the given headers', async () => {
    const { stdout } = await toolwire(['call', 'add', 'a=1', 'b=2.5', url, '--header', 'X-Test: yes'])
    expect(stdout).toBe('3.5\n')
    expect(new Set(headerValues)).toEqual(new Set(['yes']))
  })

  it('is called with the value of a variable in a header, and not without one', async () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text contains a variable as typed
    const words = ['list', url, '--header', 'X-Test: ${GIVEN}', '--json']
    expect(await commandHere(words)).toMatchObject({ code: 2, stderr: expect.stringContaining('GIVEN} is not set') })
    expect((await commandHere(words, { env: { ...clean('/tmp'), GIVEN: 'kept' } })).code).toBe(0)
    expect(headerValues.at(-1)).toBe('kept')
  })

  it('is called in the requested revision', async () => {
    const { stdout } = await commandHere(['list', url, '--json', '--revision', '2025-06-18'])
    expect(json(stdout).server.revision).toBe('2025-06-18')
  })

  it('never receives the key of the gateway', async () => {
    const headers: (string | undefined)[] = []
    const spy = createServer((req, res) => {
      headers.push(req.headers.authorization)
      res.writeHead(404).end()
    })
    await new Promise<void>((resolve) => spy.listen(0, '127.0.0.1', resolve))
    const { port } = spy.address() as { port: number }
    await commandHere(['list', `http://127.0.0.1:${port}/mcp`], { env: { ...clean('/tmp'), TOOLWIRE_API_KEY: 'tw_secret' } })
    spy.close()
    expect(headers.length).toBeGreaterThan(0)
    expect(new Set(headers)).toEqual(new Set([undefined]))
  })
})

describe('a gateway with unexpected answers', () => {
  async function answering(status: number, text: string) {
    const gateway = createServer((_, response) => response.writeHead(status, { 'content-type': 'text/html' }).end(text))
    await new Promise<void>((resolve) => gateway.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void gateway.close())
    const { port } = gateway.address() as { port: number }
    return { ...clean('/tmp'), TOOLWIRE_URL: `http://127.0.0.1:${port}` }
  }

  it.each([
    [401, undefined, 3, 'requires a key. Set TOOLWIRE_API_KEY'],
    [401, 'tw_old', 3, 'rejects the key in TOOLWIRE_API_KEY'],
    [403, 'tw_key', 3, 'refuses this: add the host to allowedHosts'],
    [404, undefined, 4, 'answered with HTTP 404'],
    [502, undefined, 4, 'answered with HTTP 502'],
  ])('explains the status %d, with the key %s', async (status, key, code, message) => {
    const env = { ...(await answering(status, '<h1>No</h1>')), ...(key && { TOOLWIRE_API_KEY: key }) }
    expect(await commandHere(['list'], { env })).toMatchObject({ code, stderr: expect.stringContaining(message) })
  })

  it.each([
    [400, 2],
    [404, 1],
    [503, 4],
  ])('ends a command of the management API with status %d as %d', async (status, code) =>
    expect(await commandHere(['pins'], { env: await answering(status, '{"error":"No"}') })).toMatchObject({ code }))

  it('at the usual address does not make commands use files instead', async () => {
    const { TOOLWIRE_URL, ...env } = await answering(502, 'Bad gateway')
    using files = folder()
    const here = { ...env, ...clean(files.path), TOOLWIRE_URL: undefined, TOOLWIRE_PORT: new URL(TOOLWIRE_URL).port }
    expect(await commandHere(['keys', 'create', 'ops'], { env: here, cwd: files.path })).toMatchObject({
      ...{ code: 4, stdout: '', stderr: expect.stringContaining('answered with HTTP 502') },
    })
  })

  it('that closes during its answer is reported as closed', async () => {
    const gateway = createServer((_, response) => {
      response.writeHead(200, { 'content-length': '99' }).write('{"half":', () => response.destroy())
    })
    await new Promise<void>((resolve) => gateway.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void gateway.close())
    const { port } = gateway.address() as { port: number }
    const env = { ...clean('/tmp'), TOOLWIRE_URL: `http://127.0.0.1:${port}` }
    for (const words of [['pins'], ['audit', 'export']])
      expect(await commandHere(words, { env })).toMatchObject({
        ...{ code: 4, stderr: expect.stringContaining('ended before its answer was complete') },
      })
  })
})

it('files of arguments may be anywhere', async () => {
  using files = folder()
  writeFileSync(`${files.path}/q`, 'mug')
  const { stdout } = await commandHere(['call', 'search', `query=@${files.path}/q`, ...shop])
  expect(json(stdout).hits).toHaveLength(1)
})
