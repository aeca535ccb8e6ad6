// Progress reports, in both directions.
import { describe, expect, it } from 'vitest'
import type { Progress } from '../../src/client/index.js'
import type { JsonObject } from '../../src/json.js'
import { every, until } from '../revisions.js'
import { askClient } from './questions.js'
import { connectScripted, plainTool, type ScriptedServer, silence, textResult, toolsPage } from './scripted.js'

const listed = { 'tools/list': toolsPage([plainTool('work')]) }
const ignore = () => undefined
const tokenOf = (request: JsonObject) => ((request.params as JsonObject)._meta as JsonObject | undefined)?.progressToken
const report = (server: ScriptedServer, progressToken: unknown, progress: number) =>
  server.notify('notifications/progress', { progressToken: progressToken as number, progress })

describe.each(every)('%s', (revision) => {
  it('PROG-001 requests progress with a separate token for every call, and only with a listener', async () => {
    const { client, server } = await connectScripted({ ...listed, 'tools/call': silence }, { revision })
    const calls = Array.from({ length: 20 }, () => client.call('work', {}, { onProgress: ignore }))
    calls.push(client.call('work'))
    await expect.poll(() => server.received('tools/call')).toHaveLength(21)
    const tokens = server.received('tools/call').map(tokenOf)
    expect(tokens.pop()).toBeUndefined()
    expect(tokens.every((token) => Number.isInteger(token) || typeof token === 'string')).toBe(true)
    expect(new Set(tokens).size).toBe(20)
    const ends = Promise.allSettled(calls)
    await client.close()
    await ends
  })

  it('PROG-001 requests progress beside `_meta` that is the same immutable value in every call', async () => {
    const { client, server } = await connectScripted({ ...listed, 'tools/call': textResult('done') }, { revision })
    const meta = Object.freeze({ 'com.example/trace': 'a' })
    const other = Object.freeze({ 'com.example/trace': 'b' })
    for (const options of [
      { meta, onProgress: ignore },
      { meta },
      { meta: other, onProgress: ignore },
      { meta, onProgress: ignore },
    ])
      await client.call('work', {}, options)
    const metas = server.received('tools/call').map(({ params }) => (params as JsonObject)._meta as JsonObject)
    expect(metas.map((said) => said['com.example/trace'])).toEqual(['a', 'a', 'b', 'a'])
    const tokens = metas.map(({ progressToken }) => progressToken)
    expect(tokens[1]).toBeUndefined()
    expect(new Set(tokens).size).toBe(4)
    const rest = metas.map(({ progressToken: _, 'com.example/trace': __, ...others }) => others)
    expect(rest).toEqual([rest[0], rest[0], rest[0], rest[0]])
  })

  it('reads nested values at the time of the call, even if only the outer object is frozen', async () => {
    const { client, server } = await connectScripted({ ...listed, 'tools/call': textResult('done') }, { revision })
    const inside = { n: 1 }
    const meta = Object.freeze({ 'com.example/deep': inside })
    await client.call('work', {}, { meta })
    inside.n = 2
    await client.call('work', {}, { meta })
    const metas = server.received('tools/call').map(({ params }) => (params as JsonObject)._meta as JsonObject)
    expect(metas.map((sentMeta) => sentMeta['com.example/deep'])).toEqual([{ n: 1 }, { n: 2 }])
  })

  it('PROG-006 delivers a few of ten thousand reports, and the last one', async () => {
    const { client } = await connectScripted(
      {
        ...listed,
        'tools/call': (request, server) => {
          for (let progress = 1; progress <= 10_000; progress++)
            report(server, tokenOf(request as unknown as JsonObject), progress)
          return textResult('done')
        },
      },
      { revision },
    )
    const reports: Progress[] = []
    await client.call('work', {}, { onProgress: (progress) => reports.push(progress) })
    expect(reports.length).toBeLessThan(50)
    expect(reports.at(-1)).toEqual({ progress: 10_000 })
  })

  it('PROG-007 ignores reports with an unknown token', async () => {
    const { client, server } = await connectScripted(
      {
        ...listed,
        'tools/call': (request, scriptedServer) => {
          const token = tokenOf(request as unknown as JsonObject)
          for (const unknownToken of [0, -1, 987_654, String(token), '', {}, null]) report(scriptedServer, unknownToken, 666)
          report(scriptedServer, token, 1)
          return textResult('done')
        },
      },
      { revision },
    )
    const reports: number[] = []
    const call = () => client.call('work', {}, { onProgress: ({ progress }) => reports.push(progress) })
    await expect(call()).resolves.toMatchObject({ isError: false })
    report(server, tokenOf(server.received('tools/call')[0] ?? {}), 666) // token of a completed call
    await call()
    expect(reports).toEqual([1, 1])
  })
})

describe.each(until('2025-11-25'))('%s, with a handshake', (revision) => {
  it('PROG-009 answers a question that requests progress like any other', async () => {
    const params = { messages: [{ role: 'user', content: { type: 'text', text: 'hi' } }], maxTokens: 5 }
    const reply = { role: 'assistant', model: 'm', content: { type: 'text', text: 'ho' } }
    const { result, error } = await askClient(
      revision,
      { method: 'sampling/createMessage', params: { ...params, _meta: { progressToken: 'sampling' } } },
      { answers: { model: () => reply } },
    )
    expect(error).toBeUndefined()
    expect(result).toEqual(reply)
  })
})
