// Calls and their results.
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { connect, ToolCallError } from '../../src/client/index.js'
import type { JsonObject } from '../../src/json.js'
import { every, since, until } from '../revisions.js'
import { connectScripted, Fails, plainTool, silence, textResult, toolsPage } from './scripted.js'

const echo = { 'tools/list': toolsPage([plainTool('echo')]) }

describe.each(every)('%s', (revision) => {
  it('CALL-007 matches each of 1,000 shuffled responses to its call', async () => {
    const waiting: (() => void)[] = []
    const { client } = await connectScripted(
      {
        ...echo,
        'tools/call': async ({ params }) => {
          await new Promise<void>((resolve) => waiting.push(resolve))
          return textResult(String((params.arguments as { n: number }).n))
        },
      },
      { revision },
    )
    await client.listTools()
    const calls = Array.from({ length: 1_000 }, (_, n) => client.call('echo', { n }))
    await expect.poll(() => waiting.length).toBe(1_000)
    for (const release of waiting.sort(() => Math.random() - 0.5)) release()
    const texts = (await Promise.all(calls)).map(({ content: [first] }) => first?.type === 'text' && first.text)
    expect(texts).toEqual(Array.from({ length: 1_000 }, (_, n) => String(n)))
  })

  it('RESULT-016 takes a result without isError as a success', async () => {
    const { client } = await connectScripted({ ...echo, 'tools/call': textResult('hi') }, { revision })
    expect((await client.call('echo')).isError).toBe(false)
    await expect(client.tools.echo?.()).resolves.toMatchObject({ content: [{ text: 'hi' }] })
  })

  it('RESULT-014 keeps an unknown kind of content unchanged', async () => {
    const video = { type: 'video', frames: [1, 2] }
    const { client } = await connectScripted(
      { ...echo, 'tools/call': textResult('x', { content: [video, { type: 'text', text: 'beside' }] }) },
      { revision },
    )
    expect((await client.call('echo')).content).toEqual([video, { type: 'text', text: 'beside' }])
  })

  it('TERR-007 reports refused arguments in one way, whichever way the server reports them', async () => {
    const { client } = await connectScripted(
      {
        ...echo,
        'tools/call': ({ params }) =>
          (params.arguments as { how: string }).how === 'error'
            ? new Fails(-32602, 'bad n')
            : textResult('bad n', { isError: true }),
      },
      { revision },
    )
    for (const how of ['error', 'result']) {
      const failed = await client.tools.echo?.({ how }).catch((thrown: unknown) => thrown)
      expect(failed).toBeInstanceOf(ToolCallError)
      expect((failed as ToolCallError).message).toBe('bad n')
    }
  })

  it('TOUT-001 times out on a server that does not answer, and cancels the call', async () => {
    const { client, server } = await connectScripted({ ...echo, 'tools/call': silence }, { revision })
    await client.listTools()
    await expect(client.call('echo', {}, { idleMs: 30 })).rejects.toMatchObject({ name: 'CallFailure', code: 'outcome_unknown' })
    await expect.poll(() => server.received('notifications/cancelled')).toHaveLength(1)
  })
})

describe.each(since('2025-06-18'))('%s', (revision) => {
  const outputSchema = { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] }
  const add = { 'tools/list': toolsPage([plainTool('add', { outputSchema })]) }

  it('STRUCT-007 refuses a structured result that is missing or does not match the schema', async () => {
    for (const structuredContent of [{ sum: 'many' }, undefined]) {
      const { client } = await connectScripted(
        { ...add, 'tools/call': textResult('3', structuredContent && { structuredContent }) },
        { revision },
      )
      const failed = await client.call('add').catch((thrown: unknown) => thrown)
      expect(failed).toBeInstanceOf(ToolCallError)
      expect(failed).toMatchObject({ name: 'InvalidResult', result: { isError: true } })
    }
  })

  it('STRUCT-008 requires no structured result of a failed call', async () => {
    const { client } = await connectScripted({ ...add, 'tools/call': textResult('no', { isError: true }) }, { revision })
    await expect(client.call('add')).resolves.toMatchObject({ isError: true })
  })
})

describe.each(until('2025-03-26'))('%s, which has no structured results', (revision) => {
  const outputSchema = { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] }
  const calling = (schema: JsonObject, more: JsonObject) =>
    connectScripted({ 'tools/list': toolsPage([plainTool('add', schema)]), 'tools/call': textResult('3', more) }, { revision })

  it('accepts a structured result that a server sends anyway', async () => {
    const { client } = await calling({ outputSchema }, { structuredContent: { sum: 3 } })
    expect(await client.call('add')).toMatchObject({ structuredContent: { sum: 3 } })
    expect(await client.tools.add?.()).toEqual({ sum: 3 })
    const { client: other } = await calling({}, { structuredContent: { sum: 3 } })
    expect(await other.tools.add?.()).toEqual({ sum: 3 })
  })

  it('validates it with the listed output schema, but does not require it', async () => {
    const { client } = await calling({ outputSchema }, { structuredContent: { sum: 'many' } })
    await expect(client.call('add')).rejects.toMatchObject({ name: 'InvalidResult' })
    const { client: other } = await calling({ outputSchema }, {})
    expect(await other.call('add')).not.toHaveProperty('structuredContent')
  })

  it.each([3, null, [1]])('ignores a structured result that is not an object: %j', async (structuredContent) => {
    const { client } = await calling({}, { structuredContent })
    expect(await client.call('add')).not.toHaveProperty('structuredContent')
  })
})

it('the timeout excludes the time in which a person signs in', async () => {
  const { createServer } = await import('node:http')
  let signedIn = false
  const http = createServer((request, response) => {
    request.resume()
    if (!signedIn) return void response.writeHead(401).end()
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result: textResult('in') }))
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const auth = {
    headers: () => ({}),
    refused: async () => {
      await new Promise((resolve) => setTimeout(resolve, 2_500))
      signedIn = true
      return true
    },
  }
  const { port } = http.address() as AddressInfo
  const options = { revision: '2026-07-28', discover: false, listFirst: false, auth }
  await using client = await connect(`http://127.0.0.1:${port}/mcp`, options)
  await expect(client.call('x', {}, { idleMs: 5_000, totalMs: 6_000 })).resolves.toMatchObject({ content: [{ text: 'in' }] })
  http.close()
})
