// Elicitation: forms, and pages to visit. spec 2026-07-28, client/elicitation
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import type { FormAnswer, FormAsked, PageAsked } from '../../src/client/client.js'
import { RpcError } from '../../src/index.js'
import type { JsonObject } from '../../src/json.js'
import type { Answering } from '../../src/relay/index.js'
import { since, until } from '../revisions.js'
import { askClient, modern } from './questions.js'
import { connectScripted, Fails, plainTool, textResult, toolsPage } from './scripted.js'

const fields: JsonObject = {
  type: 'object',
  properties: { email: { type: 'string', format: 'email' }, age: { type: 'integer', minimum: 18 } },
  required: ['email'],
}
const params = { message: 'Who are you?', requestedSchema: fields }
const form = (more: JsonObject = {}) => ({ method: 'elicitation/create', params: { ...params, ...more } })
/** A URL elicitation in the format of the revision. */
const page = (revision: string, url: string) => ({
  method: 'elicitation/create',
  params: { mode: 'url', message: 'Log in', url, ...(revision === modern ? {} : { elicitationId: 'e-1' }) },
})
const decline = () => ({ action: 'decline' }) as const

/** The capabilities that a client with these handlers declares. */
async function declared(revision: string, answers: Answering): Promise<JsonObject> {
  const script = { 'tools/list': toolsPage([plainTool('echo')]), 'tools/call': textResult('hi') }
  const { client, server } = await connectScripted(script, { revision, options: { answers } })
  await client.call('echo')
  if (revision !== modern) return (server.received('initialize')[0]?.params as JsonObject).capabilities as JsonObject
  const seen = [...server.received('tools/list'), ...server.received('tools/call')].map(({ params }) => {
    const { _meta } = params as { _meta: JsonObject }
    return _meta['io.modelcontextprotocol/clientCapabilities']
  })
  expect(seen[1]).toEqual(seen[0]) // in every request
  return seen[0] as JsonObject
}

describe('the declared capability', () => {
  it('ELIC-001 is elicitation in 2025-06-18 if there is a form handler', async () => {
    expect(await declared('2025-06-18', { form: decline })).toEqual({ elicitation: {} })
    expect(await declared('2025-06-18', {})).toEqual({})
    expect(await declared('2025-06-18', { page: decline })).toEqual({})
  })

  const modes: [Answering, JsonObject | undefined][] = [
    [{ form: decline }, { form: {} }],
    [{ page: decline }, { url: {} }],
    [
      { form: decline, page: decline },
      { form: {}, url: {} },
    ],
    [{}, undefined],
  ]
  it('ELIC-002 is every mode by its name in 2025-11-25', async () => {
    for (const [answers, elicitation] of modes) expect((await declared('2025-11-25', answers)).elicitation).toEqual(elicitation)
  })

  it('ELIC-003 is every mode by its name in every request in 2026-07-28', async () => {
    for (const [answers, elicitation] of modes) expect((await declared(modern, answers)).elicitation).toEqual(elicitation)
  })

  it('includes no pages in 2025-06-18, and no page is shown', async () => {
    let shown = 0
    const show = () => {
      shown++
      return { action: 'accept' } as const
    }
    const { error } = await askClient('2025-06-18', page('2025-06-18', 'https://example.com/'), { answers: { page: show } })
    expect(error).toBeDefined()
    expect(shown).toBe(0)
  })

  it.each(until('2025-03-26'))('is absent in %s, and no handler is asked', async (revision) => {
    let asked = 0
    const { error } = await askClient(revision, form(), {
      answers: {
        form: () => {
          asked++
          return { action: 'decline' }
        },
      },
    })
    expect(error).toMatchObject({ code: -32601 })
    expect(asked).toBe(0)
  })
})

describe.each(since('2025-06-18'))('a form, %s', (revision) => {
  const named = revision === '2025-06-18' ? {} : { mode: 'form' }
  const answered = (answer: FormAnswer) => askClient(revision, form(named), { answers: { form: () => answer } })

  it('ELIC-008 is sent only if it matches the schema', async () => {
    const right: FormAnswer = { action: 'accept', content: { email: 'ada@example.com', age: 36 } }
    expect((await answered(right)).result).toEqual(right)
    for (const content of [{ email: 'not an address' }, { age: 36 }, { email: 'ada@example.com', age: 17 }, { email: 7 }]) {
      const { result, warnings } = await answered({ action: 'accept', content })
      expect(result).toEqual({ action: 'cancel' })
      expect(warnings.join()).toContain('does not fit its form')
    }
  })

  it('ELIC-009 is answered with one of three actions, and with content only if it was accepted', async () => {
    const content = { email: 'ada@example.com' }
    for (const action of ['decline', 'cancel'] as const)
      expect((await answered({ action, content } as FormAnswer)).result).toEqual({ action })
    expect((await answered({ action: 'submit', content } as unknown as FormAnswer)).result).toEqual({ action: 'cancel' })
    expect((await answered({ action: 'accept', content })).result).toEqual({ action: 'accept', content })
  })

  it('ELIC-008 is sent only in the formats that the schema requires', async () => {
    const right = {
      email: 'ada@example.com',
      uri: 'https://example.com/a?b',
      date: '2024-02-29',
      'date-time': '2024-02-29T23:59:59.5+01:00',
    }
    const wrong: JsonObject = { email: 'ada@', uri: 'example.com', date: '2023-02-29', 'date-time': '2024-02-29 23:59' }
    const properties = Object.fromEntries(Object.keys(right).map((format) => [format, { type: 'string', format }]))
    const fill = async (content: JsonObject) =>
      (
        await askClient(revision, form({ ...named, requestedSchema: { type: 'object', properties } }), {
          answers: { form: () => ({ action: 'accept', content }) },
        })
      ).result
    expect(await fill(right)).toEqual({ action: 'accept', content: right })
    for (const [format, text] of Object.entries(wrong))
      expect(await fill({ ...right, [format]: text })).toEqual({ action: 'cancel' })
  })

  const shown = revision === '2025-06-18' ? 'ELIC-012' : 'ELIC-013'
  it(`${shown} carries the local name of the server, and can be filled in, declined and cancelled`, async () => {
    const seen: FormAsked[] = []
    const answers: FormAnswer[] = [
      { action: 'accept', content: { email: 'edited@example.com' } },
      { action: 'decline' },
      { action: 'cancel' },
    ]
    for (const answer of answers) {
      const { result } = await askClient(revision, form(named), {
        name: 'the shop',
        answers: {
          form: (asked) => {
            seen.push(asked)
            return answer
          },
        },
      })
      expect(result).toEqual(answer)
    }
    expect(seen).toHaveLength(3)
    for (const { server: asking, message, schema } of seen)
      expect({ asking, message, schema }).toEqual({ asking: 'the shop', message: 'Who are you?', schema: fields })
  })
})

describe.each(since('2025-11-25'))('modes, %s', (revision) => {
  it('ELIC-007 take a question without a mode as a form', async () => {
    const content = { email: 'ada@example.com' }
    const answers: Answering = { form: () => ({ action: 'accept', content }), page: () => ({ action: 'accept' }) }
    expect((await askClient(revision, form(), { answers })).result).toEqual({ action: 'accept', content })
  })

  it('ELIC-028 pass the defaults of a form to its handler', async () => {
    const properties = {
      name: { type: 'string', default: 'Ada' },
      age: { type: 'integer', default: 0 },
      news: { type: 'boolean', default: false },
      size: { type: 'string', enum: ['S', 'M'], default: 'M' },
      tags: { type: 'array', items: { type: 'string', enum: ['a', 'b'] }, default: ['b'] },
      note: { type: 'string' },
    }
    let prefilled: JsonObject | undefined
    await askClient(revision, form({ requestedSchema: { type: 'object', properties } }), {
      answers: {
        form: (asked) => {
          prefilled = asked.prefilled
          return { action: 'decline' }
        },
      },
    })
    expect(prefilled).toEqual({ name: 'Ada', age: 0, news: false, size: 'M', tags: ['b'] })
  })

  it('ELIC-009 answer a page with only an action', async () => {
    for (const action of ['accept', 'decline', 'cancel'] as const) {
      const answer = { action, content: { secret: 'x' } } as { action: 'accept' }
      const { result } = await askClient(revision, page(revision, 'https://example.com/'), { answers: { page: () => answer } })
      expect(result).toEqual({ action })
    }
  })

  it('ELIC-013 pass the local name of the server with a page', async () => {
    const asked = await visited(revision, 'https://example.com/login')
    expect(asked).toMatchObject({ server: 'the shop', message: 'Log in' })
  })

  it('ELIC-014 never fetch a page, whatever the person answers', async () => {
    let connections = 0
    const web = createServer().on('connection', () => connections++)
    await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve))
    const { port } = web.address() as AddressInfo // the server listens on TCP
    for (const action of ['accept', 'decline', 'cancel'] as const)
      await askClient(revision, page(revision, `http://127.0.0.1:${port}/login`), { answers: { page: () => ({ action }) } })
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(connections).toBe(0)
    web.close()
  })

  it('ELIC-015 show the whole URL of a page before it is answered', async () => {
    const url = `https://example.com/login?next=%2Fhome&pad=${'x'.repeat(4_000)}#end`
    expect(await visited(revision, url)).toMatchObject({ url })
  })

  it('ELIC-015 do not show a URL that is not a web page', async () => {
    for (const url of ['file:///etc/passwd', 'javascript:alert(1)', 'vscode://x', 'not a url']) {
      let shown = 0
      const { result } = await askClient(revision, page(revision, url), {
        answers: {
          page: () => {
            shown++
            return { action: 'accept' }
          },
        },
      })
      expect(result).toEqual({ action: 'decline' })
      expect(shown).toBe(0)
    }
  })

  it('ELIC-016 pass the host of a page, and warnings about its URL', async () => {
    const oddities: [url: string, host: string, warning: RegExp | undefined][] = [
      ['https://shop.example/login', 'shop.example', undefined],
      ['https://xn--80ak6aa92e.com/', 'xn--80ak6aa92e.com', /look like others/],
      ['https://аррӏе.com/', 'xn--80ak6aa92e.com', /look like others/],
      ['https://bank.example@evil.example/', 'evil.example', /user name/],
      ['http://shop.example/', 'shop.example', /not encrypted/],
      ['https://203.0.113.7/', '203.0.113.7', /bare number/],
      ['https://3405803783/', '203.0.113.7', /bare number/],
      ['https://shop.example:8443/', 'shop.example:8443', /port/],
      ['https://shop.example/\u202egnp.exe', 'shop.example', /hidden/],
    ]
    for (const [url, host, warning] of oddities) {
      const asked = await visited(revision, url)
      expect(asked?.host).toBe(host)
      expect(asked?.warnings.join() ?? '').toMatch(warning ?? /^$/)
    }
  })
})

/** The page as its handler receives it. */
async function visited(revision: string, url: string): Promise<PageAsked | undefined> {
  let seen: PageAsked | undefined
  await askClient(revision, page(revision, url), {
    name: 'the shop',
    answers: {
      page: (asked) => {
        seen = asked
        return { action: 'decline' }
      },
    },
  })
  return seen
}

describe('2025-11-25', () => {
  const revision = '2025-11-25'

  it('ELIC-005 refuses a mode that was not declared', async () => {
    const url = page(revision, 'https://example.com/')
    expect((await askClient(revision, url, { answers: { form: decline } })).error).toMatchObject({ code: -32602 })
    expect((await askClient(revision, form({ mode: 'form' }), { answers: { page: decline } })).error).toMatchObject({
      code: -32602,
    })
    const answers = { form: decline, page: decline }
    expect((await askClient(revision, form({ mode: 'hologram' }), { answers })).error).toMatchObject({ code: -32602 })
  })

  it('ELIC-022 shows the pages of a URL elicitation error, and leaves the retry to the caller', async () => {
    const shown: string[] = []
    const elicitations = ['one', 'two'].map((name) => ({
      mode: 'url',
      elicitationId: name,
      url: `https://example.com/${name}`,
      message: 'Log in',
    }))
    let done = false
    const { client, server } = await connectScripted(
      {
        'tools/list': toolsPage([plainTool('mail')]),
        'tools/call': () => (done ? textResult('sent') : new Fails(-32042, 'Log in first', { elicitations })),
      },
      {
        revision,
        options: {
          answers: {
            page: ({ url }) => {
              shown.push(url)
              return { action: 'accept' }
            },
          },
        },
      },
    )
    const thrown = await client.call('mail').catch((error: unknown) => error)
    expect(thrown).toBeInstanceOf(RpcError)
    expect(thrown).toMatchObject({ code: -32042 })
    expect(shown).toEqual(['https://example.com/one', 'https://example.com/two'])
    expect(server.received('tools/call')).toHaveLength(1)
    done = true
    server.notify('notifications/elicitation/complete', { elicitationId: 'one' })
    await expect(client.call('mail')).resolves.toMatchObject({ content: [{ text: 'sent' }] })
  })

  it('ELIC-023 ignores completion notifications of unknown or completed pages', async () => {
    const { client, server, frames, warnings } = await askClient(revision, page(revision, 'https://example.com/'), {
      answers: { page: () => ({ action: 'accept' }) },
    })
    const before = frames.filter(({ from }) => from === 'client').length
    for (const elicitationId of ['unknown', 'e-1', 'e-1', '', '__proto__'])
      server.notify('notifications/elicitation/complete', { elicitationId })
    for (const odd of [{}, { elicitationId: {} }]) server.notify('notifications/elicitation/complete', odd)
    await client.listTools({ fresh: true })
    expect(frames.filter(({ from }) => from === 'client')).toHaveLength(before + 1)
    expect(warnings).toEqual([])
  })
})
