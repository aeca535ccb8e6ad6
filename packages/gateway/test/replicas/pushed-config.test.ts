// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the text contains a variable of a config
// Gateways without a config file follow the versions that people push into the database that they share.
import { existsSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type PostgresServer, postgresFound, postgresServer } from '../../../toolwire/test/postgres-server.js'
import type { Gateway } from '../../src/lifecycle/start-gateway.js'
import { configPlace, keys, notes, replica, rules, written } from '../support/config-replicas.js'
import { inDatabase, newPostgresStore } from '../support/postgres-stores.js'
import { toolwire } from '../support/run-program.js'
import { ask, client, credentialsFor, folder, words } from '../support/running-gateway.js'

async function metrics(gateway: Gateway): Promise<string[]> {
  const answer = await fetch(`http://127.0.0.1:${gateway.port}/metrics`, { headers: credentialsFor(gateway) })
  return (await answer.text()).split('\n').filter((line) => line.startsWith('toolwire_config_'))
}

describe.skipIf(!postgresFound)('a config in the database', () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await postgresServer()
  })
  afterAll(() => server.close())

  it('is in force on all replicas without a restart, with its rules, and so is a restored older version', async () => {
    const at = await configPlace(server)
    const [one, two] = [await replica(at), await replica(at)]
    const inForce = async () => (await at.history()).versions[0]
    const replicas = () => at.run('replicas')
    expect((await replicas()).stdout.match(/none yet/g)).toHaveLength(2)
    expect(await at.push('allow', '--note', 'the first')).toMatchObject({
      code: 0,
      stdout: 'Version 1 adds servers: notes\nVersion 1 changes settings: policy\n',
      stderr: expect.stringContaining('Version 1 is pushed'),
    })
    await expect.poll(async () => (await inForce()).inForceAt).toHaveLength(2)
    expect(await inForce()).toMatchObject({ version: 1, note: 'the first', by: expect.stringContaining('@') })
    for (const { writes } of [one, two]) expect(await writes()).toBe('written: hi')
    const pid = async () => words(await (await client(two.gateway.url)).call('notes__pid'))
    const before = await pid()

    expect(await at.push('deny', '--base', '1')).toMatchObject({ code: 0, stdout: 'Version 2 changes settings: policy\n' })
    await expect.poll(async () => (await inForce()).inForceAt).toHaveLength(2)
    for (const { log, writes } of [one, two]) {
      expect(await writes()).toMatch(/is not allowed/)
      expect(log).toContain('Version 2 of the config is in force')
    }
    // The servers were not restarted.
    expect(await pid()).toBe(before)
    expect((await replicas()).stdout.match(/version 2 /g)).toHaveLength(2)

    const back = await at.run('config', 'rollback')
    expect(back).toMatchObject({ code: 0, stderr: expect.stringContaining('Version 3 has the content of version 1') })
    await expect.poll(async () => (await inForce()).inForceAt).toHaveLength(2)
    for (const { writes } of [one, two]) expect(await writes()).toBe('written: hi')
    expect((await at.run('config', 'history')).stdout).toMatch(
      /^VERSION +PUSHED.*\n3 .* 2 of 2 +version 1 again\n2 .*\n1 .* the first\n$/,
    )
    // A replica that starts later has the version from its start.
    const three = await replica(at)
    expect(await three.writes()).toBe('written: hi')

    expect(await at.recorded('push-config')).toMatchObject([
      { by: 'operator', version: 1, note: 'the first' },
      { by: 'operator', version: 2, hash: expect.stringMatching(/^[0-9a-f]{64}$/), author: expect.stringContaining('@') },
    ])
    expect(await at.recorded('roll-back-config')).toMatchObject([{ by: 'operator', version: 3, restores: 1 }])
    const changes = (await at.recorded('change-config')).filter(({ version }) => version === 2)
    expect(changes).toMatchObject([1, 2].map(() => ({ by: 'toolwire', from: 'database', settings: ['policy'] })))
  })

  it('is refused if it is invalid or cannot work on every replica, and is not stored', async () => {
    const at = await configPlace(server)
    const refused = async (text: string, why: RegExp) => {
      at.write('mcp.json', text)
      const { code, stderr } = await at.push('allow', '--as-it-is')
      expect(stderr).toMatch(why)
      expect(code).toBe(2)
    }
    await refused('{ "mcpServers": {}, "toolwire": { "prot": 1 } }', /mcp\.json:1: \/toolwire\/prot.*did you mean/)
    await refused('{ "mcpServers": { "a": {} } }', /mcp\.json:1: \/mcpServers\/a: this server has neither a `command`/)
    await refused(
      '{\n "toolwire": {\n "store": "postgres://a/b",\n "dataDir": "/d" } }',
      /mcp\.json:3: .*TOOLWIRE_STORE[\s\S]*mcp\.json:4: /,
    )
    await refused(written({ import: ['cursor'] }), /\/toolwire\/import: files of other programs/)
    await refused(written({ retention: { records: 5 } }), /set days instead/)
    await refused(written({}, { command: './server.js' }), /\/command: is relative to this file/)
    await refused(written({}, { command: 'node', args: ['../server.js'] }), /\/args\/0: is relative to this file/)
    await refused(written({}, { command: 'node', args: ['${workspaceFolder}/s.js'] }), /\/args\/0: is relative to this file/)
    await refused(written({}, { ...notes, cwd: 'here' }), /\/cwd: is relative to this file/)
    await refused(written({}, { ...notes, env: { ROOT: '${workspaceFolder}/x' } }), /\/env\/ROOT: is relative to this file/)
    await refused(written({}, { ...notes, env: { API_TOKEN: 'abcdef' } }), /\/env\/API_TOKEN: is a secret in plain text/)
    await refused(
      written({}, { url: 'https://a.example/mcp', headers: { Authorization: 'Bearer abc' } }),
      /is a secret in plain text/,
    )
    await refused(written({}, { command: 'a', args: ['--api-key', 'abcdef'] }), /\/args\/1: is a secret in plain text/)
    await refused(written({ webhook: { url: 'https://a.example', secret: 'sixteen letters or more' } }), /webhook\/secret: is a/)
    await refused(written({}, { command: 'a', args: ['--api-key=abcdef'] }), /\/args\/0: is a secret in plain text/)
    await refused(written({}, { command: 'a', args: ['--password', 'Summer: sunny'] }), /\/args\/1: is a secret in plain text/)
    at.write('mcp.json', written())
    expect(await at.push('alow', '--as-it-is')).toMatchObject({ code: 2, stderr: expect.stringMatching(/rules\.json.*decision/) })
    expect(await at.history()).toEqual({ versions: [], troubles: [] })
    expect((await at.run('config', 'show')).stderr).toContain('No config was pushed yet')
    expect((await at.run('config', 'rollback')).stderr).toContain('no such version')
    const settings = { witness: { to: '/var/lib/heads' }, webhook: { url: 'https://a.example', secret: '${env:HOOK_SECRET}' } }
    const env = { TOKEN_LIMIT: '100000', API_TOKEN: '${env:API_TOKEN}' }
    at.write('mcp.json', written(settings, { ...notes, cwd: '/srv', env }))
    const fine = await at.push('allow', '--as-it-is')
    expect(fine).toMatchObject({ code: 0, stderr: expect.stringContaining('Replicas need this: ') })
    expect((await at.run('config', 'show')).stdout).toBe(`${written(settings, { ...notes, cwd: '/srv', env })}\n`)
    expect((await at.run('config', 'show', '1', '--policy')).stdout).toBe(`${rules('allow')}\n`)
  })

  it('is not copied to a data directory, and the copy names the commands that save it', async () => {
    const at = await configPlace(server)
    await at.push('allow')
    const copied = await at.run('store', 'copy', '--from', at.env.TOOLWIRE_STORE ?? '', '--data-dir', 'alone')
    expect(copied).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('toolwire config show > mcp.json && toolwire config show --policy > rules.json. Start'),
    })
    expect((await at.run('config', 'show')).stdout).toBe(`${written()}\n`)
  })

  it('is not pushed over a version that its author has not seen, and not twice', async () => {
    const at = await configPlace(server)
    expect(await at.push('allow', '--dry-run')).toMatchObject({ code: 0, stderr: expect.stringContaining('Nothing was pushed') })
    expect((await at.history()).versions).toEqual([])
    const keyless = { ...at.env, TOOLWIRE_VAULT_KEY: undefined }
    expect(
      await toolwire(['config', 'push', join(String(at.env.HOME), 'mcp.json')], { env: keyless, cwd: folder() }),
    ).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Set TOOLWIRE_VAULT_KEY as for the gateway, or name'),
    })
    expect((await at.push('allow')).code).toBe(0)
    expect(await at.push('allow')).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^Nothing to push: version 1 has the content of .*mcp\.json\n$/),
    })
    expect(await at.push('deny')).toMatchObject({ code: 1, stderr: expect.stringMatching(/has version 1, of .* by .*--base 1/) })
    const both = await Promise.all([at.push('deny', '--base', '1'), at.push('deny', '--base', '1')])
    expect(both.map(({ code }) => code).sort()).not.toEqual([1, 1])
    expect((await at.history()).versions).toHaveLength(2)
    expect((await at.push('ask', '--base', '1')).code).toBe(1)
    expect((await at.push('ask', '--base', 'newest')).code).toBe(0)
    // The last content again, so that there is nothing to push.
    for (const wrong of [
      ['--base', 'x'],
      ['--note', 'n'.repeat(501)],
    ])
      expect(await at.push('ask', ...wrong)).toMatchObject({ code: 2, stderr: expect.stringContaining(String(wrong[0])) })
    expect((await at.run('config', 'rollback', '3')).stderr).toContain('Nothing to do: version 3 has')
    expect((await at.run('config', 'rollback', '1', '--json')).stdout).toMatch(/"version": ?4/)
  })

  it('that a replica cannot apply leaves the previous one in force there, with a visible reason', async () => {
    const at = await configPlace(server)
    await at.push('deny')
    const [one, two] = [await replica(at, { NEEDED: 'notes__*' }), await replica(at)]
    at.write('mcp.json', written({ sets: { mine: ['${env:NEEDED}'] } }))
    expect((await at.push('allow', '--as-it-is', '--base', '1')).stderr).toMatch(/Replicas need this: .*NEEDED/)
    await expect.poll(async () => (await at.history()).versions[0].inForceAt).toHaveLength(1)
    await expect
      .poll(async () => (await at.history()).troubles)
      .toMatchObject([{ why: expect.stringMatching(/^config version 2, mcp\.json:1: .*\$\{env:NEEDED\} is not set/) }])
    expect(await one.writes()).toBe('written: hi')
    expect(await two.writes()).toMatch(/is not allowed/)
    expect(two.gateway.config.version).toBe(1)
    expect(two.gateway.health().troubles.join()).toMatch(/^config: config version 2, .*; version 1 is in force$/)
    expect(two.log.join('\n')).toMatch(/config version 2.*; version 1 is in force/)
    expect((await at.run('replicas')).stdout).toMatch(/version 1, not the newest/)
    expect(await at.doctor({ NEEDED: 'notes__*' })).toMatch(
      /version 2 of the database, with 1 server\b[\s\S]*doubtful +replicas: .* has version 1 of the config in force instead of version 2: /,
    )
    expect(await at.doctor()).toMatch(
      /wrong +config: config version 2, mcp\.json:1: .* starts with version 1\nfine +config: version 1 of the database/,
    )
    expect((await at.push('deny', '--base', '2')).code).toBe(0)
    await expect.poll(async () => (await at.history()).versions[0].inForceAt).toHaveLength(2)
    expect((await at.history()).troubles).toEqual([])
    expect(two.gateway.health().troubles).toEqual([])
  })

  it('that cannot be applied does not prevent a start: the newest usable version is in force, with a message', async () => {
    const at = await configPlace(server)
    const url = String(at.env.TOOLWIRE_STORE)
    const given = { vaultKey: keys.TOOLWIRE_VAULT_KEY, auditKey: keys.TOOLWIRE_AUDIT_KEY }
    const store = await newPostgresStore(url, given)
    // A newer program may write settings that this one does not know.
    const add = (base: number, settings: object, decision = 'deny') =>
      store.fleet?.configs.add({
        ...{ base, by: 'a newer program' },
        content: { config: { name: 'mcp.json', text: written(settings) }, policy: { name: 'rules.json', text: rules(decision) } },
      })
    await add(0, { unheardOf: true })
    await expect(replica(at)).rejects.toThrow(/^config version 1, mcp\.json:1: \/toolwire\/unheardOf/)
    await add(1, { port: 0 })
    await add(2, { port: 0 }, 'perhaps')
    const busy = createServer()
    await new Promise<void>((resolve) => busy.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void busy.close())
    const { port } = busy.address() as AddressInfo // it listens on TCP
    await add(3, { port })
    await add(4, { port: 0, sets: { mine: ['${env:NEEDED}'] } })
    await add(5, { unheardOf: true }, 'allow')
    const one = await replica(at, {}, {})
    expect(one.gateway.config.version).toBe(2)
    expect(await one.writes()).toMatch(/is not allowed/)
    const why = /config version 6, mcp\.json:1: \/toolwire\/unheardOf.*; version 2 is in force/
    expect(one.gateway.health()).toMatchObject({ status: 'degraded', troubles: [expect.stringMatching(why)] })
    expect((await fetch(`http://127.0.0.1:${one.gateway.port}/readyz`)).status).toBe(200)
    expect(one.log.filter((line) => why.test(line))).toHaveLength(1)
    await expect.poll(async () => (await at.run('replicas')).stdout).toMatch(/version 2, not the newest/)
    expect(await metrics(one.gateway)).toEqual(['toolwire_config_version 2', 'toolwire_config_newest_version 6'])
    expect((await at.run('replicas')).stderr).toMatch(
      /has version 2 of the config in force instead of version 6: config version 6/,
    )
    expect((await at.run('config', 'history')).stderr).toMatch(/has version 2 of the config in force instead of version 6: /)
    expect((await ask(one.gateway, '/status')).body).toMatchObject({ configVersion: { inForce: 2, newest: 6 } })
    // With the variable set, a newer version can be applied.
    const two = await replica(at, { NEEDED: 'notes__*' })
    expect(two.gateway.config.version).toBe(5)
    expect(await at.doctor()).toMatch(/wrong +config: config version 6, .* starts with version /)

    // A forged version, written without the keys, does not prevent a start either.
    await inDatabase(
      url,
      `INSERT INTO toolwire.config_versions (version, author, hash, content, seal)
       SELECT 7, author, md5('other'), content, seal FROM toolwire.config_versions WHERE version = 2`,
    )
    const three = await replica(at, { NEEDED: 'notes__*' })
    expect(three.gateway.config.version).toBe(5)
    expect(three.gateway.health().troubles).toMatchObject([expect.stringContaining('Version 7 of the config was changed')])

    // The next usable version repairs all replicas.
    expect((await at.push('allow', '--base', '7')).code).toBe(0)
    for (const { gateway, writes } of [one, two, three]) {
      await expect.poll(() => gateway.config.version).toBe(8)
      await expect.poll(() => gateway.health().troubles).toEqual([])
      expect(await writes()).toBe('written: hi')
    }
    await expect.poll(async () => (await at.run('replicas')).stdout).not.toContain('not the newest')
    expect((await at.history()).troubles).toEqual([])
  })

  it('with a server that cannot be started is in force, and the other servers are served', async () => {
    const at = await configPlace(server)
    const servers = { notes, absent: { command: '/nowhere/to/be/found' } }
    at.write('mcp.json', JSON.stringify({ mcpServers: servers, toolwire: { policy: 'rules.json' } }))
    expect((await at.push('allow', '--as-it-is')).code).toBe(0)
    const one = await replica(at)
    expect(one.gateway.config.version).toBe(1)
    expect(await one.writes()).toBe('written: hi')
    await expect.poll(() => one.gateway.health().troubles.join()).toMatch(/^server absent: /)
  })

  it('is applied whole or not at all, and only if it was pushed with the keys of the replicas', async () => {
    const at = await configPlace(server)
    await at.push('deny')
    const one = await replica(at)
    const given = { vaultKey: keys.TOOLWIRE_VAULT_KEY, auditKey: keys.TOOLWIRE_AUDIT_KEY }
    const store = await newPostgresStore(String(at.env.TOOLWIRE_STORE), given)
    const add = (base: number, decision: string, settings = {}) =>
      store.fleet?.configs.add({
        ...{ base, by: 'a newer program' },
        content: { config: { name: 'mcp.json', text: written(settings) }, policy: { name: 'rules.json', text: rules(decision) } },
      })
    // The servers of this version are usable, its rules are not.
    await add(1, 'perhaps', { sets: { all: ['*'] } })
    await expect
      .poll(async () => (await at.history()).troubles)
      .toMatchObject([{ why: expect.stringMatching(/^config version 2.*rules\.json/) }])
    expect(one.gateway.config).toMatchObject({ version: 1, sets: {} })
    expect(await one.writes()).toMatch(/is not allowed/)
    await add(2, 'deny', { sets: { all: ['*'] } })
    await expect.poll(() => one.gateway.config.version).toBe(3)
    expect(one.gateway.config.sets).toEqual({ all: ['*'] })
    await inDatabase(
      String(at.env.TOOLWIRE_STORE),
      `INSERT INTO toolwire.config_versions (version, author, hash, content, seal)
       SELECT 4, author, md5('other'), replace(content, 'deny', 'allow'), seal FROM toolwire.config_versions WHERE version = 3`,
    )
    await expect.poll(() => one.log.join('\n')).toMatch(/Version 4 of the config was changed in the database/)
    expect(one.gateway.config.version).toBe(3)
    expect(await one.writes()).toMatch(/is not allowed/)
    // Another push repairs the replica.
    expect((await at.push('allow', '--base', '4')).code).toBe(0)
    await expect.poll(() => one.gateway.config.version).toBe(5)
    await expect.poll(() => one.gateway.health().troubles).toEqual([])
    expect(await one.writes()).toBe('written: hi')
    expect(await at.run('config', 'rollback', '4')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Version 4 of the config was changed'),
    })
    expect((await at.run('config', 'rollback', '3')).code).toBe(0)
    await expect.poll(() => one.gateway.config.version).toBe(6)
    // A version with another text counts as new, even with the same meaning.
    at.write('mcp.json', `${written({ sets: { all: ['*'] } })}\n`)
    expect(await at.push('deny', '--as-it-is', '--base', '6')).toMatchObject({ code: 0, stdout: '' })
    await expect.poll(async () => (await at.history()).versions[0].inForceAt).toHaveLength(1)
  })

  it('that was found and not named is pushed only once it is accepted, with its rules, and its file is named', async () => {
    const at = await configPlace(server)
    at.write('mcp.json', written())
    at.write('rules.json', rules('deny'))
    for (const options of [[], ['--dry-run'], ['--base', 'newest']])
      expect(await at.run('config', 'push', ...options)).toMatchObject({
        code: 2,
        stdout: '',
        stderr: expect.stringMatching(/mcp\.json was found, not named, .* accept it: toolwire trust .*config push .*mcp\.json/),
      })
    expect((await at.run('trust', '--yes')).code).toBe(0)
    const file = expect.stringMatching(/^\/.*mcp\.json$/)
    expect(JSON.parse((await at.run('config', 'push', '--json')).stdout)).toMatchObject({ version: 1, file })
    expect((await at.run('config', 'show', '--policy')).stdout).toBe(`${rules('deny')}\n`)
    at.write('rules.json', rules('allow'))
    expect((await at.run('config', 'push', '--base', '1')).stderr).toContain('was found, not named')
    const named = { env: { ...at.env, TOOLWIRE_CONFIG: 'mcp.json' }, cwd: String(at.env.HOME) }
    expect(await toolwire(['config', 'push', '--base', '1'], named)).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/Version 2 is pushed, with the content of \/.*mcp\.json\. /),
    })
  })

  it('that others wrote into the table is run by no command, printed by none, and compared with nothing', async () => {
    const at = await configPlace(server)
    await at.push('deny')
    const marker = join(folder(), 'was-run')
    const forged = JSON.stringify({ mcpServers: { evil: { command: '/usr/bin/touch', args: [marker] } } })
    await inDatabase(
      String(at.env.TOOLWIRE_STORE),
      `INSERT INTO toolwire.config_versions (version, author, hash, content, seal) VALUES (2, 'ada@desk', md5('x'), $1, md5('x'))`,
      [JSON.stringify({ config: { name: 'mcp.json', text: forged } })],
    )
    const doctor = (more = {}) => toolwire(['doctor'], { env: { ...at.env, ...more }, cwd: folder() })
    expect((await doctor()).stdout).toMatch(
      /wrong +config: .*Version 2 of the config was changed.* starts with version 1\nfine +config: version 1 of the database/,
    )
    const wrong = { TOOLWIRE_VAULT_KEY: 'ab'.repeat(32) }
    expect((await doctor(wrong)).stdout).toMatch(
      /wrong +config: .*does not have the key that opens the sealed data[\s\S]*wrong +store: .*does not have the key/,
    )
    expect(existsSync(marker)).toBe(false)
    const changed = expect.stringContaining('Version 2 of the config was changed')
    expect(await at.run('config', 'show')).toMatchObject({ code: 1, stdout: '', stderr: changed })
    expect(await toolwire(['config', 'show', '1'], { env: { ...at.env, ...wrong }, cwd: folder() })).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('TOOLWIRE_VAULT_KEY'),
    })
    expect((await at.run('config', 'history')).stdout).toMatch(/^2 .* not pushed with the key of these gateways$/m)
    expect((await at.history()).versions).toMatchObject([{ version: 2, isSealBroken: true }, { version: 1 }])
    expect(await at.history()).not.toHaveProperty('unchecked')
    const keyless = (...more: string[]) =>
      toolwire(['config', 'history', ...more], { env: { ...at.env, ...wrong }, cwd: folder() })
    const unchecked = expect.stringContaining('The seals of the versions were not checked')
    expect(await keyless()).toMatchObject({ code: 0, stderr: unchecked })
    expect(JSON.parse((await keyless('--json')).stdout)).toMatchObject({ unchecked })
    expect(await at.push('allow', '--base', '2', '--dry-run')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Version 3 adds servers: notes\n'),
      stderr: expect.stringContaining('Version 2 was not pushed with the key of these gateways'),
    })
    expect(JSON.parse((await at.run('config', 'rollback', '--json')).stdout)).toMatchObject({
      ...{ version: 3, restores: 1, warnings: [expect.stringContaining('Version 2 was not pushed with the key')] },
    })
  })

  it('is what its gateway is said to serve, where another config is checked', async () => {
    const at = await configPlace(server)
    await at.push('deny')
    const { gateway } = await replica(at)
    const env = { ...at.env, TOOLWIRE_DATA_DIR: gateway.config.dataDir, TOOLWIRE_URL: gateway.url.replace('/mcp', '') }
    const doctor = async (cwd: string) => (await toolwire(['doctor', '--offline'], { env, cwd })).stdout
    const report = await doctor(String(at.env.HOME))
    expect(report).toMatch(
      /serves the config in its database, but this checks .*mcp\.json\. .*push this one with toolwire config push/,
    )
    expect(report).not.toContain('Restart it')
    expect(await doctor(folder())).not.toContain('serves the config')
  })

  it('is not used by a gateway with a file, which logs that; and cannot be edited at a replica', async () => {
    const at = await configPlace(server)
    await at.push('deny')
    const path = join(folder(), 'own.json')
    writeFileSync(path, JSON.stringify({ mcpServers: { notes } }))
    const own = await replica(at, { TOOLWIRE_CONFIG: path })
    expect(own.log).toContain(`The config is the file ${path}. The config in the database is not used here`)
    expect(own.gateway.config).toMatchObject({ source: path })
    expect((await at.run('replicas')).stdout).toMatch(/ file /)
    expect(await metrics(own.gateway)).toEqual([])
    const { gateway } = await replica(at)
    const view = (await ask(gateway, '/policy')).body
    expect(view).toMatchObject({ file: 'rules.json', text: rules('deny') })
    const saved = await ask(gateway, '/policy', { method: 'PUT', body: { text: rules('allow'), version: view.version } })
    expect(saved).toMatchObject({ status: 409, body: { error: expect.stringContaining('toolwire config push') } })
    expect((await ask(gateway, '/status')).body).toMatchObject({ config: { version: 1, policy: 'rules.json' } })
  })
})
