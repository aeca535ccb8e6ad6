// Trial calls of tools: progress and questions appear in the same stream.
import { describe, expect, it } from 'vitest'
import type { CallView } from '../../src/api/control/call-control.js'
import { listening, type StreamEvent } from '../support/event-stream.js'
import { ask, credentialsFor, pending, started, until } from '../support/running-gateway.js'
import { asking, notes, open } from '../support/upstream-configs.js'

const named =
  (name: string) =>
  ({ event }: StreamEvent) =>
    event === name
const isOver = ({ event }: StreamEvent) => event === 'result' || event === 'refused'
const answers = (call: unknown, question: StreamEvent) => `/calls/${call}/answers/${question.data.id}`

describe('a trial call', () => {
  it('reports its start, its progress and its result', async () => {
    const gateway = await started({ upstreams: [asking()], guard: open })
    const stream = await listening(gateway, '/tools/asking__steps/try', { body: { arguments: { steps: 10 } } })
    const began = await stream.first(named('began'))
    const progress = await stream.first(named('progress'))
    expect(progress.data).toMatchObject({ total: 10, message: expect.stringContaining('step') })
    const result = await stream.first(isOver)
    expect(result).toMatchObject({ event: 'result', data: { isError: false, content: [{ type: 'text', text: 'arrived' }] } })
    await stream.ended
    expect(stream.events[0]).toEqual(began)
    const { calls } = (await ask(gateway, '/audit?tool=asking__steps')).body as { calls: { outcome: string }[] }
    expect(calls).toMatchObject([{ caller: 'operator', outcome: 'ok' }])
  })

  it.each([
    '2025-06-18',
    '2025-11-25',
    '2026-07-28',
  ])('gets the questions of a server of %s, and answers them in the stream', async (revision) => {
    const gateway = await started({ upstreams: [asking(revision)], guard: open })
    const stream = await listening(gateway, '/tools/asking__book/try', { body: { arguments: { at: 'eight' } } })
    const { data } = await stream.first(named('began'))
    const question = await stream.first(named('question'))
    expect(question.data).toMatchObject({
      message: expect.stringMatching(/> For how many\?$/),
      schema: { properties: { people: { minimum: 1 } } },
    })
    const path = answers(data.call, question)
    const wrong = await ask(gateway, path, { body: { action: 'accept', content: { people: 0 } } })
    expect(wrong.status).toBe(422)
    expect(wrong.body.issues).toMatchObject([{ path: expect.stringContaining('people') }])
    expect((await ask(gateway, path, { body: { action: 'perhaps' } })).status).toBe(400)
    expect((await ask(gateway, path, { body: { action: 'accept', content: { people: 4 } } })).status).toBe(200)
    const result = await stream.first(isOver)
    expect(result.data.content).toEqual([{ type: 'text', text: 'booked at eight for 4' }])
    expect((await ask(gateway, path, { body: { action: 'accept', content: { people: 4 } } })).status).toBe(404)
    const acts = (await ask(gateway, '/audit?tool=toolwire/answer-question')).body.calls
    expect(acts).toMatchObject([{ caller: 'operator', outcome: 'ok' }])
    const log = await (
      await fetch(`http://127.0.0.1:${gateway.port}/api/v1/audit/export`, { headers: credentialsFor(gateway) })
    ).text()
    expect(log).not.toContain('"people":4')
  })

  it('accepts one of two simultaneous answers to a question', async () => {
    const gateway = await started({ upstreams: [asking()], guard: open })
    const stream = await listening(gateway, '/tools/asking__book/try', { body: { arguments: { at: 'eight' } } })
    const { data } = await stream.first(named('began'))
    const path = answers(data.call, await stream.first(named('question')))
    const given = [{ action: 'accept', content: { people: 4 } }, { action: 'decline' }]
    const statuses = (await Promise.all(given.map((body) => ask(gateway, path, { body })))).map(({ status }) => status)
    expect(statuses.toSorted()).toEqual([200, 404])
    await stream.first(isOver)
  })

  it('shows a page with its whole address, and one question after the other', async () => {
    const gateway = await started({ upstreams: [asking()], guard: open })
    const visit = await listening(gateway, '/tools/asking__visit/try', { body: {} })
    const page = await visit.first(named('question'))
    expect(page.data).toMatchObject({ url: 'https://example.com/sign-in', host: 'example.com', warnings: [] })
    const { call } = (await visit.first(named('began'))).data
    await ask(gateway, answers(call, page), { body: { action: 'decline' } })
    expect((await visit.first(isOver)).data).toMatchObject({ isError: true })
    const twice = await listening(gateway, '/tools/asking__twice/try', { body: {} })
    for (const content of [{ color: 'red' }, { size: 3 }]) {
      const [name = ''] = Object.keys(content)
      const question = await twice.first(({ event, data }) => event === 'question' && JSON.stringify(data.schema).includes(name))
      const { call } = (await twice.first(named('began'))).data
      await ask(gateway, answers(call, question), { body: { action: 'accept', content } })
    }
    expect((await twice.first(isOver)).data.content).toMatchObject([{ text: 'red in 3' }])
  })

  it('is guarded: it waits for approval like any other call, and reports a denial', async () => {
    const gateway = await started({ upstreams: [notes()] })
    const stream = await listening(gateway, '/tools/notes__write/try', { body: { arguments: { text: 'hi' } } })
    const { id } = await pending(gateway)
    await ask(gateway, `/approvals/${id}`, { body: { decision: 'deny', reason: 'not here' } })
    expect(JSON.stringify((await stream.first(isOver)).data)).toContain('not here')
  })

  it('is refused for an unknown tool, and reports later refusals', async () => {
    const gateway = await started({ upstreams: [asking()], guard: open })
    expect((await listening(gateway, '/tools/none/try', { body: {} })).status).toBe(404)
    const stream = await listening(gateway, '/tools/asking__wait/try', { body: {} })
    const { call } = (await stream.first(named('began'))).data
    await ask(gateway, `/calls/${call}`, { method: 'DELETE' })
    expect(await stream.first(isOver)).toMatchObject({
      event: 'refused',
      data: { message: expect.stringContaining('cancelled') },
    })
  })

  it('is cancelled when its listener leaves', async () => {
    const gateway = await started({ upstreams: [asking()], guard: open })
    const stream = await listening(gateway, '/tools/asking__wait/try', { body: {} })
    await stream.first(named('began'))
    stream.leave()
    await until(async () => ((await ask(gateway, '/calls')).body.calls as CallView[]).length === 0)
  })

  it('asks its questions only of its caller', async () => {
    const gateway = await started({ upstreams: [asking()], guard: open })
    const { key } = (await ask(gateway, '/keys', { body: { caller: 'ada', scopes: ['toolwire:admin'] } })).body
    const stream = await listening(gateway, '/tools/asking__book/try', { body: { arguments: { at: 'one' } } })
    const question = await stream.first(named('question'))
    const { call } = (await stream.first(named('began'))).data
    const body = { action: 'accept', content: { people: 2 } }
    const headers = { authorization: `Bearer ${key}` }
    expect((await ask(gateway, answers(call, question), { body, headers })).status).toBe(404)
    expect((await ask(gateway, answers(call, question), { body })).status).toBe(200)
    expect((await stream.first(isOver)).data.isError).toBe(false)
  })
})
