// How long a server may think about the first question before it is taken for one that does not know it.
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { connect } from '../../src/client/index.js'
import { verdictsHere } from '../../src/client/verdicts.js'
import { theatre } from './scripted.js'

const modern = '2026-07-28'
const old = '2025-11-25'
const impatient = () => ({ limits: { probeMs: 20 }, verdicts: verdictsHere() })

const discovery = {
  resultType: 'complete',
  supportedVersions: [modern],
  capabilities: {},
  ttlMs: 0,
  cacheScope: 'private',
}

it('waits over HTTP, where a person may be logging in meanwhile and every server answers something', async () => {
  const answer = () => sleep(60).then(() => discovery)
  const { way, stage } = theatre({ 'server/discover': answer }, { revision: modern, shape: 'posts' })
  await using client = await connect(way, impatient())
  expect(client.server.revision).toBe(modern)
  expect(stage.heard('initialize')).toEqual([])
})

it('VER-004 takes silence on a pipe past the probe timeout for a server of the old era', async () => {
  const answer = () => sleep(60).then(() => discovery)
  const { way } = theatre({ 'server/discover': answer }, { revision: old })
  await using client = await connect(way, impatient())
  expect(client.server.revision).toBe(old)
})
