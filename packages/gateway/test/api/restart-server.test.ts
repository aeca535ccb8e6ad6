// A restart of a server through the management API.
import { expect, it, vi } from 'vitest'
import { ask, doneBy, started } from '../support/running-gateway.js'
import { notes } from '../support/upstream-configs.js'

it('is refused for a server that waits for trust, with the command that accepts it, and for an unknown one', async () => {
  const part = { kind: 'server', id: 'found', digest: 'x', lines: [], file: '/work/mcp.json', how: 'toolwire trust' } as const
  const trust = { found: true, known: false, store: '/nowhere/accepted.json', waiting: [part] }
  const gateway = await started({ upstreams: [notes()], trust })
  const restart = (id: string) => ask(gateway, `/servers/${id}/restart`, { body: {} })
  expect(await restart('found')).toMatchObject({
    status: 409,
    body: { error: expect.stringMatching(/^The server found is not accepted yet\. .*toolwire trust/) },
  })
  expect(await restart('absent')).toMatchObject({ status: 404, body: { error: 'There is no server "absent"' } })
  expect(await restart('notes')).toMatchObject({ status: 200, body: { server: { id: 'notes', state: 'ready' } } })
})

it('is refused for a server that is removed while the restart is recorded', async () => {
  const gateway = await started({ upstreams: [notes()] })
  vi.spyOn(gateway.control, 'restart').mockResolvedValue(false)
  expect((await ask(gateway, '/servers/notes/restart', { body: {} })).status).toBe(404)
  expect(await doneBy(gateway)).toMatchObject([{ tool: 'toolwire/restart', outcome: 'failed' }])
})
