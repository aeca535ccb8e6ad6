// Servers that make connecting difficult. A probe must end in a working connection if one is possible.
import { type Fault, type Script, text, type Wire } from '../fault.js'

const nothing: Script = () => undefined
const quick = { limits: { idleMs: 700, probeMs: 500 } }
const unsupported =
  (supported: readonly string[]): Script =>
  (wire, ask) =>
    wire.last({ jsonrpc: '2.0', id: ask.id, error: { code: -32022, message: 'No', data: { supported: [...supported] } } })

export const openings: readonly Fault[] = [
  {
    name: 'a server that ends at any request before the handshake',
    rows: [13],
    over: 'stdio',
    style: 'handshake',
    first: (_, { method, id }) => {
      if (method === 'server/discover') process.exit(1)
      return method === undefined && id === undefined
    },
    shows: { gives: 'ok', seen: { initialize: 1 }, withinMs: 2_000 },
  },
  {
    name: 'a server that resets at any request before the handshake',
    rows: [3],
    over: 'http',
    style: 'handshake',
    on: { 'server/discover': ({ http }) => http?.request.socket.resetAndDestroy() },
    shows: { gives: 'ok', withinMs: 2_000 },
  },
  {
    name: 'a server that never answers the probe',
    rows: [1],
    style: 'handshake',
    on: { 'server/discover': nothing },
    options: () => quick,
    shows: { gives: 'ok', withinMs: 1_500, seen: { initialize: 1 } },
  },
  {
    name: 'a server that never answers at all',
    rows: [1],
    ids: 'TOUT-001',
    first: () => true,
    options: () => quick,
    shows: { fails: 'timed_out', withinMs: 2_000 },
  },
  {
    name: 'a server that answers the probe with garbage',
    rows: [8],
    style: 'handshake',
    on: { 'server/discover': (wire) => wire.last('garbage') },
    options: () => quick,
    shows: { gives: 'ok', withinMs: 1_500 },
  },
  {
    name: 'a server with only future revisions',
    on: { 'server/discover': unsupported(['2099-01-01']), initialize: nothing },
    shows: { fails: 'no_common_revision', withinMs: 1_500, seen: { initialize: 0 } },
  },
  {
    name: 'a server that refuses the revisions that it lists',
    on: { 'server/discover': unsupported(['2026-07-28']), initialize: nothing },
    shows: { fails: 'no_common_revision', withinMs: 1_500, seen: { 'server/discover': [1, 3], initialize: 0 } },
  },
  {
    name: 'a server that answers the handshake with a future revision',
    style: 'handshake',
    on: {
      initialize: (wire, ask) =>
        wire.answer(ask, { protocolVersion: '2099-01-01', capabilities: {}, serverInfo: { name: 'x', version: '1' } }),
    },
    shows: { fails: 'no_common_revision' },
  },
  {
    name: 'a server that answers the handshake with an empty result',
    style: 'handshake',
    on: { initialize: (wire, ask) => wire.answer(ask, {}) },
    shows: { fails: 'no_common_revision' },
  },
  {
    name: 'a server that has 100,000 revisions',
    style: 'per-request',
    on: {
      'server/discover': (wire: Wire, ask) => {
        const supportedVersions = [...Array.from({ length: 100_000 }, (_, nth) => `v${nth}`), '2026-07-28']
        wire.answer(ask, { supportedVersions, capabilities: { tools: {} }, ttlMs: 0, cacheScope: 'private' })
      },
      bad: (wire, ask) => wire.answer(ask, text('ok')),
    },
    shows: { gives: 'ok' },
  },
]
