// A gateway with calls, approvals, rules and audit records, so that no view is empty.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { defaultGuard } from '../../../gateway/src/config/gateway-config.js'
import { ask, client, folder, pending, until } from '../../../gateway/test/support/running-gateway.js'
import { library } from '../exposed/library.js'
import { type Place, place } from '../gateway.js'
import { type View, views } from '../views.js'

const rules = `rules:
  - name: books are not burned
    when: { tool: "*burn" }
    decision: ask
    because: it cannot be undone
  - name: reading
    when: { hints: { readOnly: true } }
    decision: allow
  - name: nobody lends
    when: { tool: "*lend" }
    decision: deny
cases:
  - { call: { tool: library__lend }, expect: deny }
  - { call: { tool: library__burn }, expect: ask }
`

/** A tool with a definition that is not accepted yet. */
const waiting: View = { name: 'waiting', way: 'exposed/library__choose', heading: 'Exposed' }

/** Makes successful and failed calls, a pending one, a denied one and a running one. */
export async function scene(): Promise<{ readonly gateway: Place; readonly ways: readonly View[] }> {
  const policy = join(folder(), 'policy.yaml')
  writeFileSync(policy, rules)
  const guard = { ...defaultGuard, pins: 'strict', rate: { calls: 1_000, per: 'minute' } } as const
  const sets = { reading: ['*echo', '*show'] }
  const gateway = await place({ upstreams: [library()], policy, sets, guard })
  const { control, url } = gateway
  await until(async () => (await control.pins.view()).waiting.length === 6)
  for (const { server, tool, hash } of (await control.pins.view()).waiting)
    if (tool !== 'choose') await control.pins.accept({ server: server ?? '', tool, hash }, 'local')
  const one = await client(url)
  await Promise.all(['one', 'two', 'three'].map((words) => one.call('library__echo', { words })))
  await one.call('library__fail')
  const withProgress = { onProgress: () => undefined }
  one.call('library__wait', {}, withProgress).catch(() => undefined) // the gateway ends this call
  const burn = async () => {
    one.call('library__burn', {}, withProgress).catch(() => undefined) // the gateway ends this call, too
    return (await pending(gateway)).id
  }
  await ask(gateway, `/approvals/${await burn()}`, { body: { decision: 'deny', reason: 'not today' } })
  return { gateway, ways: [...views('library__echo', await burn()), waiting] }
}
