// Callers subscribe to a resource, and receive updates from the server that owns it.
import { setImmediate } from 'node:timers/promises'
import type { Server } from 'toolwire'
import { expect, it } from 'vitest'
import type { UpstreamCatalog } from '../../src/catalog/upstream-catalog.js'
import { watchResources } from '../../src/catalog/watched-resources.js'
import { child, client, gateway, program, upstream } from '../support/upstream-fixture.js'

it.each([
  '2025-11-25',
  '2026-07-28',
])('an update below a subscribed resource is reported for that resource, in %s', async (revision) => {
  const { url } = await gateway([upstream('folder', child(program('folder-server.mjs')))])
  const one = await client(url, { revision })
  const changed = new Promise((resolve) => one.onChange((change) => change.kind === 'resource' && resolve(change)))
  await one.watch('dir:1')
  expect(await changed).toEqual({ kind: 'resource', uri: 'dir:1' })
})

/** Counts lookups and notifications, with a server that owns all URIs. */
function counted(refused: ReadonlySet<string> = new Set(), isPerCaller = false) {
  const uris = new Set<string>()
  const calls = { owners: 0, watched: [] as string[], updated: [] as string[] }
  let wishesChanged = () => {}
  let report: (change: { kind: 'resource'; uri: string }) => void = () => {}
  const watch = async (uri: string) => {
    calls.watched.push(uri)
    if (refused.has(uri)) throw new Error('refused')
    return async () => {}
  }
  const upstream = {
    id: 'one',
    isPerCaller,
    use: async (run: (client: unknown) => unknown) => run({ watch }),
    onChange(listener: typeof report) {
      report = listener
      return () => {}
    },
  }
  const server = {
    watched: {
      uris,
      onChange(listener: () => void) {
        wishesChanged = listener
        return () => {}
      },
    },
    resources: {
      serverOf(uri: string) {
        calls.owners++
        return uri.startsWith('nobody') ? undefined : 'one'
      },
      updated(uri: string) {
        for (const end = performance.now() + 4; performance.now() < end; );
        calls.updated.push(uri)
      },
    },
  }
  const watching = watchResources(server as unknown as Server, [{ upstream } as unknown as UpstreamCatalog], () => {})
  const wish = (...wished: string[]) => {
    for (const uri of wished) uris.add(uri)
    wishesChanged()
  }
  return { calls, watching, uris, wish, report: (uri: string) => report({ kind: 'resource', uri }) }
}

it('the owner of a resource is looked up once, however many callers come and go, and again after a change of the catalog', async () => {
  const { calls, watching, uris, wish } = counted(new Set(['dir:refused']))
  const all = ['dir:refused', 'nobody:1', ...Array.from({ length: 100 }, (_, n) => `dir:${n}`)]
  for (const uri of all) wish(uri)
  for (let n = 0; n < 100; n++) wish()
  await expect.poll(() => calls.watched.length === 101).toBe(true)
  for (let turn = 0; turn < 20; turn++) {
    await setImmediate()
    wish()
  }
  expect([calls.owners, calls.watched.length]).toEqual([102, 101])
  watching.catalogChanged()
  await expect.poll(() => calls.watched.length === 102).toBe(true)
  expect([calls.owners, calls.watched.at(-1)]).toEqual([204, 'dir:refused'])
  uris.clear()
  wish()
  await setImmediate()
  wish('nobody:1', 'dir:1')
  await expect.poll(() => calls.watched.length === 103).toBe(true)
  expect([calls.owners, calls.watched.at(-1)]).toEqual([206, 'dir:1'])
  watching.close()
})

it('an update below many subscribed resources is announced in slices', async () => {
  const { calls, watching, wish, report } = counted()
  const below = (depth: number) => `dir:${'x/'.repeat(depth)}`
  wish(...Array.from({ length: 50 }, (_, depth) => below(depth + 1)))
  await expect.poll(() => calls.watched.length === 50).toBe(true)
  report(below(60))
  report(below(60))
  // Each notification takes four milliseconds, so other work runs before all of them are sent.
  expect(calls.updated.length).toBeLessThan(25)
  await expect.poll(() => calls.updated.length >= 50).toBe(true)
  expect(new Set(calls.updated).size).toBe(50)
  watching.close()
})

it('no resource of a server with a login for each caller is watched with the login of the gateway', async () => {
  const { calls, watching, wish } = counted(new Set(), true)
  wish('dir:1', 'dir:2')
  await expect.poll(() => calls.owners).toBe(2)
  await setImmediate()
  expect(calls.watched).toEqual([])
  watching.close()
})
