// An answer to "May this call be made?" allows one call, over endpoints, restarts and replicas.
import { join } from 'node:path'
import { server, tool } from 'toolwire'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type PostgresServer, postgresFound, postgresServer } from '../../../toolwire/test/postgres-server.js'
import { defaultApprovals, type GatewayConfig } from '../../src/config/gateway-config.js'
import { rawCall } from '../faults/raw.js'
import { newPostgresStore } from '../support/postgres-stores.js'
import { folder, http, started, storeIn, upstreamConfig } from '../support/running-gateway.js'
import { listening } from '../support/upstream-fixture.js'

type Result = { requestState: string; inputRequests: object; content: { text: string }[] }
type Reply = { result?: Result; error?: { message: string } }

const capabilities = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } } }

/** Sends the call; `question` is the result whose question it answers. */
async function callDrop(url: string, question?: Result): Promise<Reply> {
  const allow = { action: 'accept', content: { decision: 'allow' } }
  const rest = question && {
    requestState: question.requestState,
    inputResponses: Object.fromEntries(Object.keys(question.inputRequests).map((key) => [key, allow])),
  }
  const { headers, body } = rawCall('db__drop', {}, capabilities, rest)
  const text = await (await fetch(url, { method: 'POST', headers, body })).text()
  return JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text)
}

/** A server whose tool counts its calls, and a config that asks the caller first. */
async function counting() {
  const counter = { calls: 0 }
  const drop = tool({ description: 'Drops the table', run: () => `dropped ${++counter.calls}` })
  const { url } = await listening(server({ name: 'db', version: '1.0.0', tools: { drop } }))
  const config: Partial<GatewayConfig> = {
    upstreams: [upstreamConfig('db', http(url), { trusted: true })],
    sets: { some: ['db__*'] },
    approvals: { ...defaultApprovals, ask: 'caller' },
  }
  return { counter, config }
}

async function question(url: string): Promise<Result> {
  const { result } = await callDrop(url)
  if (!result?.requestState) throw new Error('The call needed no approval')
  return result
}

const used = { error: { message: 'params.requestState has been used already' } }

describe('an answer that allows a call', () => {
  it('MRTR-010 allows one call, even if it is sent again to another endpoint', async () => {
    const { counter, config } = await counting()
    const gateway = await started(config)
    const asked = await question(gateway.url)
    expect((await callDrop(gateway.url, asked)).result?.content).toMatchObject([{ text: 'dropped 1' }])
    for (const url of [gateway.url, `${gateway.url}/some`])
      expect((await callDrop(url, asked)).error?.message).toMatch(/^params\.requestState /)
    expect(counter.calls).toBe(1)
  })

  it('MRTR-010 allows no second call after a restart, but an unused one allows its call', async () => {
    const { counter, config } = await counting()
    const dataDir = join(folder(), 'data')
    const before = await started({ ...config, dataDir })
    const [asked, open] = [await question(before.url), await question(before.url)]
    await callDrop(before.url, asked)
    await before.close({ drainMs: 0, delayMs: 0 })
    const after = await started({ ...config, dataDir }, { store: await storeIn(dataDir) })
    expect(await callDrop(after.url, asked)).toMatchObject(used)
    expect((await callDrop(after.url, open)).result?.content).toMatchObject([{ text: 'dropped 2' }])
    expect(counter.calls).toBe(2)
  })
})

describe.skipIf(!postgresFound)('an answer that allows a call, sent to each of three replicas at once', () => {
  let postgres: PostgresServer
  beforeAll(async () => {
    postgres = await postgresServer()
  })
  afterAll(() => postgres.close())

  it('MRTR-010 allows one call', async () => {
    const { counter, config } = await counting()
    const database = await postgres.database()
    const opened = [1, 2, 3].map(async () => started(config, { store: await newPostgresStore(database) }))
    const [first, ...others] = await Promise.all(opened)
    if (!first) throw new Error('There are three gateways')
    const asked = await question(first.url)
    const replies = await Promise.all([first, ...others].map(({ url }) => callDrop(url, asked)))
    expect(replies.filter(({ result }) => result)).toHaveLength(1)
    expect(replies.filter(({ error }) => error)).toMatchObject([used, used])
    expect(counter.calls).toBe(1)
  })
})
