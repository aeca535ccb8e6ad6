// Audit records of changes to a config that replicas share: one for each change by a person, and no others.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type PostgresServer, postgresFound, postgresServer } from '../../../toolwire/test/postgres-server.js'
import { configPlace, notes, replica, rules, written } from '../support/config-replicas.js'
import { folder } from '../support/running-gateway.js'

describe.skipIf(!postgresFound)('the start of a replica', () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await postgresServer()
  })
  afterAll(() => server.close())

  type Place = Awaited<ReturnType<typeof configPlace>>
  type Own = { readonly [name: string]: string }

  /** Starts replicas one after the other, each with different local settings and these variables. */
  async function starts(at: Place, more: Own = {}): Promise<void> {
    for (const TOKEN of ['one', 'two']) {
      const own = { TOKEN, TOOLWIRE_LOG_LEVEL: TOKEN === 'one' ? 'info' : 'error', ...more }
      const { gateway } = await replica(at, own, TOKEN === 'one' ? { port: 0 } : { port: 0, host: '127.0.0.2' })
      await gateway.close({ drainMs: 0, delayMs: 0 })
    }
  }
  const changes = async (at: Place) => [...(await at.recorded('change-config')), ...(await at.recorded('change-policy'))]

  // biome-ignore lint/suspicious/noTemplateCurlyInString: the text contains a variable of a config
  const withToken = { ...notes, env: { TOKEN: '${env:TOKEN}' } }

  it('records no change of a config in the database for local differences, and one for a version pushed meanwhile', async () => {
    const at = await configPlace(server)
    at.write('mcp.json', written({}, withToken))
    await at.push('allow', '--as-it-is')
    await starts(at)
    await starts(at)
    expect(await changes(at)).toEqual([])
    at.write('mcp.json', written({ sets: { all: ['*'] } }, { ...withToken, disabled: true }))
    expect((await at.push('deny', '--as-it-is', '--base', '1')).code).toBe(0)
    await starts(at)
    const change = { by: 'toolwire', from: 'start', version: 2, removed: ['notes'], settings: ['sets'] }
    expect(await changes(at)).toMatchObject([change, { by: 'toolwire', from: 'start', rules: 1 }])
    await starts(at)
    expect(await changes(at)).toHaveLength(2)
  })

  it('records each change of a file once, and none when replicas with and without a file alternate', async () => {
    const at = await configPlace(server)
    await at.push('allow')
    const home = folder()
    const [path, policy] = [join(home, 'own.json'), join(home, 'rules.json')]
    writeFileSync(policy, rules('allow'))
    writeFileSync(path, written({}, withToken))
    const file = { TOOLWIRE_CONFIG: path }
    for (const own of [file, {}, file, {}]) await starts(at, own)
    expect(await changes(at)).toEqual([])
    writeFileSync(policy, rules('deny'))
    writeFileSync(path, written({ retention: { days: 9 } }, { ...withToken, args: [...notes.args, 'more'] }))
    for (const own of [{}, file, {}, file]) await starts(at, own)
    expect(await changes(at)).toMatchObject([
      { by: 'toolwire', from: 'start', file: path, changed: ['notes'], settings: ['retention'] },
      { by: 'toolwire', from: 'start', file: policy, rules: 1 },
    ])
  })
})
