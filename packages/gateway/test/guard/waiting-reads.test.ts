// Reads that wait for the start of their server are checked again before they are sent, like calls.
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Client } from 'toolwire/client'
import { describe, expect, it } from 'vitest'
import { defaultGuard } from '../../src/config/gateway-config.js'
import { ask, child, client, folder, program, started, until, upstreamConfig } from '../support/running-gateway.js'

const guard = { ...defaultGuard, approvals: false, rate: false } as const

/** A gateway with a server that notes what it is asked, and whose starts wait as long as a file exists. */
async function waiting() {
  const directory = folder()
  const [asked = '', closed = '', rules = ''] = ['asked', 'closed', 'rules.json'].map((name) => join(directory, name))
  writeFileSync(asked, '')
  writeFileSync(rules, JSON.stringify({ rules: [], default: 'allow' }))
  const target = { ...child(program('reading-server.mjs')), env: { ASKED_FILE: asked, CLOSED_FILE: closed } }
  const upstream = upstreamConfig('shelf', target as ReturnType<typeof child>, { trusted: true })
  const gateway = await started({ upstreams: [upstream], guard, policy: rules, sets: { some: ['shelf__*'] } })
  const { id: keyId, key } = (await ask(gateway, '/keys', { body: { caller: 'ada' } })).body as { id: string; key: string }
  const headers = { authorization: `Bearer ${key}` }
  const one = await client(`http://127.0.0.1:${gateway.port}/mcp/some`, { revision: '2025-11-25', headers })
  await until(
    async () => (await one.listPrompts({ fresh: true })).length > 0 && (await one.listResources({ fresh: true })).length > 0,
  )
  const [pid] = await one.readResource('shelf://pid')
  return { gateway, one, keyId, asked, closed, rules, pid: Number(pid && 'text' in pid ? pid.text : 0) }
}
type Waiting = Awaited<ReturnType<typeof waiting>>

const reads: { readonly [name: string]: (one: Client) => Promise<unknown> } = {
  resource: (one) => one.readResource('shelf://book'),
  template: (one) => one.readResource('shelf://page/3'),
  prompt: (one) => one.getPrompt('shelf__greet', { who: 'ada' }),
  completion: (one) => one.complete({ type: 'ref/prompt', name: 'shelf__greet' }, { name: 'who', value: 'a' }),
}

const changes: { readonly [name: string]: (at: Waiting) => Promise<unknown> } = {
  'the rules deny its server': async ({ gateway, rules }) => {
    writeFileSync(
      rules,
      JSON.stringify({ rules: [{ name: 'none', when: { server: 'shelf' }, decision: 'deny' }], default: 'allow' }),
    )
    await until(() => gateway.log.some((line) => line.includes('new ones are in force')))
  },
  'its key is revoked': ({ gateway, keyId }) => ask(gateway, `/keys/${keyId}`, { method: 'DELETE' }),
  'its set is removed': async ({ gateway }) => {
    void gateway.change({ ...gateway.config, sets: {} })
    await until(async () => (await fetch(`http://127.0.0.1:${gateway.port}/mcp/some`, { method: 'POST' })).status === 404)
  },
}

describe.each(Object.keys(reads))('a read of a %s that waits', (kind) => {
  it.each([
    ['sent', 'nothing changes'] as const,
    ...Object.keys(changes).map((change) => ['not sent', change] as const),
  ])('is %s if %s meanwhile', async (ending, change) => {
    const at = await waiting()
    writeFileSync(at.asked, '')
    writeFileSync(at.closed, '')
    process.kill(at.pid, 'SIGKILL')
    await until(() => at.gateway.control.servers()[0]?.state !== 'ready')
    const records = async () => (await ask(at.gateway, '/audit?limit=1000')).body.calls as { outcome?: string }[]
    const before = (await records()).length
    const read = reads[kind]?.(at.one).catch((thrown: Error) => thrown)
    await until(async () => (await records()).length > before)
    await changes[change]?.(at)
    rmSync(at.closed)
    await read
    await until(() => at.gateway.control.servers()[0]?.state === 'ready')
    await until(async () => (await records()).every(({ outcome }) => outcome !== undefined))
    expect(readFileSync(at.asked, 'utf8')).toBe(ending === 'sent' ? `${kind}\n` : '')
  })
})
