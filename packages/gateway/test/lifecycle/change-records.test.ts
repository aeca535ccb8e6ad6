// Records of changes that apply without an action of a person: each is recorded once, without values.
import type { AuditLog, Drift } from 'toolwire/guard'
import { describe, expect, it, onTestFinished } from 'vitest'
import { defaultGuard, type GatewayConfig } from '../../src/config/gateway-config.js'
import { ChangeRecords } from '../../src/lifecycle/change-records.js'
import type { RecordedAction } from '../../src/store/audit/record-action.js'
import type { LastRun, Store } from '../../src/store/store.js'
import { child, configOf as configLike, program, until, upstreamConfig } from '../support/running-gateway.js'
import { newStore } from '../support/stores.js'

const server = (id: string, ...args: string[]) => upstreamConfig(id, child(program('notes-server.mjs'), ...args))
const configOf = (given: Partial<GatewayConfig> = {}) => configLike({ dataDir: '/nowhere/data', ...given })
const none = { added: [], removed: [], changed: [], revised: [], settings: [], restart: [] }

type Noted = RecordedAction & { readonly log?: AuditLog | undefined }

/** A recorder of applied changes, in a store that others may have used before. */
function recordsIn(
  store: Store,
  { isOn = true, version = 'v1', inForce = store.inForce, isFirst, safe = true }: Partial<Options> = {},
) {
  const noted: Noted[] = []
  const troubles: string[] = []
  const policy = { path: '/etc/policy.yaml', current: { version, set: { rules: [1, 2] } } }
  const records = new ChangeRecords({
    store: { inForce, keys: store.keys, digestKey: store.digestKey, ...(store.fleet && { fleet: store.fleet }) },
    config: configOf(),
    records: {
      note(action, log) {
        noted.push({ ...action, ...(log && { log }) })
        return Promise.resolve(typeof safe === 'function' ? safe(action) : safe)
      },
      close: async () => undefined,
    },
    policy: policy as never, // only this member is read
    isOn: typeof isOn === 'function' ? isOn : () => isOn,
    onTrouble: (words) => void troubles.push(words),
    isFirst,
  })
  onTestFinished(() => records.close())
  return { records, noted, troubles, policy, abouts: () => noted.map(({ act, about }) => [act, about]) }
}

/** An earlier start, after which its config is recorded. */
async function ranBefore(store: Store, config: GatewayConfig): Promise<void> {
  const before = store.inForce.get('gateway')
  const { records, noted } = recordsIn(store)
  records.started(config)
  expect(noted).toEqual([])
  await until(() => store.inForce.get('gateway') !== before)
}

type Options = {
  readonly isOn: boolean | (() => boolean)
  readonly version: string
  readonly inForce: Store['inForce']
  readonly isFirst: ConstructorParameters<typeof ChangeRecords>[0]['isFirst']
  /** Reports that the record was written to the log. */
  readonly safe: boolean | Promise<boolean> | ((action: RecordedAction) => boolean)
}

const aKey = (id: string, expiresAt?: number) => ({
  ...{ id, hash: '0'.repeat(64), caller: `caller of ${id}`, scopes: [] },
  ...(expiresAt !== undefined && { expiresAt }),
})

describe('at a start', () => {
  it('nothing is recorded without an earlier start, or without a change', async () => {
    const store = await newStore()
    const config = configOf({ upstreams: [server('one')] })
    await ranBefore(store, config)
    await ranBefore(store, config)
  })

  it('changes are recorded by name: servers, settings and rules, but no disabled server', async () => {
    const store = await newStore()
    const off = { ...server('off'), disabled: true }
    await ranBefore(store, configOf({ upstreams: [server('stays'), server('goes'), server('turns'), off] }))
    const { records, abouts } = recordsIn(store, { version: 'v2' })
    const upstreams = [server('stays'), server('turns', 'x'), server('comes'), { ...off, id: 'other' }]
    records.started(configOf({ upstreams, apiKey: 'not-to-be-told', guard: { ...defaultGuard, pins: 'strict' } }))
    expect(abouts()).toEqual([
      [
        'change-config',
        {
          ...{ from: 'start', file: '/nowhere/mcp.json', added: ['comes'], removed: ['goes'], changed: ['turns'] },
          settings: expect.arrayContaining(['guard', 'apiKey']),
        },
      ],
      ['change-policy', { from: 'start', file: '/etc/policy.yaml', version: 'v2', rules: 2, before: 'v1' }],
    ])
    expect(JSON.stringify(store.inForce.get('gateway'))).not.toContain('not-to-be-told')
  })

  it('a change of the allowed commands and imports is recorded', async () => {
    const store = await newStore()
    await ranBefore(store, configOf({ commands: ['node *'], import: ['cursor'] }))
    const { records, abouts } = recordsIn(store)
    records.started(configOf({ commands: ['*'] }))
    expect(abouts()).toEqual([['change-config', expect.objectContaining({ settings: ['commands', 'import'] })]])
  })

  it('a setting that an earlier version did not compare is no change', async () => {
    const store = await newStore()
    await ranBefore(store, configOf({ commands: ['node *'] }))
    const before = store.inForce.get('gateway')
    const { commands: _, ...settings } = before?.settings ?? {}
    await store.inForce.put('gateway', { ...before, settings } as LastRun)
    const { records, abouts } = recordsIn(store)
    records.started(configOf({ commands: ['sh'] }))
    expect(abouts()).toEqual([])
  })

  it('a setting that was removed from a shared config is recorded', async () => {
    const store = { ...(await newStore()), fleet: {} } as Store // only these members are used
    const config = (settings: object) => configOf({ written: { settings, servers: {} } as never }) // as it was written
    recordsIn(store).records.started(config({ stays: 1, goes: 2 }))
    await until(() => store.inForce.entries().length > 0)
    const { records, abouts } = recordsIn(store)
    records.started(config({ stays: 1 }))
    expect(abouts()).toEqual([['change-config', expect.objectContaining({ settings: ['goes'] })]])
  })

  it('a key that has expired meanwhile is recorded once, and no other key', async () => {
    const store = await newStore()
    await store.keys.add(aKey('before', Date.now() - 60_000))
    await ranBefore(store, configOf())
    const expiresAt = Date.now()
    await store.keys.add(aKey('meanwhile', expiresAt))
    await store.keys.add(aKey('later', Date.now() + 60_000))
    await store.keys.add(aKey('never'))
    const lastRun = store.inForce.get('gateway')
    if (lastRun) await store.inForce.put('gateway', { ...lastRun, at: expiresAt - 1 })
    const { records, abouts } = recordsIn(store)
    records.started(configOf())
    expect(abouts()).toEqual([['expire-key', { id: 'meanwhile', caller: 'caller of meanwhile', expiresAt }]])
    await until(() => (store.inForce.get('gateway')?.at ?? 0) >= expiresAt)
    await ranBefore(store, configOf())
  })

  it('nothing is recorded or stored without a log, so that the next start with one finds the change', async () => {
    const store = await newStore()
    await ranBefore(store, configOf())
    const silent = recordsIn(store, { isOn: false, version: 'v2' })
    silent.records.started(configOf({ retention: { days: 1 } }))
    silent.records.policyChanged(configOf())
    silent.records.configChanged(configOf({ retention: { days: 1 } }), { ...none, settings: ['retention'] }, undefined)
    expect(silent.noted).toEqual([])
    const { records, abouts } = recordsIn(store, { version: 'v2' })
    records.started(configOf({ retention: { days: 1 } }))
    expect(abouts().map(([act]) => act)).toEqual(['change-config', 'change-policy'])
  })
})

describe('while it runs', () => {
  it.each(['the start', 'a reload'])('changes without a log, which was off from %s, are recorded once it is on', async (from) => {
    const store = await newStore()
    await ranBefore(store, configOf())
    let isOn = from === 'a reload'
    const { records, policy, abouts } = recordsIn(store, { isOn: () => isOn })
    records.started(configOf())
    if (isOn) records.configChanged(configOf(), none, store.audit)
    isOn = false
    const since = Date.now() + 1
    const upstreams = [server('new')]
    records.configChanged(configOf({ upstreams }), { ...none, added: ['new'] }, undefined)
    policy.current.version = 'v2'
    records.policyChanged(configOf({ upstreams }))
    await store.keys.add(aKey('short', since))
    await until(() => Date.now() > since)
    isOn = true
    const config = configOf({ upstreams, logLevel: 'debug', host: '::1' })
    records.configChanged(config, { ...none, settings: ['logLevel'], restart: ['host'] }, store.audit)
    records.policyChanged(config)
    const names = { added: ['new'], settings: ['logLevel'], afterRestart: ['host'] }
    const rules = { file: '/etc/policy.yaml', version: 'v2', rules: 2, before: 'v1' }
    expect(abouts()).toEqual([
      ['change-config', { from: 'file', file: '/nowhere/mcp.json', ...names }],
      ['change-policy', { from: 'file', ...rules }],
      ['expire-key', { id: 'short', caller: 'caller of short', expiresAt: since }],
    ])
    await until(() => store.inForce.get('gateway')?.policy === 'v2')
    const next = recordsIn(store, { version: 'v2' })
    next.records.started(config)
    expect(next.noted).toEqual([])
  })

  it('the first log records the change that switched it on', async () => {
    const store = await newStore()
    let isOn = false
    const { records, abouts } = recordsIn(store, { isOn: () => isOn })
    records.started(configOf())
    isOn = true
    records.configChanged(configOf(), { ...none, settings: ['guard'] }, store.audit)
    expect(abouts()).toEqual([['change-config', expect.objectContaining({ settings: ['guard'] })]])
  })

  it('a config is recorded with its source and its version, in the given log', async () => {
    const store = await newStore()
    const { records, noted } = recordsIn(store)
    const changes = { ...none, changed: ['one'], restart: ['port'] }
    records.configChanged(configOf(), changes, store.audit)
    records.configChanged(configOf({ version: 7 }), changes, store.audit)
    records.configChanged(configOf(), none, store.audit)
    const about = { file: '/nowhere/mcp.json', changed: ['one'], afterRestart: ['port'] }
    expect(noted).toEqual([
      { by: 'toolwire', act: 'change-config', about: { from: 'file', ...about }, log: store.audit },
      { by: 'toolwire', act: 'change-config', about: { from: 'database', version: 7, ...about }, log: store.audit },
    ])
    await until(() => store.inForce.get('gateway') !== undefined)
  })

  it('at most 100 names of a list are recorded', async () => {
    const { records, noted } = recordsIn(await newStore())
    const added = Array.from({ length: 101 }, (_, at) => `server ${at}`)
    records.configChanged(configOf(), { ...none, added }, {} as AuditLog)
    expect(noted[0]?.about.added).toEqual(added.slice(0, 100))
  })

  it('rules are recorded once for each version, with the previous version', async () => {
    const store = await newStore()
    const { records, policy, abouts } = recordsIn(store)
    records.started(configOf())
    records.policyChanged(configOf())
    policy.current.version = 'v2'
    records.policyChanged(configOf())
    records.policyChanged(configOf())
    const about = { from: 'file', file: '/etc/policy.yaml', version: 'v2', rules: 2, before: 'v1' }
    expect(abouts()).toEqual([['change-policy', about]])
    await until(() => store.inForce.get('gateway')?.policy === 'v2')
  })

  it('definitions are recorded for each server, new and changed ones separately, with their number', async () => {
    const { records, abouts } = recordsIn(await newStore())
    const drift = (tool: string, server?: string, before?: object) => ({ server, tool, hash: `hash of ${tool}`, before }) as Drift
    const many = Array.from({ length: 102 }, (_, at) => drift(`tool ${at}`, 'large'))
    records.drifted([drift('a', 'one', {}), ...many, drift('b', 'one', {}), drift('c')])
    const definitionsOf = (...tools: string[]) => tools.map((tool) => ({ tool, hash: `hash of ${tool}` }))
    expect(abouts()).toEqual([
      ['hold-changed-definition', { server: 'one', count: 2, definitions: definitionsOf('a', 'b') }],
      [
        'hold-new-definition',
        { server: 'large', count: 102, definitions: definitionsOf(...many.slice(0, 100).map(({ tool }) => tool)) },
      ],
      ['hold-new-definition', { server: '', count: 1, definitions: definitionsOf('c') }],
    ])
    records.accepted([{ server: 'one', tool: 'd', hash: 'hash of d' }])
    expect(abouts().at(-1)).toEqual(['accept-new-server', { server: 'one', count: 1, definitions: definitionsOf('d') }])
  })

  it('a key is recorded when it expires, and the time of the check is stored', async () => {
    const store = await newStore()
    const expiresAt = Date.now() + 3_000
    await store.keys.add(aKey('short', expiresAt))
    await store.keys.add(aKey('long', Date.now() + 3_000_000))
    const { records, noted, abouts } = recordsIn(store)
    records.started(configOf())
    expect(noted).toEqual([])
    await until(() => noted.length > 0)
    expect(abouts()).toEqual([['expire-key', { id: 'short', caller: 'caller of short', expiresAt }]])
    await until(() => (store.inForce.get('gateway')?.at ?? 0) >= expiresAt)
    records.close()
  })

  it.each([
    { first: 'the first of them', claim: () => new Set<string>(), notes: 1 },
    { first: 'each of them, while the database is away', claim: () => undefined, notes: 3 },
  ])('of gateways that share a store, $first records that a key has expired', async ({ claim, notes }) => {
    const store = await newStore()
    const expiresAt = Date.now() + 3_000
    await store.keys.add(aKey('short', expiresAt))
    const claimed = claim()
    let asked = 0
    const isFirst = async (what: string, until: number) => {
      asked++
      expect(until).toBe(expiresAt)
      if (!claimed) throw new Error('away')
      return claimed.size < claimed.add(what).size
    }
    const all = [1, 2, 3].map(() => recordsIn(store, { isFirst }))
    for (const { records } of all) records.started(configOf())
    await until(() => asked === 3)
    for (const { records } of all) await records.close()
    const about = { id: 'short', caller: 'caller of short', expiresAt }
    expect(all.flatMap(({ abouts }) => abouts())).toEqual(Array(notes).fill(['expire-key', about]))
  })

  it('a key whose record failed is recorded at the next check, without another claim', async () => {
    const store = await newStore()
    const begin = Date.now()
    const keys = { list: () => [aKey('first', begin + 1_000), aKey('second', begin + 4_000)] } as unknown as Store['keys']
    const claimed: string[] = []
    const isFirst = (what: string) => claimed.push(what) > 0
    let failures = 1
    const { records, noted } = recordsIn({ ...store, keys }, { isFirst, safe: () => failures-- <= 0 })
    records.started(configOf())
    await until(() => noted.some(({ about }) => about.id === 'second'))
    await records.close()
    expect(noted.map(({ about }) => about.id)).toEqual(['first', 'first', 'second'])
    expect(claimed).toEqual(['expire-key first', 'expire-key second'])
  })

  it('a check that waited for a record keeps the newer state that another gateway has stored', async () => {
    const store = await newStore()
    await ranBefore(store, configOf())
    await store.keys.add(aKey('short', Date.now() + 3_000))
    const puts: LastRun[] = []
    let stored = store.inForce.get('gateway')!
    const inForce = { get: () => stored, put: async (_: string, one: LastRun) => void puts.push(one) } as never // only these are used
    let write = (_: boolean): void => undefined
    const safe = new Promise<boolean>((resolve) => {
      write = resolve
    })
    const { records, noted } = recordsIn(store, { inForce, safe })
    records.started(configOf())
    await until(() => noted.length > 0)
    stored = { ...stored, policy: 'v2' }
    write(true)
    await until(() => puts.length === 2)
    expect(puts.map(({ policy }) => policy)).toEqual(['v1', 'v2'])
  })

  it('each key is recorded when it expires, even one that was created meanwhile', async () => {
    const store = await newStore()
    const begin = Date.now()
    const [first, second, third] = [aKey('first', begin + 2_000), aKey('second', begin + 2_050), aKey('third', begin + 4_000)]
    const keys = { list: () => (noted.length === 0 ? [first, second] : [first, second, third]) } as unknown as Store['keys']
    const { records, noted } = recordsIn({ ...store, keys })
    records.started(configOf())
    expect(noted).toEqual([])
    await until(() => (store.inForce.get('gateway')?.at ?? 0) >= begin + 4_000)
    expect(noted.map(({ about }) => about.id)).toEqual(['first', 'second', 'third'])
  })

  it('a change is stored after its record, and not without it, so that the next start finds it', async () => {
    const store = await newStore()
    const place = { get: (key: string) => store.inForce.get(key) }
    const puts: LastRun[] = []
    const put = async (_: string, one: LastRun) => void puts.push(one)
    const inForce = { ...place, put } as never // only these are used
    let write = (_: boolean): void => undefined
    const safe = new Promise<boolean>((resolve) => {
      write = resolve
    })
    await ranBefore(store, configOf())
    for (const [nth, isSafe] of [true, false].entries()) {
      const { records, noted, policy } = recordsIn(store, { inForce, version: 'v2', safe: nth === 0 ? safe : isSafe })
      records.started(configOf())
      expect(noted.map(({ act }) => act)).toEqual(['change-policy'])
      if (nth === 0) {
        await new Promise(setImmediate)
        expect(puts).toEqual([])
        write(true)
        await until(() => puts.length === 1)
        continue
      }
      policy.current.version = 'v3'
      records.policyChanged(configOf())
      await new Promise(setImmediate)
      expect(puts.map(({ policy }) => policy)).toEqual(['v2'])
    }
  })

  it('a change that cannot be stored is reported', async () => {
    const store = await newStore()
    const inForce = { get: () => undefined, put: async () => Promise.reject(new Error('the disk is full')) } as never
    const { records, troubles } = recordsIn(store, { inForce })
    records.started(configOf())
    await until(() => troubles.length > 0)
    expect(troubles).toEqual(['The config in force could not be stored: Error: the disk is full'])
  })
})
