// Rules that stop data of one server from going to another. One of two servers could leak the data of the other.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Client } from 'toolwire/client'
import { describe, expect, it } from 'vitest'
import { crmAndWeb, flowGuard as guard, policy } from '../support/crm-and-web.js'
import { flowSuite } from '../support/flow-suite.js'
import { ask, client, folder, type Started, started, until, words } from '../support/running-gateway.js'

/** A gateway with both servers. */
async function twoServers(policy: string, expected = 4) {
  const { upstreams, leaked } = await crmAndWeb()
  const file = join(folder(), 'policy.yaml')
  writeFileSync(file, policy)
  const gateway = await started({ upstreams, guard, policy: file })
  const one = await client(gateway.url)
  await until(async () => (await names(one)).length === expected)
  const post = (what: string) => one.call('web__post', { text: what }).then(words, (thrown: Error) => thrown.message)
  return { gateway, one, file, post, leaked }
}

const names = async (one: Client) => (await one.listTools({ fresh: true })).map(({ name }) => name)

const policyOf = async (gateway: Started) => (await ask(gateway, '/policy')).body

describe('data from one server', () => {
  it('counts, and the call is recorded as made, even if the server answers that the arguments are invalid', async () => {
    const { gateway, one, post, leaked } = await twoServers(policy())
    expect(await one.request('tools/call', { name: 'crm__read_odd', arguments: {} })).toMatchObject({ isError: true })
    expect(await post('Ada')).toContain('customers are private')
    expect(leaked).toEqual([])
    const { calls } = (await ask(gateway, '/audit?tool=crm__read_odd')).body as { calls: object[] }
    expect(calls).toMatchObject([{ decision: 'allowed', outcome: 'failed', reason: 'invalid-arguments' }])
  })

  it('does not pass to another if a rule denies it, before and after a reload of the rules', async () => {
    const { one, post, leaked, file, gateway } = await twoServers(policy())
    expect(await post('hello')).toBe('1')
    expect(words(await one.call('crm__count'))).toBe('1 client')
    expect(await post('nothing private')).toBe('2')
    const clientData = words(await one.call('crm__read_client'))
    expect(await post(clientData)).toContain('customers are private')
    const { rulesVersion } = await policyOf(gateway)
    writeFileSync(file, `${policy()}  - { name: more, when: { tool: nothing_at_all }, decision: deny, optional: true }\n`)
    await until(async () => (await policyOf(gateway)).rulesVersion !== rulesVersion)
    expect(await post(clientData)).toContain('customers are private')
    expect(leaked).toEqual(['hello', 'nothing private'])
    expect(await names(one)).toContain('web__post')
  })

  it('is not leaked if a label names a missing tool: the tools of that server are withheld', async () => {
    const { one, gateway } = await twoServers(policy('{ server: crm, tool: read_clinet }'), 1)
    expect(await names(one)).toEqual(['web__post'])
    const problem = 'the label "customers": there is no tool "read_clinet" on the server crm; did you mean "read_client"?'
    expect(gateway.health().troubles.join()).toContain(problem)
  })
})

flowSuite(async (config) => [(await started(config)).server])
