// The configs in docs/guides/running-as-a-service.md are accepted by their programs, if those are installed.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'

const page = readFileSync(fileURLToPath(new URL('../guides/running-as-a-service.md', import.meta.url)), 'utf8')
const block = (language: string): string => new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'm').exec(page)?.[1] ?? ''

function written(name: string, text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'toolwire-service-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, name)
  writeFileSync(file, text)
  return file
}

const isInstalled = (program: string): boolean => spawnSync(program, ['--version']).error === undefined

/** The complaints of a program about a file, or an empty text. */
function against(program: string, words: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(program, words, { encoding: 'utf8' })
  return status === 0 ? '' : `${stdout}${stderr}`
}

describe('The service page', () => {
  it.skipIf(!isInstalled('systemd-analyze'))('has a unit that systemd accepts', () => {
    // This machine need not have the program or its user.
    const unit = block('ini').replace('/usr/bin/toolwire', process.execPath).replace('User=toolwire', 'User=root')
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', written('toolwire.service', unit)], { encoding: 'utf8' })
    expect({ status, complaints: stderr.split('\n').filter((line) => line.includes('toolwire.service')) }).toEqual({
      status: 0,
      complaints: [],
    })
  })

  // The config is tested without its certificates, which this machine lacks.
  it.skipIf(!isInstalled('nginx'))('has a config that nginx accepts', () => {
    const server = block('nginx')
      .replace('listen 443 ssl', 'listen 127.0.0.1:44443')
      .replace(/^\s*ssl_.*$/gm, '')
    const file = written(
      'nginx.conf',
      `pid ${tmpdir()}/toolwire-nginx.pid; error_log stderr; events {} http { access_log off; ${server} }`,
    )
    expect(against('nginx', ['-t', '-q', '-c', file])).toBe('')
  })

  it.skipIf(!isInstalled('haproxy'))('has a config that HAProxy accepts', () => {
    const file = written('haproxy.cfg', block('haproxy').replace(/bind :443 ssl crt \S+/, 'bind 127.0.0.1:44443'))
    expect(against('haproxy', ['-c', '-q', '-f', file])).toBe('')
  })

  it.skipIf(spawnSync('caddy', ['version']).error !== undefined)('has a config that Caddy accepts', () => {
    const file = written('Caddyfile', block('caddyfile'))
    expect(against('caddy', ['adapt', '--config', file, '--adapter', 'caddyfile'])).toBe('')
  })
})
