// The files of deploy/ name only existing settings, variables, paths and metrics. Their programs accept them, if installed.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { parse } from 'yaml'
import { loadConfig } from '../../packages/gateway/src/config/load-config.js'
import { credentialsFor, started } from '../../packages/gateway/test/support/running-gateway.js'
import { renderTemplate, type Values } from './render-chart.js'

const folder = fileURLToPath(new URL('../', import.meta.url))
const sources = fileURLToPath(new URL('../../packages/gateway/src/', import.meta.url))
const textOf = (name: string): string => readFileSync(join(folder, name), 'utf8')

const templates = readdirSync(join(folder, 'helm/toolwire/templates'))
const values = parse(textOf('helm/toolwire/values.yaml')) as Values & { config: object }
const rendered = templates.map((name) => renderTemplate(textOf(`helm/toolwire/templates/${name}`), values))
const withSpool = renderTemplate(textOf('helm/toolwire/templates/deployment.yaml'), {
  ...values,
  spool: { enabled: true, size: '2Gi' },
})
const deployed = ['Dockerfile', 'compose.yaml', 'haproxy/haproxy.cfg', 'systemd/toolwire@.service', 'README.md']
  .map(textOf)
  .concat(rendered)

const isInstalled = (program: string): boolean => spawnSync(program, ['--version']).error === undefined

function written(name: string, text: string): string {
  const place = mkdtempSync(join(tmpdir(), 'toolwire-deploy-'))
  onTestFinished(() => rmSync(place, { recursive: true, force: true }))
  const file = join(place, name)
  writeFileSync(file, text)
  return file
}

/** The distinct matches of the group in the pattern. */
const named = (texts: readonly string[], pattern: RegExp): string[] =>
  [...new Set(texts.flatMap((text) => [...text.matchAll(pattern)].map((found) => found[1] ?? '')))].sort()

describe('variables of the environment', () => {
  let known: ReadonlySet<string>
  beforeAll(() => {
    const files = readdirSync(sources, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'))
    known = new Set(
      named(
        files.map((name) => readFileSync(join(sources, name), 'utf8')),
        /(TOOLWIRE_[A-Z_]+)/g,
      ),
    )
  })

  it('are read by the gateway', () => {
    const used = named(deployed, /\b(TOOLWIRE_[A-Z_]+)/g)
    expect(used.length).toBeGreaterThan(4)
    expect(used.filter((name) => !known.has(name))).toEqual([])
  })
})

describe('configs', () => {
  const load = (text: string) => {
    const path = written('mcp.json', text)
    return loadConfig({ path, env: {}, cwd: tmpdir(), flags: { host: '0.0.0.0' } })
  }

  it('are accepted by the gateway: the one of compose.yaml', async () => {
    expect((await load(textOf('config/mcp.json'))).callers).toMatchObject({ loopback: false, apiKeys: true })
  })

  it('are accepted by the gateway: the one of the chart', async () => {
    expect((await load(JSON.stringify(values.config))).callers).toMatchObject({ loopback: false, apiKeys: true })
  })
})

describe('paths and metrics', () => {
  it('exist in a running gateway', async () => {
    const gateway = await started()
    const at = (path: string) => fetch(`http://127.0.0.1:${gateway.port}${path}`, { headers: credentialsFor(gateway) })
    const paths = named(deployed, /['"\s`](?:http:\/\/127\.0\.0\.1:4180)?(\/(?:livez|readyz|health|metrics))\b/g)
    expect(paths).toEqual(['/livez', '/metrics', '/readyz'])
    for (const path of paths) expect({ path, status: (await at(path)).status }).toEqual({ path, status: 200 })

    const types = [...(await (await at('/metrics')).text()).matchAll(/^# TYPE (\S+) (\S+)$/gm)]
    const exported = new Set(
      types.flatMap(([, name = '', type]) =>
        type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
      ),
    )
    const dashboard = JSON.parse(textOf('grafana/toolwire.json')) as { panels: { targets: { expr: string }[] }[] }
    const queries = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr))
    const used = named(queries, /\b(toolwire_\w+)/g)
    expect(used.length).toBeGreaterThan(6)
    expect(used.filter((name) => !exported.has(name))).toEqual([])
  })
})

describe('files for other programs', () => {
  it('compose.yaml is valid YAML, with three read-only replicas', () => {
    const { services } = parse(textOf('compose.yaml')) as { services: Record<string, Record<string, unknown>> }
    expect(Object.keys(services)).toEqual(['postgres', 'gateway', 'haproxy'])
    expect(services.gateway).toMatchObject({ read_only: true, deploy: { replicas: 3 }, cap_drop: ['ALL'] })
  })

  it('the image does not run as root', () => {
    const lines = textOf('Dockerfile').split('\n')
    const [user] = lines.filter((line) => line.startsWith('USER '))
    expect(user).toBe('USER 10001:10001')
    expect(lines.findLastIndex((line) => line.startsWith('FROM '))).toBeLessThan(lines.indexOf(user ?? ''))
  })

  it.each(templates)('the chart renders %s', (name) => {
    const text = rendered[templates.indexOf(name)] ?? ''
    expect(text).not.toContain('{{')
    expect(parse(text)).toMatchObject({ kind: expect.any(String), metadata: { name: expect.stringContaining('release') } })
  })

  it('the chart starts the same command as the image', () => {
    const deployment = parse(rendered[templates.indexOf('deployment.yaml')] ?? '') as {
      spec: { template: { spec: { containers: { args: string[]; securityContext: object }[] } } }
    }
    const [container] = deployment.spec.template.spec.containers
    expect(JSON.parse(/^CMD (.*)$/m.exec(textOf('Dockerfile'))?.[1] ?? '')).toEqual(container?.args)
    expect(container?.securityContext).toMatchObject({ readOnlyRootFilesystem: true, allowPrivilegeEscalation: false })
  })

  it('the chart gives each replica a persistent disk if records may be spooled there', () => {
    type Pod = { containers: { volumeMounts: { name: string; mountPath: string }[] }[]; volumes: { name: string }[] }
    type Chart = { kind: string; spec: { template: { spec: Pod } } }
    const [usual, spooling] = [rendered[templates.indexOf('deployment.yaml')] ?? '', withSpool].map(
      (text) => parse(text) as Chart,
    )
    const [, directory] = /TOOLWIRE_DATA_DIR=(\S+)/.exec(textOf('Dockerfile')) ?? []
    const mount = { name: 'data', mountPath: directory }
    expect(spooling?.kind).toBe('StatefulSet')
    expect(spooling?.spec).toMatchObject({
      serviceName: 'release',
      volumeClaimTemplates: [
        {
          metadata: { name: 'data' },
          spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '2Gi' } } },
        },
      ],
    })
    expect(usual?.kind).toBe('Deployment')
    expect(usual?.spec).not.toHaveProperty('volumeClaimTemplates')
    for (const chart of [usual, spooling]) expect(chart?.spec.template.spec.containers[0]?.volumeMounts).toContainEqual(mount)
    const volumes = [usual, spooling].map((chart) => chart?.spec.template.spec.volumes.map(({ name }) => name))
    expect(volumes).toEqual([
      ['config', 'data', 'tmp'],
      ['config', 'tmp'],
    ])
    expect(usual?.spec).not.toHaveProperty('serviceName')
    expect(spooling?.spec).not.toHaveProperty('strategy')
  })

  it.skipIf(!isInstalled('haproxy'))('HAProxy accepts its config', () => {
    const file = written('haproxy.cfg', textOf('haproxy/haproxy.cfg'))
    const { status, stdout, stderr } = spawnSync('haproxy', ['-c', '-q', '-f', file], { encoding: 'utf8' })
    expect({ status, said: `${stdout}${stderr}` }).toEqual({ status: 0, said: '' })
  })

  it.skipIf(!isInstalled('systemd-analyze'))('systemd accepts its unit', () => {
    // This machine need not have the program or its user.
    const unit = textOf('systemd/toolwire@.service')
      .replace('/usr/bin/toolwire', process.execPath)
      .replace('User=toolwire', 'User=root')
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', written('toolwire@.service', unit)], { encoding: 'utf8' })
    const complaints = stderr.split('\n').filter((line) => line.includes('toolwire@'))
    expect({ status, complaints }).toEqual({ status: 0, complaints: [] })
  })
})
