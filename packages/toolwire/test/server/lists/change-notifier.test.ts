import { prompt, resource, server, tool } from 'toolwire'
import { describe, expect, it } from 'vitest'
import { every, everyWire, since, until } from '../../revisions.js'
import '../../reported-faults.js'
import { judged } from '../../official-schemas.js'

const quiet = tool({ description: 'Quiet', run: () => 'x' })
const spy = tool({ description: 'Spy', scopes: ['spy'], run: () => 'x' })
const note = resource({ uri: 'note://1', read: () => 'x' })
const hello = prompt({ run: () => 'hello' })
const made = () => server({ name: 'a', version: '1', tools: { quiet }, resources: { note }, prompts: { hello } })
const handshake = everyWire.filter(({ name }) => name !== '2026-07-28')

const changed = (list: string) => `notifications/${list}/list_changed`

describe.each(handshake)('Changes at $name', ({ server: profile, client }) => {
  const serving = () => server({ name: 'a', version: '1', tools: { quiet }, resources: { note }, prompts: { hello }, ...profile })

  it('CHG-001 are announced to each connected client', async () => {
    const app = serving()
    await using one = await judged(app, client)
    await using two = await judged(app, client)
    app.tools.add('more', quiet)
    await expect.poll(() => [one, two].map((t) => t.heard(changed('tools')).length)).toEqual([1, 1])
    expect(one.heard(changed('tools'))[0]).toEqual({ jsonrpc: '2.0', method: changed('tools') })
  })

  it('CHG-001 are announced by the list, whatever the kind of change', async () => {
    const app = serving()
    await using t = await judged(app, client)
    const announcedAfter = async (...changes: (() => void)[]) => {
      const before = t.heard().length
      for (const change of changes) change()
      await expect.poll(() => t.heard().length).toBeGreaterThan(before)
      return t
        .heard()
        .slice(before)
        .map(({ method }) => method)
    }
    expect(await announcedAfter(() => app.tools.add('more', quiet))).toEqual([changed('tools')])
    expect(await announcedAfter(() => app.tools.replace('more', spy))).toEqual([changed('tools')])
    expect(await announcedAfter(() => app.tools.disable('more'))).toEqual([changed('tools')])
    expect(await announcedAfter(() => app.tools.enable('more'))).toEqual([changed('tools')])
    expect(await announcedAfter(() => app.tools.announce())).toEqual([changed('tools')])
    expect(await announcedAfter(() => app.tools.announce(['absent', 'more']))).toEqual([changed('tools')])
    expect(await announcedAfter(() => app.tools.remove('more'))).toEqual([changed('tools')])
    // An announcement of the tools would come before the one of the resources.
    const absent = () => app.tools.announce(['absent'])
    expect(await announcedAfter(absent, () => app.resources.remove('note'))).toEqual([changed('resources')])
    expect(await announcedAfter(() => app.prompts.remove('hello'))).toEqual([changed('prompts')])
  })

  it('CHG-001 are not announced to a disconnected client', async () => {
    const app = serving()
    await using t = await judged(app, client)
    await using other = await judged(app, client)
    t.close()
    app.tools.add('more', quiet)
    await other.hear(changed('tools'))
    expect(t.heard()).toEqual([])
  })
})

describe.each(every)('Changes at %s', (revision) => {
  const listening = async (app: ReturnType<typeof made>, scopes: string[] = []) => {
    const t = await judged(app, { revision, caller: { id: 'ada', scopes } })
    if (revision !== '2026-07-28') return t
    void t.request('subscriptions/listen', {
      notifications: { toolsListChanged: true, resourcesListChanged: true, promptsListChanged: true },
    })
    await t.hear('notifications/subscriptions/acknowledged')
    return t
  }

  it('CHG-003 are announced only a few times, however many there are', async () => {
    const app = made()
    await using t = await listening(app)
    const began = performance.now()
    for (let at = 0; at < 100; at++) {
      app.tools.add(`more-${at}`, quiet)
      if (at % 10 === 0) await new Promise((resolve) => setTimeout(resolve, 1))
    }
    app.resources.remove('note')
    await t.hear(changed('resources'))
    const announcements = t.heard(changed('tools')).length
    expect(announcements).toBeGreaterThanOrEqual(1)
    // At least 10 ms lie between two of them, or 9 by a clock that counts whole ones; on a busy machine there is time for more.
    expect(announcements).toBeLessThanOrEqual(2 + (performance.now() - began) / 9)
    // The last announcement covers the last change.
    expect((await t.request('tools/list')).tools).toHaveLength(101)
  })

  it('CHG-003 are not announced to clients that cannot see the changed tool', async () => {
    const app = made()
    await using outsider = await listening(app)
    await using insider = await listening(app, ['spy'])
    app.tools.add('spy', spy)
    app.resources.add('secret', resource({ uri: 'secret://1', scopes: ['spy'], read: () => 'x' }))
    app.prompts.add('secret', prompt({ scopes: ['spy'], run: () => 'x' }))
    const lists = ['tools', 'resources', 'prompts'].map(changed)
    await expect.poll(() => lists.map((list) => insider.heard(list).length)).toEqual([1, 1, 1])
    expect(lists.map((list) => outsider.heard(list).length)).toEqual([0, 0, 0])
  })

  it('CHG-003 are announced to clients that saw a removed tool, or see a new one', async () => {
    const app = made()
    await using outsider = await listening(app)
    app.tools.replace('quiet', spy)
    await expect.poll(() => outsider.heard(changed('tools'))).toHaveLength(1)
  })

  it('CHG-003 are announced to clients that see one of the named tools, and to no others', async () => {
    const app = made()
    app.tools.add('spy', spy)
    await using outsider = await listening(app)
    await using insider = await listening(app, ['spy'])
    app.prompts.remove('hello')
    for (const t of [outsider, insider]) await t.hear(changed('prompts'))
    const before = [outsider, insider].map((t) => t.heard(changed('tools')).length)
    const since = () => [outsider, insider].map((t, at) => t.heard(changed('tools')).length - (before[at] ?? 0))
    app.tools.announce(['spy'])
    await expect.poll(since).toEqual([0, 1])
    expect(app.tools.names).toContain('spy')
  })

  it('CHG-003 are not announced if nothing has changed', async () => {
    const app = made()
    await using t = await listening(app)
    app.tools.enable('quiet')
    expect(() => app.tools.add('quiet', quiet)).toThrow()
    expect(() => app.tools.remove('absent')).toThrow()
    app.resources.remove('note')
    await t.hear(changed('resources'))
    expect(t.heard(changed('tools'))).toEqual([])
  })
})

describe.each(since('2026-07-28'))('Changes at %s', (revision) => {
  it('CHG-002 are announced to subscribers under the id of their subscription, and to no others', async () => {
    const app = made()
    await using silent = await judged(app, { revision })
    await using t = await judged(app, { revision })
    void t.request('subscriptions/listen', { notifications: { toolsListChanged: true } })
    await t.hear('notifications/subscriptions/acknowledged')
    const { id } = t.frames[0]?.message ?? {}
    app.tools.add('more', quiet)
    await t.hear(changed('tools'))
    const params = { _meta: { 'io.modelcontextprotocol/subscriptionId': id } }
    expect(t.heard(changed('tools'))).toEqual([{ jsonrpc: '2.0', method: changed('tools'), params }])
    expect(silent.heard()).toEqual([])
  })
})

it.each(until('2025-11-25'))('a client that is not yet initialized receives nothing, at %s', async (revision) => {
  const { Pipe } = await import('../pipe.js')
  const app = made()
  const pipe = new Pipe(app)
  await pipe.ask('initialize', { protocolVersion: revision, capabilities: {}, clientInfo: { name: 'c', version: '1' } })
  await using other = await judged(app, { revision })
  app.tools.add('more', quiet)
  await other.hear(changed('tools'))
  expect(pipe.texts).toHaveLength(1)
})
