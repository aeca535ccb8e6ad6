import { describe, expect, it } from 'vitest'
import { diffConfigs, isUnchanged } from '../../src/config/index.js'
import { folderForEach } from './config-folder.js'

const folder = folderForEach()
const nothing = { added: [], removed: [], changed: [], revised: [], settings: [], restart: [] }
const base = { a: { command: 'x', env: { K: '1' } }, b: { url: 'https://b.example' } }

async function between(before: object, after: object) {
  return diffConfigs(await folder.load(before), await folder.load(after))
}
const servers = (mcpServers: object, toolwire: object = {}) => ({ mcpServers, toolwire })

describe('two configs', () => {
  it.each([
    ['nothing', base, {}, {}],
    ['another order', { b: base.b, a: base.a }, {}, {}],
    ['an added server', { ...base, c: { command: 'y' } }, {}, { added: ['c'] }],
    ['a removed server', { a: base.a }, {}, { removed: ['b'] }],
    ['a server switched off', { ...base, b: { ...base.b, disabled: true } }, {}, { removed: ['b'] }],
    ['another command', { ...base, a: { command: 'y', env: { K: '1' } } }, {}, { changed: ['a'] }],
    ['another variable', { ...base, a: { command: 'x', env: { K: '2' } } }, {}, { changed: ['a'] }],
    ['another header', { ...base, b: { ...base.b, headers: { A: '1' } } }, {}, { changed: ['b'] }],
    ['another transport', { ...base, b: { ...base.b, type: 'sse' } }, {}, { changed: ['b'] }],
    ['another revision', base, { servers: { b: { revision: 'x' } } }, { changed: ['b'] }],
    ['another override', base, { servers: { b: { tools: { t: { hidden: true } } } } }, { revised: ['b'] }],
    ['trust', base, { servers: { b: { trusted: true } } }, { revised: ['b'] }],
    ['a set', base, { sets: { s: ['*'] } }, { settings: ['sets'] }],
    ['allowed commands', base, { commands: ['*'] }, { settings: ['commands'] }],
    ['an import', base, { import: ['./other.json'] }, { settings: ['import'] }],
    ['rules and limits', base, { policy: 'p.yaml', guard: { rate: false } }, { settings: ['policy', 'guard'] }],
    [
      'terms for approvals',
      base,
      { approvals: { ask: 'both' }, retention: { days: 1 } },
      { settings: ['approvals', 'retention'] },
    ],
    ['what clients need', base, { clients: { a: { schemas: 'plain' } } }, { settings: ['clients'] }],
    ['a port', base, { port: 5_000 }, { restart: ['port'] }],
    ['no console', base, { console: false }, { restart: ['console'] }],
    [
      'a spool',
      base,
      { guard: { audit: { spool: true } }, store: 'postgres://db.example/toolwire' },
      { settings: ['guard'], restart: ['store', 'guard.audit.spool'] },
    ],
    ['callers', base, { callers: { apiKeys: true }, dataDir: 'd' }, { restart: ['dataDir', 'callers'] }],
  ])('that differ by %s', async (_, after, toolwire, expected) => {
    const changes = await between(servers(base), servers(after, toolwire))
    expect(changes).toEqual({ ...nothing, ...expected })
    expect(isUnchanged(changes)).toBe(Object.keys(expected).length === 0)
  })
})
