// Every revision of callers with every revision of servers through the gateway, on every transport.
import type { Client } from 'toolwire/client'
import { afterAll, beforeAll, describe, it } from 'vitest'
import type { Cell } from './cell.js'
import { type CheckName, checks } from './checks.js'
import { MatrixSetup } from './matrix-setup.js'
import { cellOutcome, writeOutcomes } from './outcomes.js'
import { personNoting } from './person.js'
import { callers, idOf, isTried, isTriedFrom, type Side, servers } from './revisions.js'
import { expectMissingCapability } from './unasked.js'

const setup = new MatrixSetup()
beforeAll(() => setup.open())
afterAll(async () => {
  writeOutcomes()
  await setup.close()
})

/** Questions are only translated if the two sides ask in different ways. */
const isBridge = (caller: Side, server: Side): boolean => caller.revision.asking !== server.revision.asking

for (const caller of callers)
  describe(`GW-003 GW-013 UX-007 a caller of ${caller.name}`, () => {
    const asked: string[] = []
    const mark = `of-${idOf(caller)}`
    let client: Client
    beforeAll(async () => {
      client = await setup.caller(caller, personNoting(asked))
    })
    afterAll(() => client?.close())

    for (const server of servers.filter((one) => isTried(caller, one)))
      it.concurrent(`${isBridge(caller, server) ? 'GW-004 ' : ''}${caller.name} -> ${server.name}`, () =>
        runAll({ caller, server, client, asked, mark }))
  })

for (const caller of callers.filter(({ transport }) => transport === 'HTTP'))
  describe(`a caller of ${caller.name} that cannot be asked`, () => {
    let client: Client
    beforeAll(async () => {
      client = await setup.caller(caller, {})
    })
    afterAll(() => client?.close())

    for (const server of servers.filter((one) => isTriedFrom(caller, one)))
      it(`${isBridge(caller, server) ? 'GW-004 ' : ''}gets an error that says so when ${server.name} would ask`, () =>
        expectMissingCapability({ caller, server, client, asked: [], mark: 'nobody' }))
  })

/** Runs all checks even if some fail, so that the table is complete. */
async function runAll(cell: Cell): Promise<void> {
  const outcome = cellOutcome(cell.caller, cell.server)
  const failures: unknown[] = []
  for (const name of Object.keys(checks) as CheckName[]) {
    try {
      outcome[name] = (await checks[name](cell)) ?? 'ok'
    } catch (thrown) {
      outcome[name] = 'failed'
      failures.push(new Error(`${name}: ${String(thrown)}`, { cause: thrown }))
    }
  }
  if (failures.length === 1) throw failures[0]
  if (failures.length > 1) throw new AggregateError(failures, failures.map(String).join('\n'))
}
