// A review of the programs that an import would make the gateway start.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { inTerminal } from '../support/pseudo-terminal.js'
import { clean, folder, toolwire } from '../support/run-program.js'

const long = Array.from({ length: 40 }, (_, at) => `--option-${at}`)
const servers = {
  files: { command: '/opt/tools/server-files', args: [...long, '--api-key', 's3cr3t-of-mine', '/srv/the/very/end'] },
  risky: { command: 'sudo', args: ['server'] },
}

function home() {
  const files = folder()
  mkdirSync(`${files.path}/.cursor`)
  mkdirSync(`${files.path}/work`)
  writeFileSync(`${files.path}/.cursor/mcp.json`, JSON.stringify({ mcpServers: servers }))
  return { ...files, at: { env: clean(files.path), cwd: `${files.path}/work` }, [Symbol.dispose]: files[Symbol.dispose] }
}
const plain = (text: string) => text.replaceAll(/\s+/g, ' ')
const whole = `/opt/tools/server-files ${long.join(' ')} --api-key ••• /srv/the/very/end`

describe('imported servers with commands', () => {
  it('SECC-007 SECC-008 are shown with their whole commands and a warning, and nothing is written after a no', async () => {
    using files = home()
    const screen = inTerminal(['import'], files.at)
    await screen.shows('Copy them?')
    const shown = plain(screen.text)
    expect(shown).toContain('starts these programs on this machine with your rights')
    expect(shown).toContain(whole)
    expect(shown).toContain('! asks for more rights than yours')
    expect(shown).not.toContain('s3cr3t')
    screen.type('n')
    expect(await screen.ended).toBe(3)
    expect(screen.text).toContain('Nothing was written.')
    expect(existsSync(`${files.path}/work/mcp.json`)).toBe(false)
  })

  it('SECC-007 are not copied when the question is closed', async () => {
    using files = home()
    const screen = inTerminal(['import', '--quiet'], files.at)
    await screen.shows('Copy them?')
    expect(plain(screen.text)).toContain(whole)
    screen.type('\u0003')
    expect(await screen.ended).not.toBe(0)
    expect(existsSync(`${files.path}/work/mcp.json`)).toBe(false)
  })

  it('SECC-007 are copied after a yes, and not before', async () => {
    using files = home()
    const screen = inTerminal(['import'], files.at)
    await screen.shows('Copy them?')
    expect(existsSync(`${files.path}/work/mcp.json`)).toBe(false)
    screen.type('y')
    expect(await screen.ended).toBe(0)
    expect(JSON.parse(readFileSync(`${files.path}/work/mcp.json`, 'utf8')).mcpServers).toEqual(servers)
  })

  it('SECC-008 are shown to scripts, too, with what is risky about them', async () => {
    using files = home()
    const { stdout } = await toolwire(['import', '--dry-run'], files.at)
    expect(stdout).toContain(`runs ${whole}\n`)
    expect(stdout).toMatch(/runs sudo server\n.*! asks for more rights/)
  })
})
