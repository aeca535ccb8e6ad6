// Connecting to a URL whose server may only support HTTP+SSE.
import type { ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import { type Client, connect, memoryRevisions } from '../../src/client/index.js'
import { event, events, until } from '../transports/http-client-fixture.js'
import { posting, type Word } from './posting-server.js'
import { silence } from './scripted.js'

const hands = { protocolVersion: '2024-11-05', capabilities: { tools: {} }, serverInfo: { name: 'old', version: '1' } }
const revisions = ['2025-03-26', '2025-06-18', '2025-11-25'] as const

describe('one URL', () => {
  /** A server with HTTP+SSE only, which refuses a POST. */
  async function older(status: number, body = '') {
    let stream: ServerResponse | undefined
    const refuses: Word = ({ message: { id } }, response) => {
      if (!stream) response.writeHead(status, { 'content-type': 'application/json' }).end(body)
      else {
        response.writeHead(202).end()
        stream.write(event({ jsonrpc: '2.0', id, result: hands }))
      }
      return silence
    }
    const onGet = (_: unknown, response: ServerResponse) => {
      stream = response
      events(response, 'event: endpoint\ndata: /messages\n\n')
    }
    return posting({ initialize: refuses, 'server/discover': refuses }, { revision: '2024-11-05', onGet })
  }
  const tried = ({ seen }: { seen: readonly { method: string; body: string }[] }) =>
    seen.map(({ method, body }) => (method === 'POST' ? JSON.parse(body).method : method))
  const reach = (url: string, revision: readonly string[]) => connect(url, { revision, verdicts: memoryRevisions() })

  it.each(
    revisions.flatMap((revision) => [400, 404, 405].map((status) => [revision, status] as const)),
  )('SSE1-008 SSE1-003 falls back from %s to a server of the first revision that answers with %i', async (revision, status) => {
    const server = await older(status)
    await using client = await reach(server.url, [revision, '2024-11-05'])
    expect(client.server.revision).toBe('2024-11-05')
    await until(() => server.seen.length === 4)
    expect(tried(server)).toEqual(['initialize', 'GET', 'initialize', 'notifications/initialized'])
    expect(server.seen.at(-1)?.path).toBe('/messages')
  })

  it.each(
    revisions.flatMap((revision) => [401, 406, 500].map((status) => [revision, status] as const)),
  )('SSE1-008 does not fall back too early, %s after a %i', async (revision, status) => {
    const server = await older(status)
    const anyRefusal = revision !== '2025-11-25' && status === 406
    const reached = await reach(server.url, [revision, '2024-11-05']).catch((thrown: unknown) => thrown)
    if (anyRefusal) await (reached as Client).close()
    else expect(reached).toMatchObject({ code: 'turned_away', status })
    expect(tried(server).includes('GET')).toBe(anyRefusal)
  })

  const modern = ['2026-07-28', ...revisions].reverse()
  const errorBody = (code: number) => JSON.stringify({ jsonrpc: '2.0', id: null, error: { code, message: 'no' } })

  it.each([400, 404, 405])('SSE1-009 falls back from the latest revision after a %i', async (status) => {
    const server = await older(status, '<html>no</html>')
    await using client = await reach(server.url, [...modern, '2024-11-05'])
    expect(client.server.revision).toBe('2024-11-05')
  })

  it.each([
    [404, -32_601],
    [400, -32_020],
    [400, -32_021],
    [400, -32_022],
  ])('SSE1-009 does not fall back after a %i with the error %i of a newer server', async (status, code) => {
    const server = await older(status, errorBody(code))
    await expect(reach(server.url, [...modern, '2024-11-05'])).rejects.toThrow()
    expect(tried(server)).not.toContain('GET')
  })

  it.each([401, 403, 500, 503])('SSE1-009 does not fall back after a %i', async (status) => {
    const server = await older(status)
    await expect(reach(server.url, [...modern, '2024-11-05'])).rejects.toThrow()
    expect(tried(server)).not.toContain('GET')
  })
})
