// Audit records of management actions: each action has exactly its records, and none contains a secret.
import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { howMany } from '../../../toolwire/test/soak.js'
import type { GatewayConfig } from '../../src/config/gateway-config.js'
import { type Console, enter, withConsole } from '../console/console-visitor.js'
import {
  ask,
  client,
  doneBy,
  folder,
  moody,
  pending,
  program,
  type Started,
  started,
  storeIn,
  until,
  upstreamConfig,
} from '../support/running-gateway.js'

const notes = (...args: string[]) => upstreamConfig('notes', moody(program('notes-server.mjs'), ...args), { trusted: true })
const rules = (name: string) => `rules:\n  - { name: ${name}, when: { tool: notes__write }, decision: ask }\n`

type Place = {
  readonly gateway: Console
  readonly policy: string
  readonly secret: () => string
  key?: string
  isChanged: boolean
  count: number
}

const change = ({ gateway }: Place, given: Partial<GatewayConfig>) => gateway.change({ ...gateway.config, ...given })
const bearer = (key: string) => ({ authorization: `Bearer ${key}` })

/** Each action returns the names of the records that it must produce, in any order. */
const acts: { readonly [name: string]: (at: Place) => Promise<readonly string[]> } = {
  async 'make a key'(at) {
    at.key = String((await ask(at.gateway, '/keys', { body: { caller: 'nightly' } })).body.id)
    return ['add-key']
  },
  async 'revoke a key'(at) {
    const { status } = await ask(at.gateway, `/keys/${at.key ?? 'none'}`, { method: 'DELETE' })
    delete at.key
    return status === 200 ? ['revoke-key'] : []
  },
  async 'restart a server'({ gateway }) {
    await ask(gateway, '/servers/notes/restart', { body: {} })
    return ['restart']
  },
  async 'switch a tool'({ gateway, count }) {
    const state = count % 2 ? 'on' : 'hidden'
    expect((await ask(gateway, '/tools/notes__read/state', { body: { state } })).status).toBe(200)
    return ['set-tool-state']
  },
  async 'save other rules'({ gateway, count }) {
    const { version } = (await ask(gateway, '/policy')).body
    const saved = await ask(gateway, '/policy', { method: 'PUT', body: { text: rules(`rule${count}`), version } })
    expect(saved.status).toBe(200)
    return ['save-policy', 'change-policy']
  },
  async 'try other rules'({ gateway, count }) {
    await ask(gateway, '/policy/preview', { body: { text: rules(`rule${count}`) } })
    return []
  },
  async 'write other rules'({ policy, count }) {
    writeFileSync(policy, rules(`written${count}`))
    return ['change-policy']
  },
  async 'write a comment'({ policy }) {
    appendFileSync(policy, '# nothing else\n')
    return []
  },
  async 'add a server'(at) {
    const target = {
      ...notes('--token', at.secret()).target,
      env: { TOKEN: at.secret() },
    } as GatewayConfig['upstreams'][0]['target']
    const one = upstreamConfig(`more${at.count}`, target, { lazy: true })
    await change(at, { upstreams: [...at.gateway.config.upstreams, one] })
    return ['change-config']
  },
  async 'remove a server'(at) {
    const [first, ...others] = at.gateway.config.upstreams
    await change(at, { upstreams: first ? [first, ...others.slice(1)] : [] })
    return others.length > 0 ? ['change-config'] : []
  },
  async 'change a setting with a secret'(at) {
    await change(at, { webhook: { url: `https://hooks.example/?key=${at.secret()}`, secret: at.secret() } })
    return ['change-config']
  },
  async 'change what a restart takes'(at) {
    await change(at, { apiKey: at.secret() })
    return ['change-config']
  },
  async 'read the same config again'(at) {
    await change(at, {})
    return []
  },
  async 'bring another definition'(at) {
    const was = at.isChanged
    at.isChanged = !was
    const [, ...others] = at.gateway.config.upstreams
    await change(at, { upstreams: [notes(...(was ? [] : ['changed'])), ...others] })
    return ['change-config', ...(was ? [] : ['hold-changed-definition', 'hold-new-definition'])]
  },
  async 'show a wrong key'({ gateway, secret }) {
    expect((await ask(gateway, `/keys?key=${secret()}`, { headers: bearer(secret()) })).status).toBe(401)
    return ['refuse-request']
  },
  async 'show a wrong link'({ gateway, secret }) {
    expect((await gateway.send('/session', { body: { token: secret() } })).status).toBe(401)
    return ['refuse-request']
  },
  async 'come from another site'({ gateway }) {
    expect((await gateway.send('/api/v1/keys', { headers: { origin: 'https://evil.example' } })).status).toBe(403)
    return ['refuse-request']
  },
  async 'open the console'({ gateway }) {
    await enter(gateway)
    return ['open-console']
  },
  async 'make a link'({ gateway }) {
    expect((await ask(gateway, '/console/links', { body: {} })).status).toBe(201)
    return ['make-console-link']
  },
}

async function recordedActs(gateway: Console): Promise<string[]> {
  const { calls } = (await ask(gateway, '/audit?text=toolwire/&limit=1000')).body as {
    calls: { tool: string; outcome: string }[]
  }
  return calls.map(({ tool }) => tool.replace('toolwire/', '')).reverse()
}

type Act = { readonly path: string; readonly method?: string; readonly body?: object }
type Race = { readonly first: Act; readonly late: Act; readonly act: string }

/** Acts of which only one can be done. The record of the late one is written while the first is done. */
const races: { readonly [name: string]: (gateway: Started) => Promise<Race> } = {
  async 'an approval after a denial'(gateway) {
    const call = client(gateway.url).then((one) => one.call('notes__write', { text: 'hi' }, { onProgress: () => undefined }))
    call.catch(() => undefined)
    const path = `/approvals/${(await pending(gateway)).id}`
    return { act: 'approval', late: { path, body: { decision: 'allow' } }, first: { path, body: { decision: 'deny' } } }
  },
  async 'a second revocation of a key'(gateway) {
    const { id } = (await ask(gateway, '/keys', { body: { caller: 'nightly' } })).body
    const revoke = { path: `/keys/${id}`, method: 'DELETE' }
    return { act: 'revoke-key', late: revoke, first: revoke }
  },
  async 'a second revocation of a standing approval'({ control: { store } }) {
    const bound = { caller: 'local', server: 'notes', tool: 'notes__write', definitionHash: 'sha256:1' }
    await store.grants.add({ id: 'one', ...bound, expiresAt: Date.now() + 3_600_000 })
    const revoke = { path: '/grants/one', method: 'DELETE' }
    return { act: 'revoke-grant', late: revoke, first: revoke }
  },
  async 'a refusal of an accepted definition'(gateway) {
    await gateway.change({ ...gateway.config, upstreams: [notes('changed')] })
    const { hash } = await until(() => gateway.control.pins.waiting.find(({ tool }) => tool === 'notes__write'))
    const body = { server: 'notes', tool: 'notes__write', hash }
    return { act: 'refuse-pin', late: { path: '/pins/refuse', body }, first: { path: '/pins/accept', body } }
  },
}

/** Holds the next intent of an act until it is released. */
function holdIntent({ control: { store } }: Started, act: string) {
  const append = store.audit.append.bind(store.audit)
  let release = (): void => undefined
  const held = new Promise<void>((hold) => {
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    const holding: typeof append = async (record) => {
      if (record.tool !== `toolwire/${act}`) return append(record)
      Object.assign(store.audit, { append })
      hold()
      await released
      return append(record)
    }
    Object.assign(store.audit, { append: holding })
  })
  return { held, release: () => release() }
}

describe('an action', () => {
  it.each(Object.entries(races))('that did nothing is not recorded as done: %s', async (_, prepare) => {
    const gateway = await started({ upstreams: [notes()] })
    const { act, first, late } = await prepare(gateway)
    const { held, release } = holdIntent(gateway, act)
    const answer = ask(gateway, late.path, late)
    await held
    expect((await ask(gateway, first.path, first)).status).toBe(200)
    release()
    expect((await answer).status).toBeOneOf([404, 409])
    const [last] = await doneBy<{ outcome: string }>(gateway, `?tool=toolwire/${act}`)
    expect(last).toMatchObject({ decision: 'allowed', outcome: 'failed' })
  })

  it('produces exactly its records, none with a secret in it', async () => {
    const several = fc.array(fc.constantFrom(...Object.keys(acts)), { minLength: 8, maxLength: 8 })
    await fc.assert(
      fc.asyncProperty(several, async (names) => {
        const policy = join(folder(), 'policy.yaml')
        writeFileSync(policy, rules('first'))
        const gateway = await withConsole({ config: { upstreams: [notes()], policy } })
        await until(() => gateway.control.tools().length === 4)
        await until(async () => (await recordedActs(gateway)).length === 1)
        expect(await recordedActs(gateway)).toEqual(['accept-new-server'])
        const secrets: string[] = []
        const secret = () => {
          secrets.push(`s3cret-${Math.random().toString(36).slice(2)}${secrets.length}`)
          return secrets.at(-1) ?? ''
        }
        const at: Place = { gateway, policy, secret, isChanged: false, count: 0 }
        for (const name of [...names, 'make a key']) {
          at.count++
          const before = (await recordedActs(gateway)).length
          const wanted = (await acts[name]?.(at)) ?? []
          await until(async () => (await recordedActs(gateway)).length >= before + wanted.length)
          // A server that restarts slowly may be held a second time.
          const isMeant = (act: string) => name !== 'restart a server' || !act.startsWith('hold-')
          const recorded = (await recordedActs(gateway)).slice(before).filter(isMeant)
          expect(recorded.sort(), `${name} in ${names}`).toEqual([...wanted].sort())
        }
        const log = await (await fetch(`http://127.0.0.1:${gateway.port}/api/v1/audit/export`)).text()
        expect(secrets.filter((one) => log.includes(one))).toEqual([])
        expect((await ask(gateway, '/audit/verify')).body).toMatchObject({ ok: true })
        await gateway.close({ drainMs: 0 })
      }),
      { numRuns: howMany(2, 5) },
    )
  })

  it('is recorded with its details', async () => {
    const gateway = await started({ upstreams: [notes()] })
    const sequence = async (tool: string) => {
      await until(async () => (await ask(gateway, `/audit?tool=toolwire/${tool}`)).body.calls?.toString() !== '')
      const { calls } = (await ask(gateway, `/audit?tool=toolwire/${tool}`)).body as { calls: { sequence: number }[] }
      return (await ask(gateway, `/audit/${calls[0]?.sequence}`)).body as { record: { arguments: object }; call: object }
    }
    expect((await sequence('accept-new-server')).record.arguments).toMatchObject({ server: 'notes', count: 4 })
    await gateway.change({ ...gateway.config, upstreams: [notes('changed')], retention: { days: 3 } })
    expect((await sequence('change-config')).record.arguments).toEqual({
      from: 'file',
      file: '/nowhere/mcp.json',
      changed: ['notes'],
      settings: ['retention'],
    })
    expect((await sequence('hold-changed-definition')).record.arguments).toMatchObject({
      server: 'notes',
      count: 1,
      definitions: [{ tool: 'notes__write', hash: expect.stringMatching(/^sha256:/) }],
    })
    await ask(gateway, '/keys', { headers: bearer('wrong') })
    expect(await sequence('refuse-request')).toMatchObject({
      record: { arguments: { method: 'GET', path: '/api/v1/keys', status: 401, from: expect.stringContaining('127.0.0.1') } },
      call: { caller: 'unknown', decision: 'refused', outcome: 'refused', reason: 'forbidden' },
    })
  })

  it('that is refused repeatedly is recorded up to a limit, and then counted', async () => {
    const gateway = await started()
    const many = 57
    for (let n = 0; n < many; n++) await ask(gateway, `/keys/${n}`, { headers: bearer('wrong') })
    const recorded = await doneBy<{ tool: string; sequence: number }>(gateway, '?tool=toolwire/refuse-request')
    expect(recorded).toHaveLength(10)
    const { dataDir } = gateway.config
    await gateway.close({ drainMs: 0 })
    const store = await storeIn(dataDir)
    const { calls } = await store.audit.search({ tool: 'toolwire/refuse-request' })
    const last = await store.audit.record(calls[0]?.sequence ?? 0)
    expect(last?.record).toMatchObject({ caller: 'toolwire', arguments: { notRecorded: many - 10, withinMs: 60_000 } })
    expect(calls).toHaveLength(11)
    await store.close()
  })

  it('that switches the log off is its last record', async () => {
    const gateway = await started()
    await gateway.change({ ...gateway.config, guard: { ...gateway.config.guard, audit: false } })
    await ask(gateway, '/keys', { headers: bearer('wrong') })
    await until(async () => ((await ask(gateway, '/audit')).body.calls as object[]).length > 0)
    expect((await ask(gateway, '/audit')).body.calls).toMatchObject([{ tool: 'toolwire/change-config' }])
  })

  it('made while no gateway ran is detected at the start', async () => {
    const [dataDir, place] = [join(folder(), 'data'), folder()]
    const policy = join(place, 'policy.yaml')
    writeFileSync(policy, rules('before'))
    const first = await started({ upstreams: [notes()], dataDir, policy })
    const expiresAt = Date.now() + 1_500
    const { id } = (await ask(first, '/keys', { body: { caller: 'nightly', expiresAt } })).body
    await first.close({ drainMs: 0 })
    writeFileSync(policy, rules('after'))
    await until(() => Date.now() > expiresAt)
    const others = upstreamConfig('others', notes().target, { lazy: true })
    const upstreams = [upstreamConfig('notes', notes().target), others]
    const again = await started({ upstreams, dataDir, policy, retention: { days: 9 } })
    const found = async () => {
      const { calls } = (await ask(again, '/audit?caller=toolwire')).body as { calls: { tool: string; sequence: number }[] }
      const records = calls.map(async ({ tool, sequence }) => {
        const { record } = (await ask(again, `/audit/${sequence}`)).body as { record: { arguments: object } }
        return [tool, record.arguments] as const
      })
      return Object.fromEntries(await Promise.all(records))
    }
    await until(async () => 'toolwire/expire-key' in (await found()))
    expect(await found()).toMatchObject({
      'toolwire/change-config': { from: 'start', added: ['others'], changed: ['notes'], settings: ['retention'] },
      'toolwire/change-policy': {
        from: 'start',
        file: policy,
        rules: 1,
        before: expect.any(String),
        version: expect.any(String),
      },
      'toolwire/expire-key': { id, caller: 'nightly', expiresAt },
    })
    await again.close({ drainMs: 0 })
    const third = await started({ upstreams, dataDir, policy, retention: { days: 9 } })
    expect(((await ask(third, '/audit?tool=toolwire/change-config')).body.calls as object[]).length).toBe(1)
  })
})
