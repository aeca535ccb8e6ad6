// Tools that a scan withholds at first sight, and the reports about them.
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { PinsView } from '../../src/guard/pins/pin-registry.js'
import { ask, child, client, folder, moody, program, started, storeIn, upstreamConfig } from '../support/running-gateway.js'

const wordy = (...modes: string[]) => upstreamConfig('wordy', moody(program('wordy-server.mjs'), ...modes))
const notes = (...modes: string[]) => upstreamConfig('notes', moody(program('notes-server.mjs'), ...modes))
const namesOf = async (url: string) => (await (await client(url)).listTools({ fresh: true })).map(({ name }) => name).sort()
const pins = async (gateway: { readonly port: number }) => (await ask(gateway, '/pins')).body as unknown as PinsView
const health = async ({ port }: { readonly port: number }) => (await fetch(`http://127.0.0.1:${port}/health`)).json()
const secrecy = 'The text may be telling the model to keep something from the user.'

it('a server with instructions about its own tools is accepted with all of them, and health is ok', async () => {
  const gateway = await started({ upstreams: [wordy()] })
  expect(await namesOf(gateway.url)).toEqual(['wordy__find', 'wordy__open'])
  expect((await pins(gateway)).waiting).toEqual([])
  expect(await health(gateway)).toMatchObject({ status: 'ok' })
})

it('suspicious text withholds a tool: the log reports the reason once for all such tools, and so does health', async () => {
  const gateway = await started({ upstreams: [wordy('sly')] })
  expect(await namesOf(gateway.url)).toEqual(['wordy__find', 'wordy__open'])
  const lines = gateway.log.filter((line) => line.includes('withheld'))
  expect(lines).toEqual([
    expect.stringMatching(
      /^2 tools are withheld \(wordy__add, wordy__take\): the definition is new, and a scan found this: The text may be telling.*--server wordy$/,
    ),
    expect.stringMatching(/^1 tool is withheld \(wordy__make\): .*invisible characters/),
  ])
  const { findings } = await pins(gateway)
  expect(findings.filter(({ why }) => why === secrecy)).toEqual([
    expect.objectContaining({ server: 'wordy', tools: ['wordy__add', 'wordy__take'], holds: true, kind: 'instructions' }),
  ])
  expect(await health(gateway)).toMatchObject({ status: 'degraded' })
  const { body } = await ask(gateway, '/status')
  expect(body.troubles).toEqual(lines)
})

it('health is ok again once each of them has been accepted or refused', async () => {
  const gateway = await started({ upstreams: [wordy('sly')] })
  const { waiting } = await pins(gateway)
  const [first, ...rest] = waiting.map(({ server, tool, hash }) => ({ server, tool, hash }))
  await ask(gateway, '/pins/refuse', { body: first as object })
  expect(gateway.control.health().status).toBe('degraded')
  await ask(gateway, '/pins/accept-many', { body: { definitions: rest } })
  expect(gateway.control.health()).toMatchObject({ status: 'ok', troubles: [] })
})

it('many are accepted at once, by the hashes that were shown, without those that have changed since', async () => {
  const dataDir = join(folder(), 'data')
  const first = await started({ upstreams: [wordy(), notes()], dataDir }, { store: await storeIn(dataDir) })
  expect(await namesOf(first.url)).toHaveLength(6)
  await first.close({ drainMs: 0 })
  const gateway = await started({ upstreams: [wordy('more'), notes('changed')], dataDir }, { store: await storeIn(dataDir) })
  const { waiting } = await pins(gateway)
  expect(waiting.map(({ tool }) => tool).sort()).toEqual(['notes__fresh', 'notes__write', 'wordy__close', 'wordy__close_all'])
  const shown = waiting.map(({ server = '', tool, hash }) => ({ server, tool, hash }))
  const definitions = shown.map((one) => (one.tool === 'notes__write' ? { ...one, hash: 'sha256:earlier' } : one))
  const { status, body } = await ask(gateway, '/pins/accept-many', { body: { definitions } })
  expect(status).toBe(200)
  expect(body.stale).toEqual([{ server: 'notes', tool: 'notes__write', hash: 'sha256:earlier' }])
  expect((body.accepted as object[]).length).toBe(3)
  expect((await pins(gateway)).waiting.map(({ tool }) => tool)).toEqual(['notes__write'])
  expect(await namesOf(gateway.url)).toContain('wordy__close_all')
  const { calls } = (await ask(gateway, '/audit?tool=toolwire/accept-pin')).body as { calls: object[] }
  expect(calls).toHaveLength(3)
})

it('a refused definition is not accepted with the others', async () => {
  const gateway = await started({ upstreams: [wordy('sly')] })
  const { waiting } = await pins(gateway)
  const [one] = waiting.map(({ server, tool, hash }) => ({ server, tool, hash }))
  await ask(gateway, '/pins/refuse', { body: one as object })
  const { body } = await ask(gateway, '/pins/accept-many', { body: { definitions: [one] } })
  expect(body).toEqual({ accepted: [], stale: [one] })
  expect(await namesOf(gateway.url)).toEqual(['wordy__find', 'wordy__open'])
})

it('text about the tools of another server withholds a tool, by the name at that server', async () => {
  const meddling = upstreamConfig('meddling', child(program('meddling-server.mjs')))
  const dataDir = join(folder(), 'data')
  const first = await started({ upstreams: [notes()], dataDir }, { store: await storeIn(dataDir) })
  expect(await namesOf(first.url)).toHaveLength(4)
  await first.close({ drainMs: 0 })
  const gateway = await started({ upstreams: [notes(), meddling], dataDir }, { store: await storeIn(dataDir) })
  expect(await namesOf(gateway.url)).not.toContain('meddling__help')
  expect((await pins(gateway)).waiting).toMatchObject([
    { tool: 'meddling__help', advice: [{ kind: 'cross-reference', holds: true, why: expect.stringContaining('notes') }] },
  ])
})
