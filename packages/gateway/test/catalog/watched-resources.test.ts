// Callers watch a resource, and hear of its updates from the server that it is read from.
import { expect, it } from 'vitest'
import { child, client, gateway, program, upstream } from '../support/upstream-fixture.js'

it.each([
  '2025-11-25',
  '2026-07-28',
])('an update below a watched resource is reported for that resource, in %s', async (revision) => {
  const { url } = await gateway([upstream('folder', child(program('folder-server.mjs')))])
  const one = await client(url, { revision })
  const changed = new Promise((resolve) => one.onChange((change) => change.kind === 'resource' && resolve(change)))
  await one.watch('dir:1')
  expect(await changed).toEqual({ kind: 'resource', uri: 'dir:1' })
})
