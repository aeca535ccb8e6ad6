// Pending calls in the terminal.
import { expect, it, onTestFinished } from 'vitest'
import { type ApiClient, apiClientOf } from '../../src/cli/api/api-client.js'
import { watchPending } from '../../src/cli/approvals/watch-pending.js'
import { client, pending, started } from '../support/running-gateway.js'
import { notes } from '../support/upstream-configs.js'

it('a call that becomes pending between the list and the first event is shown', async () => {
  const gateway = await started({ upstreams: [notes()] })
  const ended = new AbortController()
  onTestFinished(() => ended.abort())
  const api = apiClientOf({
    options: { gateway: `http://127.0.0.1:${gateway.port}` },
    env: { TOOLWIRE_DATA_DIR: gateway.config.dataDir },
    signal: ended.signal,
  })
  const caller = await client(gateway.url)
  const late: ApiClient = {
    ...api,
    open: async (path, asking) => {
      const call = caller.call('notes__write', { text: 'late' }, { onProgress: () => undefined, signal: ended.signal })
      call.catch(() => undefined) // stays undecided
      await pending(gateway)
      return api.open(path, asking)
    },
  }
  for await (const { waiting } of watchPending(late, ended.signal)) {
    expect(waiting).toMatchObject({ arguments: { text: 'late' } })
    return
  }
  expect.unreachable()
})
