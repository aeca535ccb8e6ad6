import { describe, expect, it } from 'vitest'
import type { Drift } from '../../../src/policy/pin/drift.js'
import { type PinOptions, pin } from '../../../src/policy/pin/index.js'
import { memoryPins, type PinStore } from '../../../src/policy/pin/store.js'
import type { ListedTool } from '../../../src/tools/tool.js'
import { callOf, done, through } from '../call.js'

const original = {
  name: 'send',
  title: 'Send',
  description: 'Sends a message.',
  icons: [{ src: 'https://a.example/i.png', mimeType: 'image/png', sizes: ['48x48'] }],
  inputSchema: { type: 'object', properties: { to: { type: 'string', description: 'Whom to.' } }, required: ['to'] },
  outputSchema: { type: 'object' },
  annotations: { readOnlyHint: false, title: 'Send' },
  taskSupport: 'optional',
  _meta: { 'com.example/a': [1] },
} satisfies ListedTool

const asListed = (listed: Partial<ListedTool>) => callOf({ listed: { ...original, ...listed } })

function pinning(options: PinOptions = {}) {
  const drifts: Drift[] = []
  return { drifts, policy: pin({ onDrift: (drift) => void drifts.push(drift), ...options }) }
}

const schema = original.inputSchema
const changes: [string, Partial<ListedTool>][] = [
  ['title', { title: 'send' }],
  ['description', { description: 'Sends a message!' }],
  ['a hidden character', { description: 'Sends a message.\u200b' }],
  ['an icon', { icons: [{ src: 'https://b.example/i.png', mimeType: 'image/png', sizes: ['48x48'] }] }],
  ['the size of an icon', { icons: [{ src: 'https://a.example/i.png', mimeType: 'image/png', sizes: ['48x49'] }] }],
  ['a type', { inputSchema: { ...schema, properties: { to: { type: 'number', description: 'Whom to.' } } } }],
  ['words in the schema', { inputSchema: { ...schema, properties: { to: { type: 'string', description: 'Whom to' } } } }],
  ['what is required', { inputSchema: { ...schema, required: [] } }],
  ['a key', { inputSchema: { ...schema, properties: { tO: { type: 'string', description: 'Whom to.' } } } }],
  ['the output', { outputSchema: { type: 'object', title: '' } }],
  ['a hint', { annotations: { readOnlyHint: true, title: 'Send' } }],
  ['the title in the annotations', { annotations: { readOnlyHint: false, title: 'Send ' } }],
  ['task support', { taskSupport: 'required' }],
  ['a number in _meta', { _meta: { 'com.example/a': [2] } }],
]

describe('pinned definitions', () => {
  it.each(changes)('CHG-005 refuse the tool if %s has changed', async (_, change) => {
    const { policy, drifts } = pinning()
    expect((await through(policy, asListed({}))).result).toBe(done)
    const { refusal, sent } = await through(policy, asListed(change))
    expect(refusal).toMatchObject({ reason: 'definition-changed' })
    expect(sent).toEqual([])
    expect(drifts).toHaveLength(1)
    expect(drifts[0]?.changes.length).toBeGreaterThan(0)
    expect(policy.drifted()).toEqual(drifts)
  })

  it('ignore the order of members', async () => {
    const { policy } = pinning()
    await through(policy, asListed({}))
    const reordered = Object.fromEntries(Object.entries(original).reverse())
    expect((await through(policy, callOf({ listed: reordered }))).result).toBe(done)
  })

  it('report the changes, with hidden characters escaped', async () => {
    const { policy, drifts } = pinning()
    await through(policy, asListed({}))
    const sly = { type: 'object', properties: { to: { type: 'string', description: 'Whom\u{e0041} to.' }, 'b\u202ecc': {} } }
    await through(policy, asListed({ inputSchema: sly }))
    expect(drifts[0]).toMatchObject({ server: 'mail', tool: 'send', before: original })
    expect(drifts[0]?.changes).toEqual([
      { path: '/inputSchema/properties/to/description', before: '"Whom to."', after: '"Whom\\u{e0041} to."' },
      { path: '/inputSchema/properties/b\\u{202e}cc', before: undefined, after: '{}' },
      { path: '/inputSchema/required', before: '["to"]', after: undefined },
    ])
  })

  it('report once for each new definition, and not at every call', async () => {
    const { policy, drifts } = pinning()
    for (const title of ['Send', 'B', 'B', 'C', 'B']) await through(policy, asListed({ title }))
    expect(drifts.map(({ after }) => after.title)).toEqual(['B', 'C', 'B'])
  })

  it('use the new definition after it is accepted, and refuse the old one', async () => {
    const { policy } = pinning()
    await through(policy, asListed({}))
    await through(policy, asListed({ title: 'B' }))
    await policy.accept('mail', 'send', policy.drifted()[0]?.hash ?? '')
    expect(policy.drifted()).toEqual([])
    expect((await through(policy, asListed({ title: 'B' }))).result).toBe(done)
    expect((await through(policy, asListed({}))).refusal).toMatchObject({ reason: 'definition-changed' })
  })

  it('accept only the definition that was reviewed', async () => {
    const { policy } = pinning()
    for (const title of ['A', 'B']) await through(policy, asListed({ title }))
    const looked = policy.drifted()[0]?.hash ?? ''
    await through(policy, asListed({ title: 'C' }))
    await expect(policy.accept('mail', 'send', looked)).rejects.toThrow('No unaccepted definition of "send" has this hash')
    await expect(policy.accept('other', 'send', policy.drifted()[0]?.hash ?? '')).rejects.toThrow('No unaccepted definition')
    expect((await through(policy, asListed({ title: 'C' }))).refusal).toMatchObject({ reason: 'definition-changed' })
  })

  it('keep a definition that is found while another one is being accepted', async () => {
    const kept = memoryPins()
    const set: PinStore['set'] = async (pin) => {
      if (pin.definition.title === 'B') await through(policy, asListed({ title: 'C' }))
      kept.set(pin)
    }
    const { policy } = pinning({ store: { ...kept, set } })
    for (const title of ['A', 'B']) await through(policy, asListed({ title }))
    await policy.accept('mail', 'send', policy.drifted()[0]?.hash ?? '')
    expect(policy.drifted().map(({ after }) => after.title)).toEqual(['C'])
  })

  it('keep the newer of two definitions, whichever is reported first', async () => {
    const reports = new Map<unknown, () => void>()
    const begun: Promise<unknown>[] = []
    const { policy } = pinning({
      onDrift: ({ after }) => new Promise((resolve) => reports.set(after.title, resolve)),
    })
    await through(policy, asListed({ title: 'A' }))
    for (const title of ['B', 'C']) {
      begun.push(through(policy, asListed({ title })))
      await expect.poll(() => reports.has(title)).toBe(true)
    }
    for (const title of ['C', 'B']) {
      reports.get(title)?.()
      await begun[title === 'B' ? 0 : 1]
    }
    expect(policy.drifted().map(({ after }) => after.title)).toEqual(['C'])
  })

  it('allow the tool again when it is as before', async () => {
    const { policy } = pinning()
    for (const title of ['A', 'B']) await through(policy, asListed({ title }))
    expect((await through(policy, asListed({ title: 'A' }))).result).toBe(done)
    expect(policy.drifted()).toEqual([])
  })

  it('distinguish tools of the same name on two servers', async () => {
    const { policy } = pinning()
    await through(policy, asListed({}))
    const elsewhere = callOf({ server: 'chat', listed: { ...original, title: 'B' } })
    expect((await through(policy, elsewhere)).result).toBe(done)
  })

  it('accept one of two definitions that are first seen at once', async () => {
    const kept = memoryPins()
    const slowly =
      <A extends unknown[], R>(ask: (...args: A) => R) =>
      async (...args: A): Promise<Awaited<R>> => {
        await new Promise((resolve) => setTimeout(resolve, 5))
        return await ask(...args)
      }
    const { policy } = pinning({ store: { ...kept, get: slowly(kept.get), set: slowly(kept.set) } })
    const outcomes = await Promise.all(['A', 'B'].map((title) => through(policy, asListed({ title }))))
    expect(outcomes.map(({ sent }) => sent.length).sort()).toEqual([0, 1])
  })
})

describe('a tool seen for the first time', () => {
  it('is refused until it is accepted if configured, and is shown whole', async () => {
    const { policy, drifts } = pinning({ unknown: 'refuse' })
    expect((await through(policy, asListed({}))).refusal).toMatchObject({ reason: 'definition-changed' })
    expect(drifts[0]).toMatchObject({ before: undefined, after: original, changes: [{ path: '' }] })
    await policy.accept('mail', 'send', drifts[0]?.hash ?? '')
    expect((await through(policy, asListed({}))).result).toBe(done)
  })

  it('is remembered by the store, across policies', async () => {
    const store = memoryPins()
    await through(pinning({ store }).policy, asListed({}))
    expect(await store.list()).toMatchObject([{ server: 'mail', tool: 'send', definition: original }])
    expect((await through(pinning({ store }).policy, asListed({ title: 'B' }))).sent).toEqual([])
    await store.delete('mail', 'send')
    expect((await through(pinning({ store }).policy, asListed({ title: 'B' }))).result).toBe(done)
  })
})

describe('after a failure', () => {
  const gone = () => Promise.reject(new Error('gone'))

  it.each(['get', 'set'] as const)('the call is refused if the store fails to %s', async (method) => {
    const { policy } = pinning({ store: { ...memoryPins(), [method]: gone } })
    const { refusal, sent } = await through(policy, asListed({}))
    expect(refusal).toMatchObject({ reason: 'definition-changed' })
    expect(sent).toEqual([])
  })

  it('the call is refused if the report failed, and the report is repeated', async () => {
    let reports = 0
    const { policy } = pinning({ onDrift: () => (reports++ === 0 ? gone() : undefined) })
    await through(policy, asListed({}))
    for (let n = 0; n < 3; n++) expect((await through(policy, asListed({ title: 'B' }))).sent).toEqual([])
    expect(reports).toBe(2)
  })
})
