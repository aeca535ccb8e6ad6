// Commands find the credential of a gateway of this account, and send it to no other.
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { describe, expect, it, onTestFinished } from 'vitest'
import { localTokenFor } from '../../src/cli/api/local-token.js'
import { loginNamesIn } from '../../src/cli/doctor/check-callers.js'
import { readManagementToken, writeManagementToken } from '../../src/store/management-token.js'
import old from '../store/old-directory.json' with { type: 'json' }
import { runningGateway } from '../support/cli-gateway.js'
import { commandHere } from '../support/command-here.js'
import { clean, folder, toolwire } from '../support/run-program.js'
import { started } from '../support/running-gateway.js'

function place(): string {
  const folder = mkdtempSync(join(tmpdir(), 'toolwire-token-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

describe('the token in the data directory', () => {
  it('is readable only for this account, and changes at each start', async () => {
    const dataDir = join(place(), 'data')
    const tokens = new Set<string>()
    for (let start = 0; start < 3; start++) {
      const gateway = await started({ dataDir })
      const found = readManagementToken(dataDir)
      expect(found).toEqual({
        token: expect.stringMatching(/^twm_[\w-]{43}$/),
        origin: `http://127.0.0.1:${gateway.port}`,
        places: { source: '/nowhere/mcp.json', found: false, dataDir, port: 0 },
      })
      tokens.add(found?.token ?? '')
      const file = join(dataDir, 'management.token')
      if (process.platform !== 'win32')
        expect([statSync(file).mode & 0o777, statSync(dataDir).mode & 0o777]).toEqual([0o600, 0o700])
      await gateway.close({ drainMs: 0 })
    }
    expect(tokens.size).toBe(3)
  })

  it('is stored beside the rules in force', async () => {
    const home = place()
    const policy = join(home, 'policy.yaml')
    writeFileSync(policy, 'rules: []')
    const gateway = await started({ dataDir: join(home, 'data') })
    const { dataDir } = gateway.config
    expect(readManagementToken(dataDir)?.places).not.toHaveProperty('policy')
    const { token } = readManagementToken(dataDir) ?? {}
    await gateway.change({ ...gateway.config, policy, port: 4181, dataDir: join(home, 'later') })
    expect(readManagementToken(dataDir)).toMatchObject({ token, places: { policy, port: 0, dataDir } })
  })

  it('is sent to the address of its gateway, and to no other', () => {
    const home = place()
    const dataDir = join(home, '.local/share/toolwire')
    mkdirSync(dataDir, { recursive: true })
    const env = { HOME: home, TOOLWIRE_DATA_DIR: dataDir }
    const token = `twm_${'x'.repeat(43)}`
    const shown = (origin: string, url: string) => {
      writeManagementToken(dataDir, { token, origin })
      return localTokenFor(url, env)?.url
    }
    const here = 'http://127.0.0.1:4180'
    expect(shown(here, here)).toBe(here)
    // The name may resolve to another address with another listener.
    expect(shown(here, 'http://localhost:4180')).toBe(here)
    expect(shown('http://[::1]:4180', 'http://localhost:4180')).toBe('http://[::1]:4180')
    const others = [
      'http://127.0.0.1:4181',
      'http://[::1]:4180',
      'http://127.0.0.2:4180',
      'https://127.0.0.1:4180',
      'http://127.0.0.1',
    ]
    for (const url of [
      ...others,
      'http://gateway.example:4180',
      'http://localhost.example:4180',
      'http://127.0.0.1.example:4180',
    ])
      expect([url, shown(here, url)]).toEqual([url, undefined])
    expect(shown('http://gateway.example:4180', 'http://gateway.example:4180')).toBeUndefined()
  })

  it('is found by every command of the same account, wherever the data is, and by none of another account', async () => {
    const gateway = await runningGateway()
    onTestFinished(async () => void (await gateway.stop()))
    expect(gateway.env.TOOLWIRE_DATA_DIR).toBeUndefined()
    const pointers = join(gateway.path, '.local/share/toolwire/gateways')
    expect(readdirSync(pointers)).toEqual([new URL(gateway.url).port])
    const verbs = [['status'], ['pins'], ['pending'], ['keys', 'list'], ['audit'], ['console']]
    using other = folder()
    const stranger = { ...clean(other.path), TOOLWIRE_URL: gateway.url }
    for (const words of verbs) {
      expect([words, (await toolwire(words, { env: gateway.env })).code]).toEqual([words, 0])
      const { code, stderr } = await commandHere(words, { env: stranger })
      expect([words, code, stderr]).toEqual([words, 3, expect.stringMatching(/management\.token.*TOOLWIRE_DATA_DIR/s)])
    }
  })
})

describe('a data directory of the previous version', () => {
  it('opens, reports once the new requirement for managers, and keeps its keys and log', async () => {
    using files = folder({ 'mcp.json': '{ "mcpServers": {} }', 'policy.yaml': 'rules: []' })
    const dataDir = join(files.path, 'data')
    mkdirSync(dataDir)
    for (const [name, packed] of Object.entries(old.files))
      writeFileSync(join(dataDir, name), gunzipSync(Buffer.from(packed, 'base64')), { mode: 0o600 })
    const note = /New in this version: managing the gateway needs a credential.*management\.token/g
    for (const times of [1, 0]) {
      const gateway = await runningGateway({}, files.path)
      const { code, stdout } = await commandHere(['audit', 'verify'], { env: gateway.env })
      expect([code, stdout]).toEqual([0, expect.stringContaining('16')])
      expect(await gateway.stop()).toBe(0)
      expect([...gateway.stderr().matchAll(note)]).toHaveLength(times)
    }
  })

  it('is distinguished from a new one', async () => {
    const gateway = await runningGateway()
    await gateway.stop()
    expect(gateway.stderr()).not.toContain('New in this version')
  })
})

describe('the people of a machine', () => {
  it('are the accounts that can log in', () => {
    const passwd = [
      'root:x:0:0:root:/root:/bin/bash',
      'daemon:x:1:1::/usr/sbin:/usr/sbin/nologin',
      'ada:x:1000:1000:Ada:/home/ada:/bin/bash',
      'bob:x:1001:1001::/home/bob:/usr/bin/zsh',
      'ci:x:1002:1002::/var/ci:/bin/false',
      'build:x:1003:1003::/var/build:',
      'nobody:x:65534:65534:nobody:/nonexistent:/bin/sh',
      'odd line',
      '',
    ]
    expect(loginNamesIn(passwd.join('\n'))).toEqual(['ada', 'bob'])
  })
})
