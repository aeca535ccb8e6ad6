import { AggregateServers } from '../../catalog/aggregate-servers.js'
import { packageVersion } from '../../lifecycle/version.js'
import { serveHost } from '../../stdio/serve-host.js'
import { Upstream } from '../../upstreams/upstream.js'
import { optionText, type RunCommand, stopped } from '../command.js'
import { gatewayUrl } from '../target/target.js'
import { visibleText } from '../terminal/visible-text.js'

/** The gateway guards and records each call, so the bridge only forwards. */
const unguarded = { audit: false, rateLimit: false, sanitize: false } as const

/** Runs until the host closes stdin. Waits for a gateway that is not running yet, or restarts. */
export const run: RunCommand = async (input, terminal) => {
  const set = optionText(input, 'set')
  const key = input.env.TOOLWIRE_API_KEY
  const url = `${gatewayUrl(input)}/mcp${set === undefined ? '' : `/${encodeURIComponent(set)}`}`
  const onNote = (text: string) => terminal.say(visibleText(text))
  const gateway = new Upstream(
    {
      // The operator's own gateway has already decided which hints to trust.
      ...{ id: 'gateway', disabled: false, lazy: false, trusted: true, tools: {}, prefix: false },
      target: { kind: 'http', url, headers: key ? { authorization: `Bearer ${key}` } : {} },
    },
    { clientInfo: { name: 'toolwire', version: packageVersion }, onNote: (_, text) => onNote(text) },
  )
  const endpoints = new AggregateServers({
    server: { name: 'toolwire', title: 'Toolwire gateway', version: packageVersion, guard: unguarded },
    onNote,
  })
  endpoints.use([gateway], { sets: {} })
  await endpoints.everything.open('eager')
  if (gateway.status.state !== 'ready') onNote(`No gateway answers at ${url} yet: ${gateway.status.why ?? 'waiting for it'}`)
  await Promise.race([serveHost(endpoints.everything.server, true), stopped(input)])
  await endpoints.drain()
  endpoints.close()
  await gateway.close()
}
