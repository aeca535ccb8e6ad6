// Our own output: stderr, warnings, errors that quote untrusted text, approvals, records, rules.

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { jsonSchema, server, tool } from 'toolwire'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { connect } from '../../../src/client/index.js'
import { type AuditRecord, approve, audit } from '../../../src/guard.js'
import type { JsonObject } from '../../../src/json.js'
import { TransportError } from '../../../src/peer/client-transport.js'
import { explain, loadRules, RulesError, readRules } from '../../../src/rules.js'
import { compile } from '../../../src/schema/compile-schema.js'
import { reportFault } from '../../../src/server/report-fault.js'
import { errorText } from '../../../src/text/error-text.js'
import { person } from '../../client/people.js'
import { connectScripted, plainTool, textResult, toolsPage } from '../../client/scripted.js'
import { every } from '../../revisions.js'
import { speaking } from '../../server/pipe.js'
import { everything, expectPlain, words } from './words.js'

let printed: string[]
beforeEach(() => {
  printed = []
  const note = (...args: unknown[]) =>
    void printed.push(...args.map((arg) => (arg instanceof Error ? String(arg.stack) : String(arg))))
  for (const level of ['log', 'info', 'warn', 'error', 'debug'] as const) vi.spyOn(console, level).mockImplementation(note)
})
afterEach(() => vi.restoreAllMocks())

const anything = jsonSchema<Record<string, unknown>>({ type: 'object', additionalProperties: true })
const failing = (thrown: unknown) =>
  server({
    name: 's',
    version: '1',
    tools: { fail: tool({ description: 'Fails', input: anything, run: () => Promise.reject(thrown) }) },
  })

describe.each(words)('stderr never contains %s', (_, text) => {
  it('from a handler that quotes a caller', async () => {
    const thrown = Object.assign(new Error(`no file ${text}`, { cause: new TypeError(text) }), { code: text, path: { a: text } })
    for (const one of [thrown, text, { message: text }, new AggregateError([thrown, text], text)]) {
      const { ask, params } = await speaking(failing(one), '2025-11-25')
      await ask('tools/call', params({ name: 'fail' }))
    }
    expect(printed).toHaveLength(4)
    expectPlain(printed)
  })

  it('from any report', () => {
    reportFault(`tool ${text}`, new Error(text))
    expectPlain(printed)
  })

  it('from warnings about a server without a warning listener', async () => {
    const tools = [{ name: `bad${text}`, inputSchema: 7 }, plainTool('good')] as JsonObject[]
    const { client } = await connectScripted(
      { 'tools/list': toolsPage(tools) },
      { revision: '2025-11-25', options: { onWarning: undefined as never } },
    )
    await client.listTools()
    expect(printed.length).toBeGreaterThan(0)
    expectPlain(printed)
  })

  it('from listeners that throw', async () => {
    const onWarning = () => {
      throw new Error(text)
    }
    const tools = [{ name: 'bad', inputSchema: 7 }] as JsonObject[]
    const { client } = await connectScripted(
      { 'tools/list': toolsPage(tools) },
      { revision: '2025-11-25', options: { onWarning } },
    )
    await client.listTools()
    expect(printed.length).toBeGreaterThan(0)
    expectPlain(printed)
  })
})

describe('a thrown value is printed', () => {
  it('with its name, its causes, its code and its stack', () => {
    class Late extends Error {
      override name = 'Late'
      readonly code = 'E_LATE'
    }
    const text = errorText(new Late('too late', { cause: new RangeError('by far') }))
    expect(text).toMatch(/^Late: too late\n\s+at /)
    expect(text).toContain('{"code":"E_LATE"}')
    expect(text).toMatch(/\[cause\]: RangeError: by far\n/)
  })

  it('with indentation, so that untrusted lines never look like ours', () => {
    const lines = errorText(new Error('no\ntoolwire: error 1234 in tool pay: forged')).split('\n')
    expect(lines.slice(1).filter((line) => !line.startsWith('  '))).toEqual([])
  })

  it('whatever its type', () => {
    const hostile = {
      get message(): string {
        throw new Error('mine')
      },
    }
    const circle: { self?: unknown } = {}
    circle.self = circle
    const odd = Object.create(null)
    for (const one of [
      undefined,
      null,
      7n,
      Symbol('s'),
      () => 1,
      hostile,
      circle,
      odd,
      new Proxy(
        {},
        {
          getPrototypeOf: () => {
            throw 1
          },
        },
      ),
    ])
      expect(errorText(one)).toMatch(/\S/)
    expect(errorText(Object.assign(new Error('round'), circle))).toMatch(/^Error: round/)
    expect(errorText(new Error(''))).toMatch(/^Error\n/)
  })
})

describe.each(every)('errors and warnings of a client at %s escape hidden characters', (revision) => {
  it.each(words)('SECC-006 such as %s in texts of a server', async (_, text) => {
    const inputSchema = { type: 'object', properties: { [text]: { enum: [text] } }, required: [`${text} too`] }
    const strict = plainTool('strict', { inputSchema })
    const cannot = plainTool('cannot', {
      inputSchema: { type: 'object', properties: { a: { $ref: `#/${text}` }, b: { pattern: `(${text}` } } },
    })
    const made = plainTool('made', { outputSchema: { type: 'object', properties: { a: { const: text } } } })
    const { asked, ask } = person('allow', 'allow', 'allow', 'allow')
    const records: AuditRecord[] = []
    const policies = [audit({ write: (record) => void records.push(record) }), approve({ ask })]
    const described = plainTool('described', { description: text, title: text, annotations: { title: text } })
    const script = {
      'tools/list': toolsPage([strict, cannot, made, described]),
      'tools/call': textResult(text, revision >= '2025-06-18' ? { structuredContent: { a: text, [text]: 1 } } : {}),
    }
    const { client, warnings } = await connectScripted(script, { revision, options: { policies } })
    const failure = async (name: string, args: JsonObject = {}) =>
      client.call(name, args).then(
        () => '',
        (thrown: Error) => thrown.message,
      )
    const failures = [
      await failure('strict', { [text]: text }),
      await failure('cannot', { a: text, b: text }),
      await failure('made'),
      await failure(`none ${text}`),
      await failure('described', { [text]: text }),
    ]
    expect(failures[0]).toMatch(/^Invalid arguments for strict/)
    expectPlain([...failures, ...warnings])
    const shown = asked.map(({ tool: about, display }) => ({ about, display }))
    expectPlain(shown)
    expectPlain(records.map(({ tool: name, server: where = '' }) => [name, where]))
    expect(records.length).toBeGreaterThan(0)
  })
})

describe.each(every)('errors of a server at %s escape hidden characters', (revision) => {
  it.each(words)('such as %s in texts of a client', async (_, text) => {
    const input = jsonSchema({ type: 'object', properties: { a: { enum: ['b'] } }, additionalProperties: false })
    const app = server({ name: 's', version: '1', tools: { strict: tool({ description: 'Is', input, run: () => '' }) } })
    const { ask, params } = await speaking(app, revision)
    const answers = [
      await ask('tools/call', params({ name: text })),
      await ask('tools/call', params({ name: 'strict', arguments: { a: text, [text]: text } })),
      await ask('prompts/get', params({ name: text })),
      await ask('resources/read', params({ uri: `x:${text}` })),
      await ask(
        'completion/complete',
        params({ ref: { type: 'ref/prompt', name: text }, argument: { name: text, value: text } }),
      ),
      await ask(text, params({})),
      await ask('tools/list', params({ cursor: text })),
    ]
    expectPlain(answers.map(({ error, result }) => [error?.message ?? '', result?.content ?? '']))
  })
})

describe.each(words)('messages about rules escape %s', (_, text) => {
  it('in errors that quote a file', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'rules-'))
    const messages: string[] = []
    const failure = (thrown: unknown) => {
      expect(thrown).toBeInstanceOf(RulesError)
      if (thrown instanceof RulesError) messages.push(thrown.message, ...thrown.problems.map(({ message }) => message))
    }
    const sets = [
      {
        rules: [
          { name: text, decision: 'deny' },
          { name: text, decision: 'deny' },
        ],
      },
      { rules: [{ name: 'a', decision: text }] },
      { rules: [{ name: 'a', decision: 'deny', [text]: 1 }] },
      { rules: [{ name: 'a', decision: 'deny', when: { arguments: { [text]: { [text]: 1 } } } }] },
      { rules: [{ name: 'a', decision: 'deny', when: { call: { $ref: text } } }] },
      { rules: [{ name: 'a', decision: 'deny' }], cases: [{ name: text, call: { tool: text }, expect: 'allow', rule: text }] },
    ]
    try {
      for (const set of sets) await readRules(JSON.stringify(set), { format: 'json', file: 'rules.json' }).catch(failure)
      await readRules(`rules: [${text}`, { file: 'rules.yaml' }).catch(failure)
      await readRules(`{"rules": ${text}`, { format: 'json' }).catch(failure)
      await loadRules(join(folder, `none${text.replaceAll('/', '')}.json`)).catch(failure)
      await writeFile(join(folder, 'r.json'), text)
      await loadRules(join(folder, 'r.json')).catch(failure)
    } finally {
      await rm(folder, { recursive: true })
    }
    expect(messages.length).toBeGreaterThanOrEqual(16)
    expectPlain(messages)
  })

  it('in explanations', () => {
    const set = {
      default: 'deny',
      rules: [
        { name: 'typed', when: { arguments: { [text]: { type: 'number' } } }, decision: 'allow' },
        { name: text, because: text, when: { tool: 'pay' }, decision: 'deny' },
      ],
    } as const
    const { why, considered } = explain(set, { tool: 'pay', arguments: { [text]: text } })
    expectPlain([why, ...considered.map((one) => one.why ?? '')])
    const broken = {
      get current(): never {
        throw new Error(text)
      },
    }
    expectPlain(explain(broken as never, { tool: 'pay' }).why)
  })
})

describe.each(words)('messages escape %s', (_, text) => {
  it('in errors of transports', () => {
    expectPlain(new TransportError('exited', `it said ${text}`, { sent: true }).message)
  })

  it('in errors about a value or a schema', () => {
    const issues = compile({ properties: { a: { enum: [text] }, b: { const: text } }, additionalProperties: false }).check({
      a: 1,
      b: text + text,
      [text]: 1,
    })
    expectPlain(issues.map(({ message }) => message))
    let message = ''
    try {
      compile({ $ref: `#/${text}` })
    } catch (thrown) {
      message = (thrown as Error).message
    }
    expectPlain(message)
  })
})

describe('a server in a child process', () => {
  const program = (last: string) =>
    connect({
      command: process.execPath,
      args: ['-e', `process.stderr.write(${JSON.stringify(everything)}); ${last}`, everything],
    })

  it('SECC-006 is quoted with escapes when it exits, and so is its command', async () => {
    const failure: Error = await program('process.stdin.once("data", () => process.exit(3))').then(
      () => new Error('it is there'),
      (thrown) => thrown,
    )
    // Colours, cursor movements and invisible strings are removed; other control characters are escaped.
    expect(failure.message).toContain('\\u{202e}gnp.exe')
    expect(failure.message).not.toContain('secret')
    expect(failure.message).not.toContain('[2J\n')
    expectPlain(failure.message)
  })

  it('SECC-006 that does not speak JSON is quoted with escapes', async () => {
    const line = JSON.stringify(`log: ${everything}\n`)
    const failure: Error = await program(
      `process.stdin.once("data", () => { process.stdout.write(${line}); process.exit(0) })`,
    ).then(
      () => new Error('it is there'),
      (thrown) => thrown,
    )
    expectPlain([failure.message, ...printed])
    expect(printed.join()).toContain('\\u{1b}')
  })
})
